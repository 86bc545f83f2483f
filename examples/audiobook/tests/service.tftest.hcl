# Converts the book at the service that the environment names, and downloads its audio. A real account pays credits for
# that, the mock server (`make mock`) takes none. Run it in a copy of the folder without `audio/`:
#   terraform test -filter=tests/service.tftest.hcl

run "converts_the_book" {
  assert {
    condition     = audioprojects_project_conversion.book.characters_unconverted == 0
    error_message = "The book has unconverted text."
  }

  assert {
    condition     = length(audioprojects_project_conversion.book.failed_chapters) == 0
    error_message = "Chapters have failed: ${jsonencode(audioprojects_project_conversion.book.failed_chapters)}"
  }

  assert {
    condition     = output.audio.type == "audio/mpeg" && filesha256(output.audio.path) == output.audio.sha256
    error_message = "The file does not hold the audio of the book."
  }
}

run "plans_nothing_again" {
  command = plan

  # If the plan converted a chapter, this would be unknown.
  assert {
    condition     = audioprojects_project_conversion.book.pending_conversions == null
    error_message = "The plan converts chapters again."
  }
}
