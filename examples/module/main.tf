terraform {
  required_providers {
    audioprojects = {
      source = "audioprojects/audioprojects"
    }
  }
}

variable "project_id" {
  type = string
}

variable "filename" {
  type = string
}

variable "exclude_chapter_ids" {
  type    = set(string)
  default = null
}

resource "audioprojects_project_conversion" "book" {
  project_id          = var.project_id
  exclude_chapter_ids = var.exclude_chapter_ids
}

data "audioprojects_project_snapshot" "book" {
  project_id      = var.project_id
  most_recent     = true
  not_before_unix = audioprojects_project_conversion.book.last_conversion_date_unix
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = var.project_id
  project_snapshot_id = data.audioprojects_project_snapshot.book.project_snapshot_id
  convert_to_mpeg     = true
  filename            = var.filename
}

output "failed_chapters" {
  value = audioprojects_project_conversion.book.failed_chapters
}
