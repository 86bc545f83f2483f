package forecast

import (
	"fmt"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// PlannedChapter is a chapter about which an apply does something. A refresh notes it, and a plan goes by these notes: it counts and shows
// them, and saves whether the apply converts ([ResourceMemory.Converts]). The update obeys that.
type PlannedChapter struct {
	ChapterID string   `json:"chapter_id"`
	Name      string   `json:"name"` // as messages name it, with the id, which is what one must type to leave the chapter out, or to import it
	Standing  standing `json:"standing"`
	// Characters are the most that the conversion which is requested, or may be, can cost; null if the service does not count them.
	Characters *int64 `json:"characters,omitempty"`
	// Why says what the apply does; empty if that is the usual.
	Why string `json:"why,omitempty"`
}

// standingOf is what an apply does about a chapter, by what the chapter shows and what the resource remembers of it.
func (s Scope) standingOf(chapter conversion.ChapterStatus, kept conversion.Memory) standing {
	decided, isPending := chapter.Decision, kept.Pending != nil
	hasOtherText := decided.Step == conversion.Done && !isPending // The conversion has ended, and this text was written since.
	hasNoSign := func(p *conversion.ResumeToken) bool { return p != nil && p.Phase == conversion.PhaseNoSign }
	isUnanswered := hasNoSign(kept.Pending) && hasNoSign(chapter.Pending)
	switch {
	case !s.wantsAnything(chapter, kept):
		return settled
	case decided.Step == conversion.Failed, kept.Pending.Failed() && decided.Step == conversion.Request:
		return failedBefore
	case isUnanswered:
		return unknown
	case hasOtherText, chapter.Requests():
		return requests
	default:
		return waits
	}
}

// wantsAnything reports whether the apply does anything about a chapter. For a single chapter that is in the state it does nothing while
// somebody else converts it, and nothing if nobody counts it.
func (s Scope) wantsAnything(chapter conversion.ChapterStatus, kept conversion.Memory) bool {
	left, _ := chapter.Chapter.Statistics.Unconverted()
	isKnown, followsText := s.Template.Known, s.Template.UpToDate
	mustEnd := kept.Pending != nil || followsText && left > 0 && left != kept.Remainder
	wantsNoMore := s.SingleChapter && (followsText || s.OnlyResumes)
	switch {
	case isKnown && mustEnd:
		return true
	case isKnown && wantsNoMore:
		return false
	default:
		return chapter.Decision.Step != conversion.Done
	}
}

// planned is a chapter with its standing, in words.
func (s Scope) planned(chapter conversion.ChapterStatus, kept conversion.Memory, at standing) PlannedChapter {
	desired := chapter.Desired
	desired.Memory = kept
	planned := PlannedChapter{ChapterID: desired.ChapterID, Name: say.Identified(chapter.Chapter), Standing: at}
	left, counted := chapter.Chapter.Statistics.Unconverted()
	isRetriggered := s.Template.Known && !s.Template.UpToDate
	words := failureOf(kept.Pending)
	switch {
	case at == failedBefore && words != "":
		planned.Why = "The last conversion failed, and applying requests another. " + errorMessage + say.Quoted(words)
	case at != requests:
	case s.Adoptable && counted && left == 0:
		planned.Why = "The chapter has no unconverted text, and applying converts it again. To avoid the cost, adopt it with `keep_up_to_date = true`, or import it."
	case isRetriggered:
		planned.Why = "The `triggers` changed, so applying converts the chapter again, which costs at most:"
	}
	planned.Characters = desired.Characters(chapter.Chapter)
	if at == waits || at == unknown {
		planned.Characters = desired.MostCharacters(chapter.Chapter, chapter.Pending)
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

// leftPlanned is what a chapter needs that an apply has not brought to an end, for a plan that does not refresh.
func (r Result) leftPlanned(end ending) PlannedChapter {
	desired := r.Template
	desired.Remainder = end.Remainder
	planned := PlannedChapter{ChapterID: end.Desired.ChapterID, Name: end.name, Standing: requests, Characters: desired.Characters(end.Chapter)}
	switch {
	case end.Pending == nil:
	case end.Pending.Failed():
		planned.Standing = failedBefore
	case end.Pending.Phase == conversion.PhaseNoSign:
		planned.Standing, planned.Characters = unknown, desired.MostCharacters(end.Chapter, end.Pending)
	case end.Requests():
	default:
		planned.Standing, planned.Characters = waits, desired.MostCharacters(end.Chapter, end.Pending)
	}
	return planned
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

// CharactersRequested is how many characters the conversions that the apply has requested may cost together, at most; nil if the service
// does not count one of the chapters. isRequested is false if it has requested none.
func (r Result) CharactersRequested() (most *int64, isRequested bool) {
	var costs []PlannedChapter
	for _, end := range r.ends {
		for _, characters := range end.Requested {
			costs = append(costs, PlannedChapter{Characters: characters})
		}
	}
	total, counted := totalOf(costs)
	if !counted {
		return nil, true
	}
	return &total, len(costs) > 0
}
