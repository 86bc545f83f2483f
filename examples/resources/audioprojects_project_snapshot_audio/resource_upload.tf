# Another provider takes the file from here. The checksum tells it when there is another
# file, which the path alone would not; it is known without reading the file again.
resource "aws_s3_object" "book" {
  bucket       = "audiobooks"
  key          = "book.mp3"
  source       = audioprojects_project_snapshot_audio.book.filename
  source_hash  = audioprojects_project_snapshot_audio.book.content_base64sha256
  content_type = audioprojects_project_snapshot_audio.book.content_type
}
