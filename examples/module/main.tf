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
  description = "The identifier of the book's project."
  type        = string
}

variable "filename" {
  description = "The path of the file that gets the book's audio."
  type        = string
}

variable "exclude_chapter_ids" {
  description = "The identifiers of chapters that are not converted. The default is none."
  type        = set(string)
  default     = null
}

resource "audioprojects_project_conversion" "book" {
  project_id          = var.project_id
  exclude_chapter_ids = var.exclude_chapter_ids
}

data "audioprojects_project_snapshot" "book" {
  project_id  = var.project_id
  most_recent = true
  not_before  = audioprojects_project_conversion.book.last_conversion_date
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = var.project_id
  project_snapshot_id = data.audioprojects_project_snapshot.book.project_snapshot_id
  convert_to_mpeg     = true
  filename            = var.filename
}

output "failed_chapters" {
  description = "The service's error message for each chapter that the last apply could not convert, by its identifier."
  value       = audioprojects_project_conversion.book.failed_chapters
}
