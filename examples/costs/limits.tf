data "audioprojects_project_estimate" "book" {
  project_id = "audiobook"
}

resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"

  # Refuses a plan that may convert more. If the service does not count, the number is null, and `try` returns false.
  lifecycle {
    precondition {
      condition     = try(data.audioprojects_project_estimate.book.characters <= 50000, false)
      error_message = "The plan may convert ${jsonencode(data.audioprojects_project_estimate.book.characters)} characters."
    }
  }
}

# This only warns. The JSON of the plan has it among its `checks`.
check "costs" {
  assert {
    condition     = try(data.audioprojects_project_estimate.book.characters <= 10000, false)
    error_message = "The plan may convert ${jsonencode(data.audioprojects_project_estimate.book.characters)} characters, which is more than usual."
  }
}
