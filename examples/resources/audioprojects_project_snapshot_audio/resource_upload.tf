resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"
}

data "audioprojects_project_snapshot" "book" {
  project_id  = "audiobook"
  most_recent = true
  not_before  = audioprojects_project_conversion.book.last_conversion_date
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = "audiobook"
  project_snapshot_id = data.audioprojects_project_snapshot.book.project_snapshot_id
  convert_to_mpeg     = true
  filename            = "audio/book.mp3"
  when_missing        = "keep"
  overwrite           = true # A folder may have the file of an earlier run.
}

# The path stays the same, so the checksum shows that the audio has changed.
resource "aws_s3_object" "book" {
  bucket       = "audiobooks"
  key          = "book.mp3"
  source       = audioprojects_project_snapshot_audio.book.filename
  source_hash  = audioprojects_project_snapshot_audio.book.content_base64sha256
  content_type = audioprojects_project_snapshot_audio.book.content_type
}
