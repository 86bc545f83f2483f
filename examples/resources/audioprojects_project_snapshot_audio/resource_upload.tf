# The path stays the same, so the checksum shows that the file has changed.
resource "aws_s3_object" "book" {
  bucket       = "audiobooks"
  key          = "book.mp3"
  source       = audioprojects_project_snapshot_audio.book.filename
  source_hash  = audioprojects_project_snapshot_audio.book.content_base64sha256
  content_type = audioprojects_project_snapshot_audio.book.content_type
}
