resource "audioprojects_chapter_conversion" "crossing" {
  project_id = "audiobook"
  chapter_id = "chapter-3"
}

# A conversion makes a snapshot of the project, so the list is read after it.
data "audioprojects_project_snapshots" "book" {
  project_id = "audiobook"

  depends_on = [audioprojects_chapter_conversion.crossing]
}

locals {
  # In what order a service lists its snapshots is not described: here it is the oldest first.
  newest_first = reverse(data.audioprojects_project_snapshots.book.snapshots)
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = "audiobook"
  project_snapshot_id = local.newest_first[0].project_snapshot_id
  convert_to_mpeg     = true
  filename            = "audio/book.mp3"
}
