# Needs no service, no API key and no credits. For Terraform 1.7 or newer and OpenTofu 1.8 or newer:
#   terraform test -filter=tests/mocked.tftest.hcl

mock_provider "audioprojects" {
  # What is not given here is 0, empty, or a random text.
  mock_resource "audioprojects_project_conversion" {
    defaults = {
      chapter_count             = 5
      last_conversion_date_unix = 1735689600
    }
  }
}

run "waits_for_the_new_audio" {
  assert {
    condition     = data.audioprojects_project_snapshot.book.not_before_unix == 1735689600
    error_message = "A snapshot from before the conversions would be taken."
  }

  assert {
    condition     = output.book.chapters == 5
    error_message = "The output says of the book: ${jsonencode(output.book)}"
  }
}
