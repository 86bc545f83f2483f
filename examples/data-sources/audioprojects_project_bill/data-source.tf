data "audioprojects_project_bill" "audiobook" {
  project_id = "audiobook"
}

output "estimate" {
  value = [
    for chapter in data.audioprojects_project_bill.audiobook.chapters :
    "${chapter.characters} characters of ${chapter.name}: ${chapter.reason}"
  ]
}
