action "audioprojects_convert_chapter" "crossing" {
  config {
    project_id = "audiobook"
    chapter_id = "chapter-3"

    timeouts = {
      invoke = "30m"
    }
  }
}

# Invokes it when the edition is created or changes.
resource "terraform_data" "edition" {
  input = "second edition"

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.audioprojects_convert_chapter.crossing]
    }
  }
}
