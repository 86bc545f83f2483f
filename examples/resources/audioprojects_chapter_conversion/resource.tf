resource "audioprojects_chapter_conversion" "crossing" {
  project_id = "audiobook"
  chapter_id = "chapter-3"

  # When a value changes, the chapter is converted again.
  triggers = {
    edition = "second"
  }
}
