package say

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/width"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// A message about chapters has the sentences that these share, and below them a line for each chapter. Terraform does not break a line
// that begins with a space. A sign or a number stands first, so that no line begins with the service's text.

// Groups have the chapters of which there is the same to say, in the order of their first ones. Those from which the same follows stand
// together, so that it is said once.
type Groups[C any] []group[C]

type group[C any] struct {
	Says, follows string
	Chapters      []C
}

// Add adds a chapter of which this is to say, and from which that follows.
func (g *Groups[C]) Add(says, follows string, chapter C) {
	at := slices.IndexFunc(*g, func(known group[C]) bool { return known.Says == says && known.follows == follows })
	if at < 0 {
		at = len(*g)
		for i, known := range *g {
			if known.follows == follows {
				at = i + 1
			}
		}
		*g = slices.Insert(*g, at, group[C]{Says: says, follows: follows})
	}
	(*g)[at].Chapters = append((*g)[at].Chapters, chapter)
}

// InParagraphs leaves out what says nothing.
func InParagraphs(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
}

// Paragraphs says of each group what there is to say, then which chapters it has, and then what follows.
func (g Groups[C]) Paragraphs(lines func([]C) string) string {
	var paragraphs []string
	for i, group := range g {
		paragraphs = append(paragraphs, group.Says+lines(group.Chapters))
		if i == len(g)-1 || g[i+1].follows != group.follows {
			paragraphs = append(paragraphs, group.follows)
		}
	}
	return InParagraphs(paragraphs...)
}

// Dashed is a line for each chapter that has a name.
func Dashed(names []string) (lines string) {
	for _, name := range names {
		if name != "" {
			lines += "\n  - " + name
		}
	}
	return lines
}

// MostNamed is how many chapters are named in a part of an estimate.
const MostNamed = 20

// FirstDashed is a line for each of the first of many.
func FirstDashed(names []string, unit string) string {
	more := len(names) - MostNamed
	if more > 0 {
		names = append(names[:MostNamed:MostNamed], CountOf(more, "more "+unit))
	}
	return Dashed(names)
}

// Number writes a number with a comma after each third digit.
func Number(number int64) string {
	digits := strconv.FormatInt(number, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// FirstOf names the first of many.
func FirstOf(names []string) string {
	count := len(names)
	if count > MostNamed {
		return strings.Join(names[:MostNamed], ", ") + fmt.Sprintf(" and %d more", count-MostNamed)
	}
	return strings.Join(names, ", ")
}

// CountOf is a number of things: 1 chapter, 2 chapters.
func CountOf[N ~int | ~int64](count N, unit string) string {
	if count == 1 {
		return "1 " + unit
	}
	return Number(int64(count)) + " " + unit + "s"
}

// The room for a name in a message, in letters. Of a longer one, the beginning and the end are shown.
const (
	longestName = 56
	nameBegins  = 37
	nameEnds    = 18
)

// Project names a project in messages.
func Project(projectID string) string { return "project " + strconv.Quote(projectID) }

// Chapter names a chapter in messages about it alone.
func Chapter(projectID string, chapter audioprojects.Chapter) string {
	return "chapter " + Identified(chapter) + " of " + Project(projectID)
}

// Named is a chapter in a message, by the name that people know. Without a name it is the id.
func Named(chapter audioprojects.Chapter) string {
	return strconv.Quote(cmp.Or(ShownName(chapter), chapter.ChapterID))
}

// Identified is a chapter in an error, by its name and its id: somebody must find it at the service, and several may have one name.
func Identified(chapter audioprojects.Chapter) string {
	name := ShownName(chapter)
	if name == "" || name == chapter.ChapterID {
		return Named(chapter)
	}
	return Named(chapter) + " (" + OneLine(chapter.ChapterID) + ")"
}

// ShownName is a name on one line; empty if the chapter has none.
func ShownName(chapter audioprojects.Chapter) string {
	if chapter.Name.Value == nil {
		return ""
	}
	return Shortened(chapter.Name.Value.Line())
}

// Shortened leaves out the middle of a long name.
func Shortened(name string) string {
	runes := []rune(name)
	if len(runes) <= longestName {
		return name
	}
	return strings.TrimSpace(string(runes[:nameBegins])) + "…" + strings.TrimSpace(string(runes[len(runes)-nameEnds:]))
}

// displayWidth is how much room a text takes on a terminal.
func displayWidth(text string) (columns int) {
	for _, letter := range text {
		columns++
		kind := width.LookupRune(letter).Kind()
		if kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			columns++
		}
	}
	return columns
}
