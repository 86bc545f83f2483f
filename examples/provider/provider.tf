terraform {
  required_version = ">= 1.5"
  required_providers {
    audioprojects = {
      source  = "audioprojects/audioprojects"
      version = "~> 0.1.0"
    }
  }
}

# Converts each chapter that has unconverted text, now and in each later apply.
resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook" # data.audioprojects_projects lists your projects with their ids
}
