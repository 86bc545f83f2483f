data "audioprojects_chapter_snapshots" "crossing" {
  project_id = "audiobook"
  chapter_id = "chapter-3"
}

output "snapshots" {
  value = data.audioprojects_chapter_snapshots.crossing.snapshots[*].chapter_snapshot_id
}
