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

# One object for the whole book. Chapters that have nothing left to convert are adopted as they are, and edited text is
# converted again.
resource "audioprojects_project_conversion" "book" {
  project_id  = var.project_id
  chapter_ids = var.chapter_ids

  # A chapter that is stuck does not hold up the book.
  chapter_timeout = "30m"
}

data "audioprojects_project_snapshot" "book" {
  project_id          = var.project_id
  project_snapshot_id = var.project_snapshot_id
  most_recent         = var.project_snapshot_id == null

  # One from before the conversions would not have their audio. A service may make one some time after them.
  not_before_unix = var.project_snapshot_id == null ? audioprojects_project_conversion.book.last_conversion_date_unix : null
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = var.project_id
  project_snapshot_id = data.audioprojects_project_snapshot.book.project_snapshot_id

  convert_to_mpeg = true
  filename        = "audio/${var.project_id}.mp3"
}
