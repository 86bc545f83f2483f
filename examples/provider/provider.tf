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

# This chapter has been converted: the apply waits until it is.
resource "audioprojects_chapter_conversion" "crossing" {
  project_id = "audiobook"
  chapter_id = "chapter-3"
}

output "crossing" {
  value = "${audioprojects_chapter_conversion.crossing.name}: ${audioprojects_chapter_conversion.crossing.statistics.characters_converted} characters"
}
