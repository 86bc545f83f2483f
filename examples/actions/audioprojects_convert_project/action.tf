action "audioprojects_convert_project" "book" {
  config {
    project_id = "audiobook"

    timeouts = {
      invoke = "4h"
    }
  }
}
