# An audiobook: every chapter of a project is converted to audio, and the whole of it becomes a file.
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

variable "chapter_ids" {
  description = "The identifiers of the chapters to convert; all of the project if not given."
  type        = set(string)
  default     = null
}

variable "project_snapshot_id" {
  description = "The identifier of the snapshot whose audio is wanted; the newest if not given."
  type        = string
  default     = null
}

data "audioprojects_project" "book" {
  project_id = var.project_id
}

resource "audioprojects_chapter_conversion" "chapter" {
  for_each = var.chapter_ids != null ? var.chapter_ids : toset(data.audioprojects_project.book.chapter_ids)

  project_id = var.project_id
  chapter_id = each.key

  # A chapter that is already converted is adopted as it is, and edited text is converted again.
  keep_up_to_date = true

  timeouts = {
    create = "30m"
    update = "30m"
  }
}

data "audioprojects_project_snapshots" "book" {
  project_id = var.project_id

  # There is nothing to list before the conversions.
  depends_on = [audioprojects_chapter_conversion.chapter]

  lifecycle {
    postcondition {
      condition     = var.project_snapshot_id != null || length(self.snapshots) > 0
      error_message = "The project has no snapshot, although its chapters have been converted."
    }
  }
}

locals {
  # In what order a service lists its snapshots is not described: here it is the oldest first.
  newest_first = reverse(data.audioprojects_project_snapshots.book.snapshots)
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = var.project_id
  project_snapshot_id = var.project_snapshot_id != null ? var.project_snapshot_id : local.newest_first[0].project_snapshot_id

  convert_to_mpeg = true
  filename        = "audio/${var.project_id}.mp3"
}
