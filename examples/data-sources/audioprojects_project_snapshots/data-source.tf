data "audioprojects_project_snapshots" "book" {
  project_id = "audiobook"
}

# The service decides what a record holds in addition to the identifier.
output "snapshots" {
  value = {
    for snapshot in data.audioprojects_project_snapshots.book.snapshots :
    snapshot.project_snapshot_id => jsondecode(snapshot.json)
  }
}
