# Converts three chapters again, because the project got another voice at that time.
resource "audioprojects_project_conversion" "sample" {
  project_id      = "audiobook"
  chapter_ids     = ["chapter-1", "chapter-2", "chapter-3"]
  converted_after = "2026-01-31T08:00:00Z"
  chapter_timeout = "30m"
}
