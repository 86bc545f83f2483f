data "audioprojects_project" "book" {
  project_id = "audiobook"
}

resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"

  triggers = {
    voice = data.audioprojects_project.book.default_paragraph_voice_id
  }
}
