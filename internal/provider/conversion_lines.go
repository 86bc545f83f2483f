package provider

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

// groups have the chapters of which there is the same to say, in the order of their first ones. Those from which the same follows stand
// together, so that it is said once.
type groups[C any] []group[C]

type group[C any] struct {
	says, follows string
	chapters      []C
}

func (g *groups[C]) add(says, follows string, chapter C) {
	at := slices.IndexFunc(*g, func(known group[C]) bool { return known.says == says && known.follows == follows })
	if at < 0 {
		at = len(*g)
		for i, known := range *g {
			if known.follows == follows {
				at = i + 1
			}
		}
		*g = slices.Insert(*g, at, group[C]{says: says, follows: follows})
	}
	(*g)[at].chapters = append((*g)[at].chapters, chapter)
}

// inParagraphs leaves out what says nothing.
func inParagraphs(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
}

// paragraphs says of each group what there is to say, then which chapters it has, and then what follows.
func (g groups[C]) paragraphs(lines func([]C) string) string {
	var paragraphs []string
	for i, group := range g {
		paragraphs = append(paragraphs, group.says+lines(group.chapters))
		if i == len(g)-1 || g[i+1].follows != group.follows {
			paragraphs = append(paragraphs, group.follows)
		}
	}
	return inParagraphs(paragraphs...)
}

// dashed is a line for each chapter that has a name.
func dashed(names []string) (lines string) {
	for _, name := range names {
		if name != "" {
			lines += "\n  - " + name
		}
	}
	return lines
}

// mostNamed is how many chapters are named in a part of an estimate.
const mostNamed = 20

// firstDashed is a line for each of the first of many.
func firstDashed(names []string, unit string) string {
	more := len(names) - mostNamed
	if more > 0 {
		names = append(names[:mostNamed:mostNamed], countOf(more, "more "+unit))
	}
	return dashed(names)
}

// grouped writes a number with a comma after each third digit.
func grouped(number int64) string {
	digits := strconv.FormatInt(number, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// firstOf names the first of many.
func firstOf(names []string) string {
	count := len(names)
	if count > mostNamed {
		return strings.Join(names[:mostNamed], ", ") + fmt.Sprintf(" and %d more", count-mostNamed)
	}
	return strings.Join(names, ", ")
}

func countOf[N ~int | ~int64](count N, unit string) string {
	if count == 1 {
		return "1 " + unit
	}
	return grouped(int64(count)) + " " + unit + "s"
}

// The room for a name in a message, in letters. Of a longer one, the beginning and the end are shown.
const (
	longestName = 56
	nameBegins  = 37
	nameEnds    = 18
)

// named is a chapter in a message, by the name that people know. Without a name it is the id.
func named(chapter audioprojects.Chapter) string {
	return strconv.Quote(cmp.Or(shownName(chapter), chapter.ChapterID))
}

// identified is a chapter in an error, by its name and its id: somebody must find it at the service, and several may have one name.
func identified(chapter audioprojects.Chapter) string {
	name := shownName(chapter)
	if name == "" || name == chapter.ChapterID {
		return named(chapter)
	}
	return named(chapter) + " (" + shownText(chapter.ChapterID) + ")"
}

func shownName(chapter audioprojects.Chapter) string {
	if chapter.Name == nil {
		return ""
	}
	return shortened(chapter.Name.Line())
}

func shortened(name string) string {
	runes := []rune(name)
	if len(runes) <= longestName {
		return name
	}
	return strings.TrimSpace(string(runes[:nameBegins])) + "…" + strings.TrimSpace(string(runes[len(runes)-nameEnds:]))
}

// columns is how much room a text takes on a terminal.
func columns(text string) (columns int) {
	for _, letter := range text {
		columns++
		kind := width.LookupRune(letter).Kind()
		if kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			columns++
		}
	}
	return columns
}
