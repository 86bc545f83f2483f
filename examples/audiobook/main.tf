# The address of the service and the API key come from the environment: AUDIOPROJECTS_BASE_URL and AUDIOPROJECTS_API_KEY.
terraform {
  required_version = ">= 1.5"
  required_providers {
    audioprojects = {
      source  = "audioprojects/audioprojects"
      version = "~> 0.1.0"
    }
  }
}

variable "project_id" {
  description = "The identifier of the project."
  type        = string
  default     = "audiobook"
}

# Converts the chapters that have unconverted text, now and in each later apply. It leaves the others as they are.
resource "audioprojects_project_conversion" "book" {
  project_id = var.project_id
}

# The newest snapshot, a dated copy of the project's audio. The apply waits for one that is as new as the last conversion.
data "audioprojects_project_snapshot" "book" {
  project_id  = var.project_id
  most_recent = true
  not_before  = audioprojects_project_conversion.book.last_conversion_date
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = var.project_id
  project_snapshot_id = data.audioprojects_project_snapshot.book.project_snapshot_id
  convert_to_mpeg     = true
  filename            = "audio/${var.project_id}.mp3"
}

# These numbers come from the resource. A data source would be read before the conversions, and show old numbers.
output "book" {
  description = "How many chapters the book has, and how many of its characters are converted."
  value = {
    chapters   = audioprojects_project_conversion.book.chapter_count
    characters = audioprojects_project_conversion.book.characters_converted
  }
}

output "audio" {
  description = "The file with the book's audio."
  value = {
    path   = audioprojects_project_snapshot_audio.book.filename
    type   = audioprojects_project_snapshot_audio.book.content_type
    size   = audioprojects_project_snapshot_audio.book.size
    sha256 = audioprojects_project_snapshot_audio.book.content_sha256
  }
}
