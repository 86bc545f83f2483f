// Package progress says how far a wait for conversions is: in the log, and of an action on the screen, too.
package progress

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

// Reporter says how far the wait is: for a chapter when its state is new and at every further tenth, for a project at every further tenth of
// its chapters, and at least every 30 s.
//
// To send a line to Terraform blocks until Terraform has handled the one before, and for ever if Terraform has ended. So a goroutine
// sends the lines, and only finish waits for it, for a limited time.
type Reporter struct {
	about   Subject
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

// Subject is what is waited for.
type Subject struct {
	// Label names it in the log.
	Label string
	// ChapterID is that of a single chapter; empty for a project.
	ChapterID string
}

// NewReporter returns a reporter that sends its lines, unless send is nil. held tells why requests wait now.
func NewReporter(ctx context.Context, about Subject, send func(line string), held func() (time.Time, error)) *Reporter {
	r := &Reporter{about: about, held: held, logging: ctx, began: time.Now(), lines: make(chan string, lineBuffer), allSent: make(chan struct{})}
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
	r.repeat = time.AfterFunc(maxInterval, func() { r.update(func() { r.saidAt = time.Time{} }) })
	return r
}

// Chapter tells how far the chapter is.
func (r *Reporter) Chapter(now conversion.Outcome) { r.update(func() { r.latest = now }) }

// Project tells how far chapters of the project are.
func (r *Reporter) Project(chapters ...conversion.ChapterStatus) {
	r.update(func() {
		if r.chapters == nil {
			r.chapters = map[string]conversion.ChapterStatus{}
		}
		for _, chapter := range chapters {
			r.chapters[chapter.Desired.ChapterID] = chapter
		}
	})
}

// update changes what is known, and says it if it is new.
func (r *Reporter) update(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	stage, line := r.chapterLine()
	if !r.isOfChapter() {
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
func (r *Reporter) whyHeld() string {
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
func (r *Reporter) say(what string) {
	tflog.Info(r.logging, "Waiting for conversions", map[string]any{"of": r.about.Label, "progress": what})
	if r.isOfChapter() {
		what = "Chapter " + say.Identified(audioprojects.Chapter{ChapterID: r.about.ChapterID, Name: r.latest.Chapter.Name}) + ": " + what
	}
	select {
	case r.lines <- what:
	default: // Terraform does not receive lines any more.
	}
	r.saidAt = time.Now()
	r.repeat.Reset(maxInterval)
}

// Finish says a last line, and waits until Terraform has received all lines. converted is how the chapter has ended; nil if it is not converted.
// Nothing may be said after it.
func (r *Reporter) Finish(converted *conversion.Outcome) {
	if converted != nil || !r.isOfChapter() {
		r.update(func() {
			r.saidAt = r.saidAt.Add(-minInterval)
			if converted != nil {
				r.latest = *converted
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

func (r *Reporter) isOfChapter() bool { return r.about.ChapterID != "" }
