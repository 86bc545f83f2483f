# By its name, for those who know no identifiers. `chapter_id` in place of `name` reads it by that.
data "audioprojects_chapter" "crossing" {
  project_id = "audiobook"
  name       = "Crossing"
}

resource "audioprojects_chapter_conversion" "crossing" {
  project_id = "audiobook"
  chapter_id = data.audioprojects_chapter.crossing.chapter_id
}
