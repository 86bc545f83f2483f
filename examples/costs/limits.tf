data "audioprojects_chapters" "book" {
  project_id = "audiobook"
}

resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"

  # If the service does not count, the number is null, and `try` returns false.
  lifecycle {
    precondition {
      condition     = try(data.audioprojects_chapters.book.characters_unconverted <= 50000, false)
      error_message = "The project has ${jsonencode(data.audioprojects_chapters.book.characters_unconverted)} unconverted characters."
    }
  }
}
