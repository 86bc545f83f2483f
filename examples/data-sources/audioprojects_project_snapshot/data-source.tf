resource "audioprojects_chapter_conversion" "crossing" {
  project_id = "audiobook"
  chapter_id = "chapter-3"
}

# The newest snapshot, made when the chapter had been converted or later. Services make them at that time, some time
# later, or only when the whole project is converted there: it is waited for, and otherwise the error says so.
data "audioprojects_project_snapshot" "book" {
  project_id      = "audiobook"
  most_recent     = true
  not_before_unix = audioprojects_chapter_conversion.crossing.last_conversion_date_unix

  timeouts = {
    read = "5m"
  }
}

output "snapshot" {
  value = "${data.audioprojects_project_snapshot.book.project_snapshot_id}, made ${timeadd("1970-01-01T00:00:00Z", "${data.audioprojects_project_snapshot.book.created_at_unix}s")}"
}
