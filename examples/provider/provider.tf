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

# Every chapter of this project has been converted: the apply waits until they are.
resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"
}

output "book" {
  value = "${audioprojects_project_conversion.book.chapter_count} chapters, ${audioprojects_project_conversion.book.characters_converted} characters"
}
