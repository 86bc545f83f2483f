action "audioprojects_convert_project" "book" {
  config {
    project_id = "audiobook"
    timeout    = "4h"
  }
}
