# Finds a chapter by its name, or with `chapter_id` by its id.
data "audioprojects_chapter" "crossing" {
  project_id = "audiobook"
  name       = "Crossing"
}

resource "audioprojects_chapter_conversion" "crossing" {
  project_id      = "audiobook"
  chapter_id      = data.audioprojects_chapter.crossing.chapter_id
  keep_up_to_date = true
}
