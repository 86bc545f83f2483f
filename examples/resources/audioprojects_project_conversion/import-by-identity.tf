import {
  to = audioprojects_project_conversion.book
  identity = {
    project_id = "audiobook"
  }
}
