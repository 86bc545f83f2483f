resource "audioprojects_chapter_conversion" "crossing" {
  project_id      = "audiobook"
  chapter_id      = "chapter-3"
  keep_up_to_date = true
}

# A conversion makes a snapshot of the project, so the list is read after it.
data "audioprojects_project_snapshots" "book" {
  project_id = "audiobook"

  depends_on = [audioprojects_chapter_conversion.crossing]
}

# The service decides what a record holds in addition to the identifier.
output "snapshots" {
  value = {
    for snapshot in data.audioprojects_project_snapshots.book.snapshots :
    snapshot.project_snapshot_id => jsondecode(snapshot.json)
  }
}
