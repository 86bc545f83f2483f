# Needs no service, no API key and no credits. For Terraform 1.7 or newer and OpenTofu 1.8 or newer:
#   terraform test -filter=tests/mocked.tftest.hcl

mock_provider "audioprojects" {
  # What is not given here is 0, empty, or a random text.
  mock_resource "audioprojects_project_conversion" {
    defaults = {
      chapter_count             = 5
      characters_converted      = 2398
      last_conversion_date_unix = 1735689600
    }
  }
}

run "converts_the_whole_project" {
  assert {
    condition     = audioprojects_project_conversion.book.chapter_ids == null
    error_message = "Chapters that are added to the project would be left out."
  }

  assert {
    condition     = output.book.chapters == 5 && output.book.converted_at == "2025-01-01T00:00:00Z"
    error_message = "The output says of the book: ${jsonencode(output.book)}"
  }
}

run "takes_the_newest_snapshot" {
  assert {
    condition     = data.audioprojects_project_snapshot.book.not_before_unix == 1735689600
    error_message = "A snapshot from before the conversions would be taken."
  }

  assert {
    condition     = audioprojects_project_snapshot_audio.book.project_snapshot_id == data.audioprojects_project_snapshot.book.project_snapshot_id
    error_message = "The audio is that of another snapshot."
  }
}

run "converts_the_chapters_that_are_given" {
  variables {
    chapter_ids = ["chapter-1", "chapter-3"]
  }

  assert {
    condition     = audioprojects_project_conversion.book.chapter_ids == toset(["chapter-1", "chapter-3"])
    error_message = "The chapters are not those that are given."
  }
}

run "takes_the_snapshot_that_is_given" {
  variables {
    project_snapshot_id = "first-reading"
  }

  assert {
    condition     = audioprojects_project_snapshot_audio.book.project_snapshot_id == "first-reading"
    error_message = "The audio is that of another snapshot."
  }
}
