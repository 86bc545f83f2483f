# All chapters of a book. Edited text is converted again, and after a change of voice the whole book.
data "audioprojects_project" "book" {
  project_id = "audiobook"
}

resource "audioprojects_chapter_conversion" "chapter" {
  for_each = toset(data.audioprojects_project.book.chapter_ids)

  project_id      = "audiobook"
  chapter_id      = each.key
  keep_up_to_date = true

  triggers = {
    voice = data.audioprojects_project.book.default_paragraph_voice_id
  }
}
