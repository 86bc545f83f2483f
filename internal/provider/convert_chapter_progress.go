package provider

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

const (
	// longestSilence is how long a person is left without a line.
	longestSilence = 30 * time.Second
	// shortestPause lies between two lines that tell of nothing but progress.
	shortestPause = 2 * time.Second
	// lineBuffer is how many lines are kept for a Terraform that takes none.
	lineBuffer = 16
	// lastLinesTimeout is how long the last lines wait to be taken.
	lastLinesTimeout = 5 * time.Second
	// interruptedLinesTimeout is how long they do when Terraform wants to stop.
	interruptedLinesTimeout = 100 * time.Millisecond
)

// announcer tells of a wait, line by line. Terraform takes a line when it has dealt with
// the one before, and a Terraform that has gone takes none: the lines leave in a goroutine
// of their own, and nobody waits for it but the end, for a while.
type announcer struct {
	chapterID string
	began     time.Time
	lines     chan string
	taken     chan struct{} // closed when all lines have been taken

	mu       sync.Mutex
	silence  *time.Timer
	finished bool
	latest   conversion.Progress
	saidAt   time.Time
	saidOf   conversion.Progress // what the latest line told
}

func newAnnouncer(chapterID string, send func(line string)) *announcer {
	a := &announcer{chapterID: chapterID, began: time.Now(), lines: make(chan string, lineBuffer), taken: make(chan struct{})}
	a.silence = time.AfterFunc(longestSilence, a.breakSilence)
	go func() {
		defer close(a.taken)
		for line := range a.lines {
			send(line)
		}
	}()
	return a
}

// observe takes in a moment of the wait, and says what is new.
func (a *announcer) observe(now conversion.Progress) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.latest = now
	busy, told := conversion.Busy(now.Chapter), a.saidOf
	switch {
	case now.Requested && !told.Requested && now.Unconfirmed:
		a.say("conversion requested, but no clear answer has come: watching for it")
	case now.Requested && !told.Requested:
		a.say("conversion requested")
	case now.Joined && !told.Joined && busy:
		a.say("joined a conversion that was already running, requested none" + progressOf(now.Chapter))
	case !now.Requested && !now.Joined && now.Problem == nil:
		// The look that decides which of them it will be.
	case busy && stateOf(now.Chapter) != stateOf(told.Chapter):
		a.say(a.standing())
	case time.Since(a.saidAt) < shortestPause:
	case busy && tenth(now.Chapter) > tenth(told.Chapter), now.Problem != nil && told.Problem == nil:
		a.say(a.standing())
	}
}

func (a *announcer) breakSilence() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.say(a.standing())
}

// finish says the last line, if the chapter has been converted, and waits until the lines
// have been taken: but not for long, least of all for a Terraform that wants to stop.
func (a *announcer) finish(ctx context.Context, err error) {
	a.mu.Lock()
	if err == nil {
		a.say("converted" + figuresOf(a.latest.Chapter) + a.waited())
	}
	a.finished = true
	a.silence.Stop()
	close(a.lines)
	a.mu.Unlock()

	enough := time.After(lastLinesTimeout)
	select {
	case <-a.taken:
		return
	case <-ctx.Done():
		enough = time.After(interruptedLinesTimeout)
	case <-enough:
		return
	}
	select {
	case <-a.taken:
	case <-enough:
	}
}

// say needs a.mu.
func (a *announcer) say(what string) {
	if a.finished {
		return
	}
	select {
	case a.lines <- a.subject() + ": " + what:
	default: // nobody takes them
	}
	a.saidAt, a.saidOf = time.Now(), a.latest
	a.silence.Reset(longestSilence)
}

// subject is the chapter as a person knows it: by its number and name.
func (a *announcer) subject() string {
	if a.latest.Number == 0 {
		return fmt.Sprintf("Chapter %q", a.chapterID)
	}
	if a.latest.Chapter.Name == nil {
		return fmt.Sprintf("Chapter %d", a.latest.Number)
	}
	return fmt.Sprintf("Chapter %d “%s”", a.latest.Number, a.latest.Chapter.Name.Line())
}

// standing says how far the wait has come.
func (a *announcer) standing() string {
	var line string
	switch chapter := a.latest.Chapter; {
	case a.latest.Number == 0:
		line = "not seen yet"
	case conversion.Busy(chapter):
		line = stateOf(chapter) + progressOf(chapter)
	case !a.latest.Requested && !a.latest.Joined:
		line = "no conversion requested yet, state " + stateOf(chapter)
	default:
		line = "waiting for a sign of the conversion, state " + stateOf(chapter)
	}
	line += a.waited()
	if a.latest.Problem != nil {
		line += "; the service could not be asked: " + a.latest.Problem.Error()
	}
	return line
}

func (a *announcer) waited() string { return ", " + time.Since(a.began).Round(time.Second).String() }

func stateOf(chapter audioprojects.Chapter) string {
	if chapter.State == nil {
		return "unknown"
	}
	return chapter.State.Line()
}

func progressOf(chapter audioprojects.Chapter) string {
	if chapter.ConversionProgress == nil {
		return ""
	}
	return fmt.Sprintf(", progress %v", *chapter.ConversionProgress)
}

// tenth is the tenth of the conversion that is done. The document calls the progress an
// integer (section 2.3), which makes it one of 100.
func tenth(chapter audioprojects.Chapter) int {
	if chapter.ConversionProgress == nil {
		return 0
	}
	return int(*chapter.ConversionProgress / 10)
}

// figuresOf is how much of the chapter there is audio for.
func figuresOf(chapter audioprojects.Chapter) string {
	if chapter.Statistics == nil {
		return ""
	}
	return counted(chapter.Statistics.CharactersConverted, "character") + counted(chapter.Statistics.ParagraphsConverted, "paragraph")
}

func counted(count *audioprojects.Integer, unit string) string {
	switch {
	case count == nil:
		return ""
	case *count == 1:
		return ", 1 " + unit
	default:
		return fmt.Sprintf(", %d %ss", *count, unit)
	}
}
