# An audiobook: every chapter of a project is converted to audio.
terraform {
  required_providers {
    audioprojects = {
      source = "audioprojects/audioprojects"
    }
  }
}

# The address of the service and the API key come from the environment:
# AUDIOPROJECTS_BASE_URL and AUDIOPROJECTS_API_KEY.
provider "audioprojects" {}

variable "project_id" {
  description = "The identifier of the project."
  type        = string
  default     = "audiobook"
}

data "audioprojects_project" "book" {
  project_id = var.project_id
}

resource "audioprojects_chapter_conversion" "chapter" {
  for_each = toset(data.audioprojects_project.book.chapters[*].chapter_id)

  project_id = var.project_id
  chapter_id = each.key

  # A chapter that is already converted is adopted as it is, and edited text is converted again.
  keep_up_to_date = true

  timeouts = {
    create = "30m"
    update = "30m"
  }
}

data "audioprojects_chapter_snapshots" "chapter" {
  for_each = audioprojects_chapter_conversion.chapter

  project_id = var.project_id
  chapter_id = each.key

  # There is nothing to list before the conversion.
  depends_on = [audioprojects_chapter_conversion.chapter]
}
