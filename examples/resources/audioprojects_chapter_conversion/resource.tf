resource "audioprojects_chapter_conversion" "crossing" {
  project_id = "audiobook"
  chapter_id = "chapter-3"

  # Converted again, in place, when one of these texts changes.
  triggers = {
    edition = "second"
  }

  timeouts = {
    create = "90m"
    update = "90m"
  }
}
