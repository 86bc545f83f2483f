# Three chapters, converted again because the project has another voice since that time.
resource "audioprojects_project_conversion" "sample" {
  project_id      = "audiobook"
  chapter_ids     = ["chapter-1", "chapter-2", "chapter-3"]
  converted_after = "2026-01-31T08:00:00Z"
  chapter_timeout = "30m"
}
