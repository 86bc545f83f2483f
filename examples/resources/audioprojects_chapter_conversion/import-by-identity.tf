import {
  to = audioprojects_chapter_conversion.crossing
  identity = {
    project_id = "audiobook"
    chapter_id = "chapter-3"
  }
}
