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

// named is a chapter in a message, by the name that people know. Without a name it is the id.
func named(chapter audioprojects.Chapter) string {
	if name := shownName(chapter); name != "" {
		return strconv.Quote(name)
	}
	return strconv.Quote(chapter.ChapterID)
}

// identified is a chapter in an error, by its name and its id: somebody must find it at the service, and several may have one name.
func identified(chapter audioprojects.Chapter) string {
	if name := shownName(chapter); name == "" || name == chapter.ChapterID {
		return named(chapter)
	}
	return named(chapter) + " (" + said(chapter.ChapterID) + ")"
}

func shownName(chapter audioprojects.Chapter) string {
	if chapter.Name == nil {
		return ""
	}
	return shortened(chapter.Name.Line())
}

// namesakes tell which names are alike: how many chapters have each.
type namesakes map[string]int

func namesakesAmong(chapters []audioprojects.Chapter) namesakes {
	alike := namesakes{}
	for _, chapter := range chapters {
		alike[shownName(chapter)]++
	}
	return alike
}

// billed is a chapter in a bill, by its name where that tells it apart.
func (n namesakes) billed(chapter audioprojects.Chapter) string {
	if n[shownName(chapter)] > 1 {
		return identified(chapter)
	}
	return named(chapter)
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
