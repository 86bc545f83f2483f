resource "audioprojects_project_conversion" "book" {
  project_id           = "audiobook"
  characters_per_apply = 100000
}

output "characters_left" {
  value = audioprojects_project_conversion.book.characters_unconverted
}
