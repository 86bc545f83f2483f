resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"
}
