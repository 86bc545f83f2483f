# The id of the project and that of the chapter, path-escaped: a slash within an id is %2F.
import {
  to = audioprojects_chapter_conversion.crossing
  id = "audiobook/chapter-3"
}

resource "audioprojects_chapter_conversion" "crossing" {
  project_id = "audiobook"
  chapter_id = "chapter-3"
}
