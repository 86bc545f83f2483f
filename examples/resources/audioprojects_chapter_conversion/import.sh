# The id of the project and that of the chapter, path-escaped: a slash within an id is %2F.
terraform import audioprojects_chapter_conversion.crossing audiobook/chapter-3
