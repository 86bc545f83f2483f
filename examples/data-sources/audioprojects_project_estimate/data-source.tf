data "audioprojects_project_estimate" "audiobook" {
  project_id = "audiobook"
}

output "estimate" {
  value = [
    for chapter in data.audioprojects_project_estimate.audiobook.chapters :
    "${chapter.characters} characters of ${chapter.name}: ${chapter.reason}"
  ]
}
