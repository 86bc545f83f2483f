data "audioprojects_project_bill" "audiobook" {
  project_id = "audiobook"
}

# A plan that may cost more than this has a warning. A precondition would fail it.
check "costs" {
  assert {
    condition     = try(data.audioprojects_project_bill.audiobook.characters <= 100000, false) # null if a chapter is not counted
    error_message = "More than 100,000 characters would be converted."
  }
}

output "bill" {
  value = [
    for chapter in data.audioprojects_project_bill.audiobook.chapters :
    "${chapter.characters} characters of ${chapter.name}: ${chapter.reason}"
  ]
}
