import {
  to = audioprojects_project_conversion.book
  id = "audiobook"
}

resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"
}
