# Refuses a plan that may convert more than this.
terraform {
  required_providers {
    audioprojects = {
      source = "audioprojects/audioprojects"
    }
  }
}

variable "most_characters" {
  description = "The most characters that one apply may convert."
  type        = number
  default     = 50000
}

data "audioprojects_project_bill" "book" {
  project_id = "audiobook"
}

resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"

  lifecycle {
    precondition {
      # If the service does not count, the number is null, which `try` makes false.
      condition     = try(data.audioprojects_project_bill.book.characters <= var.most_characters, false)
      error_message = "The plan may convert ${jsonencode(data.audioprojects_project_bill.book.characters)} characters."
    }
  }
}

# This only warns. In the JSON of the plan it is among the `checks`.
check "costs" {
  assert {
    condition     = try(data.audioprojects_project_bill.book.characters <= 10000, false)
    error_message = "The plan may convert ${jsonencode(data.audioprojects_project_bill.book.characters)} characters, which is more than usual."
  }
}
