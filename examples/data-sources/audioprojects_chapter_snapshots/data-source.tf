resource "audioprojects_chapter_conversion" "crossing" {
  project_id      = "audiobook"
  chapter_id      = "chapter-3"
  keep_up_to_date = true
}

# A conversion makes a snapshot, so the list is read after it.
data "audioprojects_chapter_snapshots" "crossing" {
  project_id = "audiobook"
  chapter_id = "chapter-3"

  depends_on = [audioprojects_chapter_conversion.crossing]
}

output "snapshots" {
  value = data.audioprojects_chapter_snapshots.crossing.snapshots[*].chapter_snapshot_id
}
