terraform {
  required_version = ">= 1.10"
  required_providers {
    audioprojects = {
      source  = "audioprojects/audioprojects"
      version = "~> 0.2"
    }
  }

  # Every run starts in an empty folder, so the state is kept elsewhere, with a lock.
  backend "s3" {
    bucket       = "audiobook-state"
    key          = "audiobook.tfstate"
    region       = "eu-central-1"
    use_lockfile = true
  }
}

resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"

  # Shorter than the job, so that Terraform saves the state before the job is killed.
  timeouts = {
    create = "2h"
    update = "2h"
  }
}
