# Has the book converted, and its audio brought to a file, by the service that the environment names. Against a real
# account that costs credits; the mock server (`make mock`) asks for none:
#   terraform test -filter=tests/service.tftest.hcl

run "converts_every_chapter" {
  assert {
    condition     = alltrue([for chapter in audioprojects_chapter_conversion.chapter : chapter.statistics.characters_unconverted == 0])
    error_message = "A chapter has text that has not been converted."
  }

  assert {
    condition     = length(output.chapters) == length(data.audioprojects_project.book.chapters)
    error_message = "A chapter is missing among those converted."
  }

  assert {
    condition     = output.audio.type == "audio/mpeg" && filesha256(output.audio.path) == output.audio.sha256
    error_message = "The file does not hold the audio of the book."
  }
}

run "plans_none_of_them_again" {
  command = plan

  # Of a chapter that is to be converted, this would not be known yet.
  assert {
    condition     = alltrue([for chapter in audioprojects_chapter_conversion.chapter : chapter.last_conversion_date_unix > 0])
    error_message = "A chapter is to be converted again."
  }
}
