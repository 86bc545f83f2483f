terraform {
  required_version = ">= 1.10"
  required_providers {
    audioprojects = {
      source  = "audioprojects/audioprojects"
      version = "~> 0.1.0"
    }
  }

  # Every run starts in an empty folder, so the state is elsewhere, with a lock. The workflow sets a `key` for each book.
  backend "s3" {
    bucket       = "audiobook-state"
    key          = "audiobook.tfstate"
    region       = "eu-central-1"
    use_lockfile = true
  }
}

variable "project_id" {
  description = "The identifier of the book's project."
  type        = string
  default     = "audiobook"
}

resource "audioprojects_project_conversion" "book" {
  project_id = var.project_id

  # Shorter than the job, so that Terraform saves the state before the job is killed.
  timeouts = {
    create = "2h"
    update = "2h"
  }
}

data "audioprojects_project_snapshot" "book" {
  project_id  = var.project_id
  most_recent = true
  not_before  = audioprojects_project_conversion.book.last_conversion_date
}

# Every run starts without the file. `keep` downloads only new audio.
resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = var.project_id
  project_snapshot_id = data.audioprojects_project_snapshot.book.project_snapshot_id
  convert_to_mpeg     = true
  filename            = "audio/${var.project_id}.mp3"
  when_missing        = "keep"
  overwrite           = true # A folder may have the file of an earlier run.
}
