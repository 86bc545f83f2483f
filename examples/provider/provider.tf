terraform {
  required_version = ">= 1.5"
  required_providers {
    audioprojects = {
      source  = "audioprojects/audioprojects"
      version = "~> 0.1.0"
    }
  }
}

# The address and the key come from the environment: AUDIOPROJECTS_BASE_URL and AUDIOPROJECTS_API_KEY.
provider "audioprojects" {}

# The apply converts every chapter with unconverted text, and waits until all are converted.
resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"
}

output "book" {
  value = "${audioprojects_project_conversion.book.chapter_count} chapters, ${audioprojects_project_conversion.book.characters_converted} characters"
}
