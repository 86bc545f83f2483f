output "book" {
  description = "What has been converted, and when the last chapter was."
  value = {
    chapters   = audioprojects_project_conversion.book.chapter_count
    characters = audioprojects_project_conversion.book.characters_converted
    # Null at a service that gives no dates.
    converted_at = try(timeadd("1970-01-01T00:00:00Z", "${audioprojects_project_conversion.book.last_conversion_date_unix}s"), null)
  }
}

output "audio" {
  description = "The file with the audio of the book."
  value = {
    path   = audioprojects_project_snapshot_audio.book.filename
    type   = audioprojects_project_snapshot_audio.book.content_type
    size   = audioprojects_project_snapshot_audio.book.size
    sha256 = audioprojects_project_snapshot_audio.book.content_sha256
  }
}
