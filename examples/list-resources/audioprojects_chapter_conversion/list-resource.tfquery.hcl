# Imports all chapters of a project, and converts nothing:
#   terraform query -generate-config-out=chapters.tf
#   terraform apply
list "audioprojects_chapter_conversion" "chapter" {
  provider = audioprojects
  limit    = 1000

  config {
    project_id = "audiobook"
  }
}
