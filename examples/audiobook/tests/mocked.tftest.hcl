# Needs no service, no API key and no credits. For Terraform 1.7 or newer and OpenTofu 1.8 or newer:
#   terraform test -filter=tests/mocked.tftest.hcl

mock_provider "audioprojects" {
  mock_data "audioprojects_project" {
    defaults = {
      title  = "The Lamplighter of Port Esker"
      author = "Ottilie Marrow"
    }
  }

  mock_resource "audioprojects_chapter_conversion" {
    defaults = {
      name                      = "Crossing"
      last_conversion_date_unix = 1735689600
      statistics = {
        characters_converted   = 541
        characters_unconverted = 0
        paragraphs_converted   = 3
        paragraphs_unconverted = 0
      }
    }
  }
}

# A mocked list of chapters is empty, and a mocked snapshot has an id that means nothing, so that both are given here.
variables {
  chapter_ids         = ["chapter-1", "chapter-3"]
  project_snapshot_id = "second-reading"
}

run "converts_the_chapters_that_are_given" {
  assert {
    condition     = toset(values(audioprojects_chapter_conversion.chapter)[*].chapter_id) == toset(["chapter-1", "chapter-3"])
    error_message = "The conversions are not those of the given chapters."
  }

  assert {
    condition     = output.chapters["chapter-3"] == "Crossing: 541 characters in 3 paragraphs, 2025-01-01 00:00:00 UTC"
    error_message = "The output says of the chapter: ${output.chapters["chapter-3"]}"
  }
}

run "takes_the_snapshot_that_is_given" {
  assert {
    condition     = audioprojects_project_snapshot_audio.book.project_snapshot_id == "second-reading"
    error_message = "The audio is that of another snapshot."
  }
}
