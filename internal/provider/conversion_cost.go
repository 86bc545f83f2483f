package provider

import (
	"fmt"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// costLines is a line for each of the first chapters, with the characters that it costs at most, and one for the total.
func costLines(chapters []plannedChapter) (lines string) {
	line := func(what string, chapters ...plannedChapter) {
		number := "?"
		total, counted := totalOf(chapters)
		if counted {
			number = say.Grouped(total)
		}
		lines += fmt.Sprintf("\n%12s  %s", number, what)
	}
	named := min(say.MostNamed, len(chapters))
	for _, chapter := range chapters[:named] {
		what := chapter.Name
		if chapter.Cause != "" {
			what += ", " + chapter.Cause
		}
		line(what, chapter)
	}
	more := chapters[named:]
	if len(more) > 0 {
		line("in "+say.CountOf(len(more), "more chapter"), more...)
	}
	if len(chapters) > 1 {
		line("in total", chapters...)
	}
	return lines
}

// totalOf is how many characters the chapters may cost together, without those that the service does not count.
func totalOf(chapters []plannedChapter) (total int64, counted bool) {
	counted = true
	for _, chapter := range chapters {
		if chapter.Characters == nil {
			counted = false
			continue
		}
		total = conversion.Sum(total, *chapter.Characters)
	}
	return total, counted
}

// totalText is how many chapters there are, and how many characters they may cost together.
func totalText(chapters []plannedChapter) string {
	total, counted := totalOf(chapters)
	if !counted {
		return say.CountOf(len(chapters), "chapter") + ", not all of them counted"
	}
	return say.CountOf(len(chapters), "chapter") + ", " + say.CountOf(total, "character") + " at most"
}
