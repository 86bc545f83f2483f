resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"
}

# The newest snapshot. The read waits for one that is as new as the last conversion, because a service may make it later.
data "audioprojects_project_snapshot" "book" {
  project_id  = "audiobook"
  most_recent = true
  not_before  = audioprojects_project_conversion.book.last_conversion_date

  timeouts = {
    read = "5m"
  }
}

output "snapshot" {
  value = "${data.audioprojects_project_snapshot.book.project_snapshot_id}, made ${data.audioprojects_project_snapshot.book.created_at}"
}
