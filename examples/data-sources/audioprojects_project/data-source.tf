data "audioprojects_project" "book" {
  project_id = "audiobook"
}

output "book" {
  value = "${data.audioprojects_project.book.title}, by ${data.audioprojects_project.book.author}"
}

# What is not fixed by the service comes as JSON text.
output "experimental" {
  value = jsondecode(data.audioprojects_project.book.experimental)
}
