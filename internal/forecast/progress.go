package forecast

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

const (
	// maxInterval is the longest time without a line, and minInterval the shortest between two. A new state is reported at once.
	maxInterval, minInterval = 30 * time.Second, 2 * time.Second
	// lineBuffer is how many lines are kept while Terraform does not receive them. Further lines are dropped.
	lineBuffer = 16
	// lastLinesTimeout is how long finish waits until Terraform has received the last lines.
	lastLinesTimeout = time.Second
)

// progressReporter says how far the wait is: for a chapter when its state is new and at every further tenth, for a project at every
// further tenth of its chapters, and at least every 30 s. It says so in the log, and of an action on the screen, too.
//
// To send a line to Terraform blocks until Terraform has handled the one before, and for ever if Terraform has ended. So a goroutine
// sends the lines, and only finish waits for it, for a limited time.
type progressReporter struct {
	Scope
	held    func() (until time.Time, refusal error) // why requests wait now; nil if they do not
	logging context.Context                         // of the request, with its logger
	began   time.Time
	lines   chan string
	allSent chan struct{} // closed when Terraform has received all lines

	mu       sync.Mutex
	repeat   *time.Timer // runs for maxInterval after each line
	saidAt   time.Time   // when the latest line was sent
	said     stage       // that it was about
	finished bool
	latest   conversion.Outcome                  // of a chapter
	chapters map[string]conversion.ChapterStatus // of a project; nil before they are listed
}

// stage is what a line is about. A new state is said at once, and a new tenth or problem not before minInterval.
type stage struct {
	state      string
	tenth      int
	hasProblem bool // the latest request failed, or the service takes no more
}

func newProgressReporter(ctx context.Context, s Scope, send func(line string), held func() (time.Time, error)) *progressReporter {
	r := &progressReporter{Scope: s, held: held, logging: ctx, began: time.Now(), lines: make(chan string, lineBuffer), allSent: make(chan struct{})}
	go func() {
		defer close(r.allSent)
		for line := range r.lines {
			if send != nil {
				send(line)
			}
		}
	}()
	r.mu.Lock() // say reads r.repeat.
	defer r.mu.Unlock()
	r.repeat = time.AfterFunc(maxInterval, func() { r.note(func() { r.saidAt = time.Time{} }) })
	return r
}

// observe notes how far a chapter is, and observeProject how far the chapters of a project are.
func (r *progressReporter) observe(now conversion.Outcome) { r.note(func() { r.latest = now }) }

func (r *progressReporter) observeProject(chapters ...conversion.ChapterStatus) {
	r.note(func() {
		if r.chapters == nil {
			r.chapters = map[string]conversion.ChapterStatus{}
		}
		for _, chapter := range chapters {
			r.chapters[chapter.Desired.ChapterID] = chapter
		}
	})
}

// note changes what is known, and says it if it is new.
func (r *progressReporter) note(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	stage, line := r.chapterLine()
	if !r.SingleChapter {
		stage, line = r.projectLine()
	}
	isNew, isSilent := stage.state != r.said.state, r.saidAt.IsZero() && time.Since(r.began) >= maxInterval
	isDue := isNew || isSilent || stage != r.said && time.Since(r.saidAt) >= minInterval
	// Of an action that sends a line after an interruption, Terraform shows no error.
	isOver := r.finished || r.logging.Err() != nil
	if isDue && !isOver {
		r.say(line + r.whyHeld() + ", " + time.Since(r.began).Round(time.Second).String())
		r.said = stage
	}
}

// whyHeld says at the end of a line why requests wait now; empty if they do not, or not for long.
func (r *progressReporter) whyHeld() string {
	const long = time.Second
	until, refusal := r.held()
	left := time.Until(until)
	if refusal == nil || left < long {
		return ""
	}
	return fmt.Sprintf("; the service limits requests (%s), and the next one is sent in %s", statusOf(refusal), left.Round(time.Second))
}

// statusOf is the status with which the service has refused a request.
func statusOf(refusal error) string {
	refused := new(audioprojects.Error)
	errors.As(refusal, &refused)
	return fmt.Sprintf("%d %s", refused.Status, http.StatusText(refused.Status))
}

// say sends a line. It needs r.mu.
func (r *progressReporter) say(what string) {
	tflog.Info(r.logging, "Waiting for conversions", map[string]any{"of": r.Label, "progress": what})
	if r.SingleChapter {
		what = "Chapter " + say.Identified(audioprojects.Chapter{ChapterID: r.Template.ChapterID, Name: r.latest.Chapter.Name}) + ": " + what
	}
	select {
	case r.lines <- what:
	default: // Terraform does not receive lines any more.
	}
	r.saidAt = time.Now()
	r.repeat.Reset(maxInterval)
}

// finish says a last line, and waits until Terraform has received all lines. Nothing may be said after it.
func (r *progressReporter) finish(result Result) {
	isConverted := result.SingleChapter && result.ends[0].Err == nil
	if isConverted || !result.SingleChapter {
		r.note(func() {
			r.saidAt = r.saidAt.Add(-minInterval)
			if isConverted {
				r.latest = result.ends[0].Outcome
			}
		})
	}
	r.mu.Lock()
	r.finished = true
	r.repeat.Stop()
	r.mu.Unlock()
	close(r.lines)
	select {
	case <-r.allSent:
	case <-time.After(lastLinesTimeout):
	}
}

// chapterLine says how far a chapter is.
func (r *progressReporter) chapterLine() (stage, string) {
	now, chapter, at := r.latest, r.latest.Chapter, r.said
	line, pending, isNews := "waiting for a sign of the conversion, state "+stateOf(chapter), now.Pending, true
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
		line += progressText(chapter)
	}
	return at, line + unseen(now.ListedAt, now.Problem)
}

// projectLine says how far a project is. Chapters that need no conversion do not count.
func (r *progressReporter) projectLine() (stage, string) {
	var all, converted, converting, failed, waiting int
	var refusal error                   // of those that wait
	var latest conversion.ChapterStatus // of those that are converting, the one that was listed last
	for _, chapter := range r.chapters {
		isSettled := chapter.Ended && !chapter.Begun && chapter.Err == nil
		if isSettled {
			continue
		}
		all++
		switch {
		case chapter.Ended && chapter.Err == nil:
			converted++
		case chapter.Ended && !interrupted(chapter.Err):
			failed++
		case chapter.Begun && errors.Is(chapter.Postponed, audioprojects.AtCapacity):
			waiting++
			refusal = chapter.Postponed
		case chapter.Begun: // Also what an interruption has left.
			converting++
			if !chapter.ListedAt.Before(latest.ListedAt) {
				latest = chapter
			}
		}
	}
	switch {
	case r.chapters == nil:
		return r.said, "Chapters not listed yet"
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

// progressText is a chapter's progress in a message; empty if it is not known.
func progressText(chapter audioprojects.Chapter) string {
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
