package forecast

import (
	"fmt"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// PlannedChapter is a chapter about which an apply does something: the engine's verdict, as the resource remembers it. A refresh notes it, and
// a plan goes by these notes: it counts and shows them, and saves whether the apply converts ([ResourceMemory.Converts]). The update obeys that.
type PlannedChapter struct {
	ChapterID string        `json:"chapter_id"`
	Name      string        `json:"name"` // as messages name it, with the id, which is what one must type to leave the chapter out, or to import it
	Action    plannedAction `json:"action"`
	// Characters are the most that the conversion which is requested, or may be, can cost; null if the service does not count them.
	Characters *int64 `json:"characters,omitempty"`
	// Why says what the apply does; empty if that is the usual.
	Why string `json:"why,omitempty"`
}

// plannedAction is a [conversion.Action] in the private state.
type plannedAction conversion.Action

// UnmarshalText takes a word that a newer version has noted for a request, which costs the most.
func (a *plannedAction) UnmarshalText(word []byte) error {
	*a = plannedAction(word)
	if inPlan[a.action()] == "" {
		*a = plannedAction(conversion.Requests)
	}
	return nil
}

func (a plannedAction) action() conversion.Action { return conversion.Action(a) }

// planned is the verdict on a chapter, in words.
func (s Scope) planned(name string, chapter conversion.ChapterStatus) PlannedChapter {
	verdict := chapter.Verdict
	planned := PlannedChapter{ChapterID: chapter.Desired.ChapterID, Name: name, Action: plannedAction(verdict.Action), Characters: verdict.Characters}
	left, counted := chapter.Chapter.Statistics.Unconverted()
	isRetriggered := s.Template.Known && !s.Template.UpToDate
	words := failureOf(chapter.Pending)
	isForTime := s.Template.ConvertedAfter != nil && counted && left == 0
	isDoubtful := !s.isOutdated(chapter.Chapter)
	switch {
	case verdict.Action == conversion.RequestsAgain && words != "":
		planned.Why = "The last conversion failed, and applying requests another. " + errorMessage + say.Quoted(words)
	case verdict.Action != conversion.Requests:
	case s.Adoptable && counted && left == 0:
		planned.Why = "The chapter has no unconverted text, and applying converts it again. To avoid the cost, adopt it with `keep_up_to_date = true`, or import it."
	case s.SingleChapter && isRetriggered:
		planned.Why = "The `triggers` changed, so applying converts the chapter again, which costs at most:"
	case chapter.Desired.IsTooEarly(chapter.Pending):
		planned.Why = "A conversion was requested before `converted_after`. Applying waits for it, and converts these chapters again, which costs at most:"
	case isForTime && isDoubtful:
		planned.Why = "The last conversion is not older than `converted_after`, and an error message says, or said, that it may have failed, " +
			"so applying converts these chapters again, which costs at most:"
	case isForTime:
		planned.Why = "The last conversion is older than `converted_after`, so applying converts these chapters again, which costs at most:"
	case !s.SingleChapter && !s.Template.UpToDate && !s.Template.AnyTime && counted && left == 0:
		planned.Why = "`all` converts chapters without unconverted text again, which costs at most:"
	}
	return planned
}

// failureOf is the error message of a conversion that failed; empty if there is none.
func failureOf(pending *conversion.ResumeToken) string {
	if pending == nil || pending.Failure == nil {
		return ""
	}
	return pending.Failure.Line()
}

// costLines is a line for each of the first chapters, with the characters that it costs at most, and one for the total.
func costLines(chapters []PlannedChapter) (lines string) {
	line := func(what string, chapters ...PlannedChapter) {
		number := "?"
		total, counted := totalOf(chapters)
		if counted {
			number = say.Number(total)
		}
		lines += fmt.Sprintf("\n%12s  %s", number, what)
	}
	named := min(say.MostNamed, len(chapters))
	for _, chapter := range chapters[:named] {
		line(chapter.Name, chapter)
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
	return costText(len(chapters), total, counted)
}

func costText(chapters int, most int64, counted bool) string {
	if !counted {
		return say.CountOf(chapters, "chapter") + ", not all of them counted"
	}
	return say.CountOf(chapters, "chapter") + ", " + say.CountOf(most, "character") + " at most"
}
