resource "audioprojects_chapter_conversion" "crossing" {
  project_id = "audiobook"
  chapter_id = "chapter-3"
}

# A conversion makes a snapshot of the project, so the list is read after it.
data "audioprojects_project_snapshots" "book" {
  project_id = "audiobook"

  depends_on = [audioprojects_chapter_conversion.crossing]
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = "audiobook"
  project_snapshot_id = data.audioprojects_project_snapshots.book.snapshots[0].project_snapshot_id
  convert_to_mpeg     = true
  filename            = "audio/book.mp3"
}
