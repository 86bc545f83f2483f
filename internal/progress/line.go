package progress

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// chapterLine says how far a chapter is.
func (r *Reporter) chapterLine() (stage, string) {
	now, chapter, at := r.latest, r.latest.Chapter, r.said
	line, pending, isNews := "waiting for a sign of the conversion, state "+stateOf(chapter), now.Memory.Pending, true
	switch {
	case now.Decision.Reason == conversion.InTurn:
		line = "waiting for another resource that is about this chapter"
	case chapter.ChapterID == "":
		line, isNews = "not read yet", false
	case now.Decision.Step == conversion.Done && (now.HasRequested() || now.WaitedFor):
		line = "converted" + figures(chapter)
	case now.Decision.Step == conversion.Done:
		line = "no unconverted text, requested none" + figures(chapter)
	case chapter.Busy() && now.WaitedFor && pending != nil && pending.Joined():
		line = "joined a conversion that was already running, " + stateOf(chapter)
	case chapter.Busy():
		line = stateOf(chapter)
	case pending != nil && pending.Phase == conversion.PhaseRunning:
		line = "ended, checking the result"
	case !now.HasRequested() && !now.WaitedFor && errors.Is(now.Postponed, audioprojects.AtCapacity):
		line = "waiting, because the service runs no more conversions at a time (" + statusOf(now.Postponed) + ")"
	case !now.HasRequested() && !now.WaitedFor:
		line, isNews = "no conversion requested yet, state "+stateOf(chapter), false
	case now.HasRequested() && pending != nil && pending.Phase == conversion.PhaseUnconfirmed:
		line = "conversion requested, no clear answer, watching for a sign of it"
	case now.HasRequested() && pending != nil && pending.Phase == conversion.PhaseAccepted:
		line = "conversion requested, not shown yet"
	}
	if isNews {
		at.state = line
	}
	at.hasProblem = now.Problem != nil
	if chapter.Busy() {
		percent, _ := percentOf(chapter)
		at.tenth = percent / 10
		line += Percent(chapter)
	}
	return at, line + unseen(now.ListedAt, now.Problem)
}

// projectLine says how far a project is. Chapters that need no conversion do not count.
func (r *Reporter) projectLine() (stage, string) {
	var all, converted, converting, failed, waiting, left int
	var refusal error                   // of those that wait
	var latest conversion.ChapterStatus // of those that are converting, the one that was listed last
	for _, chapter := range r.chapters {
		isSettled, isLeft := chapter.Ended && !chapter.Begun && chapter.Err == nil, conversion.IsBeyondPlan(chapter.Err)
		switch {
		case isLeft:
			left++
			continue
		case isSettled:
			continue
		}
		all++
		switch {
		case chapter.Ended && chapter.Err == nil:
			converted++
		case chapter.Ended && !conversion.IsInterrupted(chapter.Err) && !conversion.IsOutOfTime(chapter.Err):
			failed++
		case chapter.Begun && errors.Is(chapter.Postponed, audioprojects.AtCapacity):
			waiting++
			refusal = chapter.Postponed
		case chapter.Begun: // Also what an interruption or a timeout has left.
			converting++
			if !chapter.ListedAt.Before(latest.ListedAt) {
				latest = chapter
			}
		}
	}
	switch {
	case r.chapters == nil:
		return r.said, "Chapters not listed yet"
	case all == 0 && left > 0:
		return stage{state: "settled"}, say.CountOf(left, "chapter") + " left for later"
	case all == 0:
		return stage{state: "settled"}, "No unconverted text in " + say.CountOf(len(r.chapters), "chapter")
	}
	parts := []string{fmt.Sprintf("%d of %s converted", converted, say.CountOf(all, "chapter")), fmt.Sprintf("%d converting", converting)}
	if waiting > 0 {
		parts = append(parts, fmt.Sprintf("%d waiting, because the service runs no more at a time (%s)", waiting, statusOf(refusal)))
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", failed))
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("%d left for later", left))
	}
	at := stage{state: "listed", tenth: 10 * (converted + failed) / all, hasProblem: waiting > 0}
	if converting > 0 {
		at.state = "begun"
	}
	return at, strings.Join(parts, ", ") + unseen(latest.ListedAt, latest.Problem)
}

// unseen says at the end of a line that what it says may be old; empty if it is not.
func unseen(listedAt time.Time, problem error) (says string) {
	if !listedAt.IsZero() && time.Since(listedAt) >= maxInterval {
		says = "; no list of the chapters has come for " + time.Since(listedAt).Round(time.Second).String()
	}
	if problem != nil {
		says += "; the latest request failed: " + problem.Error()
	}
	return says
}

// figures are how many characters a chapter has converted, where the service counts them.
func figures(chapter audioprojects.Chapter) string {
	if chapter.Statistics == nil || chapter.Statistics.CharactersConverted == nil {
		return ""
	}
	return ", " + say.CountOf(*chapter.Statistics.CharactersConverted, "character")
}

// Percent is a chapter's progress in a message, after a comma; empty if it is not known.
func Percent(chapter audioprojects.Chapter) string {
	percent, known := percentOf(chapter)
	if !known {
		return ""
	}
	return fmt.Sprintf(", %d %%", percent)
}

// percentOf is a chapter's progress from 0 to 100, rounded down. The document does not say what the number means (section 2.3): less than 1
// is taken for a fraction.
func percentOf(chapter audioprojects.Chapter) (percent int, known bool) {
	if chapter.ConversionProgress.Value == nil {
		return 0, false
	}
	progress := *chapter.ConversionProgress.Value
	if progress < 1 {
		progress *= 100
	}
	const rounding = 1e-9 // 0.29 * 100 is a little less than 29
	return int(math.Floor(min(max(progress, 0), 100) + rounding)), true
}

func stateOf(chapter audioprojects.Chapter) string {
	if chapter.State == nil {
		return "unknown"
	}
	return chapter.State.Line()
}
