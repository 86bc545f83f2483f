data "audioprojects_chapters" "book" {
  project_id = "audiobook"
}

# The chapters with unconverted text.
output "unconverted" {
  value = [
    for chapter in data.audioprojects_chapters.book.chapters : chapter.name
    if chapter.statistics.characters_unconverted > 0
  ]
}

# The unconverted characters of all chapters.
output "characters_unconverted" {
  value = data.audioprojects_chapters.book.characters_unconverted
}
