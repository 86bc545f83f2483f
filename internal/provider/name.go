package provider

import (
	"strconv"
	"strings"

	"golang.org/x/text/width"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// The room for a name in a message, in columns of a terminal. Of a longer one, the beginning and the end are shown.
const (
	longestName = 56
	nameBegins  = 37
	nameEnds    = 18
)

// named is a chapter in a message, by the name that people know.
func named(chapter audioprojects.Chapter) string {
	if chapter.Name == nil {
		return strconv.Quote(chapter.ChapterID)
	}
	return strconv.Quote(shortened(chapter.Name.Line()))
}

func shortened(name string) string {
	if columns(name) <= longestName {
		return name
	}
	runes := []rune(name)
	begin, end := 0, len(runes)
	for used := 0; used+columns(string(runes[begin])) <= nameBegins; begin++ {
		used += columns(string(runes[begin]))
	}
	for used := 0; used+columns(string(runes[end-1])) <= nameEnds; end-- {
		used += columns(string(runes[end-1]))
	}
	return strings.TrimSpace(string(runes[:begin])) + "…" + strings.TrimSpace(string(runes[end:]))
}

// columns is how much room a text takes on a terminal.
func columns(text string) (columns int) {
	for _, letter := range text {
		columns++
		if kind := width.LookupRune(letter).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			columns++
		}
	}
	return columns
}
