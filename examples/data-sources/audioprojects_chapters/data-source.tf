data "audioprojects_chapters" "book" {
  project_id = "audiobook"
}

# The chapters that have text without audio.
output "unconverted" {
  value = [
    for chapter in data.audioprojects_chapters.book.chapters : chapter.name
    if chapter.statistics.characters_unconverted > 0
  ]
}

# How many characters that is, in all chapters together.
output "characters_unconverted" {
  value = data.audioprojects_chapters.book.characters_unconverted
}
