# Warns of a plan that would convert more than this. You can apply it all the same.
terraform {
  required_providers {
    audioprojects = {
      source = "audioprojects/audioprojects"
    }
  }
}

variable "most_characters" {
  description = "The most characters that one apply is expected to convert."
  type        = number
  default     = 50000
}

data "audioprojects_project_bill" "book" {
  project_id = "audiobook"
}

resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"
}

check "costs" {
  assert {
    # If the service does not count, the number is null, which `try` makes false.
    condition     = try(data.audioprojects_project_bill.book.characters <= var.most_characters, false)
    error_message = "The plan may convert ${jsonencode(data.audioprojects_project_bill.book.characters)} characters, and ${var.most_characters} were expected at most."
  }
}
