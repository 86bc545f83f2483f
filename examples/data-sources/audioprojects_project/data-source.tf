data "audioprojects_project" "book" {
  project_id = "audiobook"
}

output "book" {
  value = "${data.audioprojects_project.book.title}, by ${data.audioprojects_project.book.author}"
}

# The service may change these settings, so they are JSON text.
output "experimental" {
  value = jsondecode(data.audioprojects_project.book.experimental)
}
