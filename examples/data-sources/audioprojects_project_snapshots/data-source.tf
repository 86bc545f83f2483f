data "audioprojects_project_snapshots" "book" {
  project_id = "audiobook"
}

# The service decides what a record contains besides the id.
output "snapshots" {
  value = {
    for snapshot in data.audioprojects_project_snapshots.book.snapshots :
    snapshot.project_snapshot_id => jsondecode(snapshot.json)
  }
}
