package forecast

import (
	"fmt"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// need is what an apply does about a chapter.
type need string

const (
	needsNothing    need = "nothing"
	needsConversion need = "conversion" // It requests one, after the end of another if that is pending.
	needsWait       need = "wait"       // It records the end of a conversion, and requests none.
	needsWaitFirst  need = "wait first" // It waits for a conversion, and may request another after that: it may have failed before the apply.
	isUnreadable    need = "unreadable" // It requests nothing, and ends in an error.
)

// costs reports whether the apply requests a conversion, or may request one.
func (n need) costs() bool { return n != needsNothing && n != needsWait && n != isUnreadable }

// PlannedChapter is a chapter that needs something, in the notes of a refresh and in an estimate.
type PlannedChapter struct {
	ChapterID string `json:"chapter_id"`
	Name      string `json:"name"` // as messages name it
	Need      need   `json:"need"`
	// Characters are the most that the conversion which is requested, or may be, can cost; null if the service does not count them.
	Characters *int64 `json:"characters,omitempty"`
	// Why says what the apply does; empty if that is the usual.
	Why string `json:"why,omitempty"`
	// Cause is why text is to be converted; empty if that is not the reason.
	Cause string `json:"cause,omitempty"`
	// Unread is why the chapter cannot be read; empty if it can.
	Unread string `json:"unread,omitempty"`
	// resource tells apart the resources of a plan whose chapters are not known yet; 0 if the chapter is.
	resource int64
}

// costLines is a line for each of the first chapters, with the characters that it costs at most, and one for the total.
func costLines(chapters []PlannedChapter) (lines string) {
	line := func(what string, chapters ...PlannedChapter) {
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
func totalOf(chapters []PlannedChapter) (total int64, counted bool) {
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
func totalText(chapters []PlannedChapter) string {
	total, counted := totalOf(chapters)
	if !counted {
		return say.CountOf(len(chapters), "chapter") + ", not all of them counted"
	}
	return say.CountOf(len(chapters), "chapter") + ", " + say.CountOf(total, "character") + " at most"
}
