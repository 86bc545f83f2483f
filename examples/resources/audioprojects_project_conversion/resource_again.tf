resource "audioprojects_project_conversion" "book" {
  project_id      = "audiobook"
  converted_after = "2026-11-22T08:00:00Z"
}
