# A snapshot is a dated copy of the project's audio. The plan or the apply waits for one that is as new as the last conversion.
data "audioprojects_project_snapshot" "book" {
  project_id  = "audiobook"
  most_recent = true
  not_before  = audioprojects_project_conversion.book.last_conversion_date
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = "audiobook"
  project_snapshot_id = data.audioprojects_project_snapshot.book.project_snapshot_id
  convert_to_mpeg     = true
  filename            = "audiobook.mp3"
}
