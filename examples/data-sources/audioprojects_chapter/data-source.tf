# Finds a chapter by its name. `chapter_id` in place of `name` finds it by its identifier.
data "audioprojects_chapter" "crossing" {
  project_id = "audiobook"
  name       = "Crossing"
}

resource "audioprojects_chapter_conversion" "crossing" {
  project_id      = "audiobook"
  chapter_id      = data.audioprojects_chapter.crossing.chapter_id
  keep_up_to_date = true
}
