package forecast

import (
	"context"
	"fmt"
	"math"
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
// further tenth of its chapters and when some have failed, and at least every 30 s. It says so in the log, and of an action on the screen, too.
//
// To send a line to Terraform blocks until Terraform has handled the one before, and for ever if Terraform has ended. So a goroutine
// sends the lines, and only finish waits for it, for a limited time.
type progressReporter struct {
	Scope
	logging context.Context // of the request, with its logger
	began   time.Time
	lines   chan string
	allSent chan struct{} // closed when Terraform has received all lines

	mu       sync.Mutex
	repeat   *time.Timer // runs for maxInterval after each line about the whole
	finished bool
	lineAt   time.Time // when the latest such line was sent
	tenth    int       // of the work, that it was about

	latest, reported conversion.Outcome // of a chapter: now, and in the latest line

	chapters map[string]conversion.ChapterStatus // of a project; nil before they are listed
	toldAt   time.Time                           // when failures and tenths were last looked for
	failures say.Groups[string]                  // that have not been said yet
	left     []string                            // under way by an interruption, which has not been said yet
}

func newProgressReporter(ctx context.Context, s Scope, send func(line string)) *progressReporter {
	r := &progressReporter{Scope: s, logging: ctx, began: time.Now(), lines: make(chan string, lineBuffer), allSent: make(chan struct{})}
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
	r.repeat = time.AfterFunc(maxInterval, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.say(r.status())
	})
	return r
}

// say sends a line about the whole. It needs r.mu.
func (r *progressReporter) say(what string) {
	if r.finished {
		return
	}
	tflog.Info(r.logging, "Waiting for conversions", map[string]any{"of": r.Thing, "progress": what})
	if r.SingleChapter {
		what = "Chapter " + say.Identified(audioprojects.Chapter{ChapterID: r.Template.ChapterID, Name: r.latest.Chapter.Name}) + ": " + what
	}
	r.send(what)
	r.lineAt, r.reported, r.tenth = time.Now(), r.latest, r.tenths()
	r.repeat.Reset(maxInterval)
}

func (r *progressReporter) send(line string) {
	select {
	case r.lines <- line:
	default: // Terraform does not receive lines any more.
	}
}

// finish says a last line, and waits until Terraform has received all lines. Nothing may be said after it.
func (r *progressReporter) finish(result Result) {
	r.mu.Lock()
	switch {
	case r.chapters != nil:
		r.tellProject()
	case result.SingleChapter && result.ends[0].Err == nil && !result.ends[0].waitsFor():
		r.say(lastLine(result.ends[0], time.Since(r.began)))
	}
	r.finished = true
	r.repeat.Stop()
	r.mu.Unlock()
	close(r.lines)
	select {
	case <-r.allSent:
	case <-time.After(lastLinesTimeout):
	}
}

// lastLine says that a chapter is converted.
func lastLine(end ending, took time.Duration) string {
	figures := ""
	counts := end.Chapter.Statistics
	if counts != nil && counts.CharactersConverted != nil {
		figures = ", " + say.CountOf(*counts.CharactersConverted, "character")
	}
	if end.Decision.Reason == conversion.NothingLeft {
		return "no unconverted text, requested none" + figures
	}
	return "converted" + figures + ", " + rounded(took)
}

// observe compares a chapter with the latest line, and sends a line if something is new.
func (r *progressReporter) observe(now conversion.Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.reported
	r.latest = now
	began := howItBegan(now, before)
	isOther := now.Chapter.Busy() && stateOf(now.Chapter) != stateOf(before.Chapter)
	isFurther := now.Chapter.Busy() && r.tenths() > r.tenth || now.Problem != nil && before.Problem == nil
	switch {
	case began != "" && now.WaitedFor:
		r.say(began + progressText(now.Chapter))
	case began != "":
		r.say(began)
	case !now.Requested && !now.WaitedFor && now.Problem == nil:
		// The engine has read the chapter for the first time, and will now request or join a conversion.
	case isOther, isFurther && time.Since(r.lineAt) >= minInterval:
		r.say(r.status())
	}
}

