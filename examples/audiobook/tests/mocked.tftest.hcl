# Needs no service, no API key and no credits. For Terraform 1.7 or newer and OpenTofu 1.8 or newer:
#   terraform test -filter=tests/mocked.tftest.hcl

mock_provider "audioprojects" {
  # Other values are 0, empty, or random text.
  mock_resource "audioprojects_project_conversion" {
    defaults = {
      chapter_count        = 5
      last_conversion_date = "2025-01-01T00:00:00Z" # `not_before` refuses random text.
    }
  }
}

run "waits_for_the_new_audio" {
  assert {
    condition     = data.audioprojects_project_snapshot.book.not_before == "2025-01-01T00:00:00Z"
    error_message = "The snapshot could be older than the conversions."
  }

  assert {
    condition     = output.book.chapters == 5
    error_message = "The output of the book is ${jsonencode(output.book)}"
  }
}
