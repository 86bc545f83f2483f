# The project's id and the chapter's, each path-escaped: a slash within an id is written %2F.
terraform import audioprojects_chapter_conversion.crossing audiobook/chapter-3
