output "book" {
  description = "Title and author of the book."
  value       = "${data.audioprojects_project.book.title}, by ${data.audioprojects_project.book.author}"
}

output "chapters" {
  description = "What has been converted of each chapter."
  value = {
    for id, chapter in audioprojects_chapter_conversion.chapter : id =>
    "${chapter.name}: ${chapter.statistics.characters_converted} characters in ${chapter.statistics.paragraphs_converted} paragraphs, ${formatdate("YYYY-MM-DD hh:mm:ss", timeadd("1970-01-01T00:00:00Z", "${chapter.last_conversion_date_unix}s"))} UTC"
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