// observeProject notes how far chapters are, and says what is new, but not too often.
func (r *progressReporter) observeProject(chapters ...conversion.ChapterStatus) {
	r.mu.Lock()
	defer r.mu.Unlock()
	isFirst := r.chapters == nil
	if isFirst {
		r.chapters = map[string]conversion.ChapterStatus{}
	}
	for _, now := range chapters {
		r.chapters[now.Desired.ChapterID] = now
		name := say.Named(now.Chapter)
		switch {
		case !now.Ended || now.Err == nil:
		case interrupted(now.Err) && now.Pending != nil:
			r.left = append(r.left, name)
		case !interrupted(now.Err):
			r.failures.Add(withoutChapter(now.Err.Error(), now.Desired.ChapterID), "", say.Identified(now.Chapter))
		}
	}
	if isFirst {
		r.say(r.status())
	}
	if time.Since(r.toldAt) >= minInterval {
		r.tellProject()
	}
}

// tellProject says what has failed, and how far the whole is if that is a further tenth.
func (r *progressReporter) tellProject() {
	r.toldAt = time.Now()
	if len(r.left) > 0 {
		// Of an action that is interrupted, Terraform shows nothing but its lines. Nothing is counted after that.
		r.finished = true
		r.send(interruptedLine(r.left))
	}
	for _, group := range r.failures {
		r.send("Failed: " + say.FirstOf(group.Chapters) + ": " + say.ShownText(group.Says))
	}
	r.left, r.failures = nil, nil
	if r.tenths() != r.tenth {
		r.say(r.status())
	}
}

// tenths are how much of the work is done: of a chapter's conversion, or of a project's chapters that need one.
func (r *progressReporter) tenths() int {
	if r.SingleChapter {
		percent, _ := percentOf(r.latest.Chapter)
		return percent / 10
	}
	n := r.counts()
	if n.all == 0 {
		return 0
	}
	return 10 * (n.converted + n.failed) / n.all
}

// counts are the chapters of a project that need a conversion.
type counts struct {
	all, converted, converting, failed int
	problem                            error     // why the latest look at one of them failed
	listedAt                           time.Time // when a list last came that has shown one of them
}

func (r *progressReporter) counts() (n counts) {
	for _, chapter := range r.chapters {
		isSettled := chapter.Ended && !chapter.Begun && chapter.Err == nil
		if isSettled {
			continue
		}
		n.all++
		switch {
		case chapter.Ended && chapter.Err != nil:
			n.failed++
		case chapter.Ended:
			n.converted++
		case chapter.Begun:
			n.converting++
			if !chapter.ListedAt.Before(n.listedAt) {
				n.listedAt, n.problem = chapter.ListedAt, chapter.Problem
			}
		}
	}
	return n
}

// status says how far the wait is.
func (r *progressReporter) status() string {
	waited := rounded(time.Since(r.began))
	if r.SingleChapter {
		return whatIsAwaited(r.latest, progressText(r.latest.Chapter)) + ", " + waited + unseen(r.latest.ListedAt, r.latest.Problem)
	}
	n := r.counts()
	switch {
	case r.chapters == nil:
		return "Chapters not listed yet, " + waited
	case n.all == 0:
		return "No unconverted text in " + say.CountOf(len(r.chapters), "chapter")
	}
	parts := []string{fmt.Sprintf("%d of %s converted", n.converted, say.CountOf(n.all, "chapter")), fmt.Sprintf("%d converting", n.converting)}
	if n.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", n.failed))
	}
	return strings.Join(append(parts, waited), ", ") + unseen(n.listedAt, n.problem)
}

// unseen says at the end of a line that what it says may be old; empty if it is not.
func unseen(listedAt time.Time, problem error) (says string) {
	if !listedAt.IsZero() && time.Since(listedAt) >= maxInterval {
		says = "; no list of the chapters has come for " + rounded(time.Since(listedAt))
	}
	if problem != nil {
		says += "; the latest request failed: " + problem.Error()
	}
	return says
}

// percentOf is a chapter's progress from 0 to 100, rounded down. The document does not say what the number means (section 2.3): less than 1
// is taken for a fraction.
func percentOf(chapter audioprojects.Chapter) (percent int, known bool) {
	if chapter.ConversionProgress == nil {
		return 0, false
	}
	progress := *chapter.ConversionProgress
	if progress < 1 {
		progress *= 100
	}
	const rounding = 1e-9 // 0.29 * 100 is a little less than 29
	return int(math.Floor(min(max(progress, 0), 100) + rounding)), true
}

// progressText is a chapter's progress in a message; empty if it is not known.
func progressText(chapter audioprojects.Chapter) string {
	percent, known := percentOf(chapter)
	if !known {
		return ""
	}
	return fmt.Sprintf(", %d %%", percent)
}

func rounded(waited time.Duration) string { return waited.Round(time.Second).String() }
