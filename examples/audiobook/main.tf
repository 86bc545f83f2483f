# Converts every chapter of a project, and downloads the audio of the whole book. The address of the service and the API
# key come from the environment: AUDIOPROJECTS_BASE_URL and AUDIOPROJECTS_API_KEY. There is no provider block, so that
# the folder works as a module, too.
terraform {
  required_version = ">= 1.5"
  required_providers {
    audioprojects = {
      source  = "audioprojects/audioprojects"
      version = "~> 0.2"
    }
  }
}

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

# Converts the chapters that have unconverted text, now and in each later apply. It leaves the others as they are.
resource "audioprojects_project_conversion" "book" {
  project_id  = var.project_id
  chapter_ids = var.chapter_ids

  # The apply stops waiting for a chapter that takes longer. The others go on.
  chapter_timeout = "30m"
}

data "audioprojects_project_snapshot" "book" {
  project_id          = var.project_id
  project_snapshot_id = var.project_snapshot_id
  most_recent         = var.project_snapshot_id == null

  # An older snapshot does not have the new audio. The apply waits for one that does.
  not_before_unix = var.project_snapshot_id == null ? audioprojects_project_conversion.book.last_conversion_date_unix : null
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = var.project_id
  project_snapshot_id = data.audioprojects_project_snapshot.book.project_snapshot_id

  convert_to_mpeg = true
  filename        = "audio/${var.project_id}.mp3"
}
