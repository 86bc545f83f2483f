package forecast

import (
	"fmt"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// PlannedChapter is a chapter about which an apply does something: the engine's verdict, as the resource remembers it. A refresh notes it, and
// a plan goes by these notes: it counts and shows them, and saves whether the apply converts ([ResourceMemory.Converts]). The update obeys that.
type PlannedChapter struct {
	ChapterID string `json:"chapter_id"`
	Name      string `json:"name"` // as messages name it, with the id, which is what one must type to leave the chapter out, or to import it
	// Action and Reason are those of the verdict. What a newer version has noted counts as a request, which costs the
	// most.
	Action conversion.Action `json:"action"`
	Reason conversion.Reason `json:"reason,omitempty"`
	// Words are the service's message about the conversion that failed before; empty if there is none.
	Words string `json:"words,omitempty"`
	// Characters are the most that the conversion which is requested, or may be, can cost; null if the service does not count them.
	Characters *int64 `json:"characters,omitempty"`
	// ForText and Whole are the other numbers of the verdict: the arguments may want something else in the next plan.
	ForText *int64 `json:"for_text,omitempty"`
	Whole   *int64 `json:"whole,omitempty"`
	// IsNewer: it is named for changed triggers, and its date is newer than all that the last apply has seen.
	IsNewer bool `json:"is_newer,omitempty"`
}

// onlyWaits reports whether a conversion is requested only if one that is under way fails, or leaves text.
func (p PlannedChapter) onlyWaits() bool { return p.Action == conversion.Waits }

// planned is the verdict on a chapter, as the resource remembers it.
func (s Scope) planned(name string, chapter conversion.ChapterStatus) PlannedChapter {
	verdict := chapter.Verdict
	planned := PlannedChapter{
		ChapterID: chapter.Desired.ChapterID, Name: name, Action: verdict.Action, Reason: verdict.Reason,
		Characters: verdict.Characters, ForText: verdict.ForText, Whole: verdict.Whole,
	}
	pending, newest := chapter.Memory.Pending, s.Memory.NewestDateUnix
	if pending != nil && pending.Failure != nil {
		planned.Words = pending.Failure.Line()
	}
	planned.IsNewer = verdict.Reason == conversion.NewTriggers && newest > 0 && dateOf(chapter.Chapter) > newest
	return planned
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
