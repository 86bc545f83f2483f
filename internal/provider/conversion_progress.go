package provider

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

const (
	// maxInterval is the longest time without a line.
	maxInterval = 30 * time.Second
	// minInterval is the shortest time between two lines about progress. A new state is reported at once.
	minInterval = 2 * time.Second
	// lineBuffer is how many lines are kept while Terraform does not receive them. Further lines are dropped.
	lineBuffer = 16
	// lastLinesTimeout is how long finish waits until Terraform has received the last lines.
	lastLinesTimeout = time.Second
)

// progressReporter says how far the wait is for a chapter: when something is new, and at least every 30 s. Of a project it says that
// at each further tenth of its text, and when chapters have failed.
//
// To send a line to Terraform blocks until Terraform has handled the one before, and for ever if Terraform has ended. So a goroutine
// sends the lines, and only finish waits for it, for a limited time.
type progressReporter struct {
	set
	began   time.Time
	lines   chan string
	allSent chan struct{} // closed when Terraform has received all lines

	mu       sync.Mutex
	repeat   *time.Timer // runs for maxInterval after each line about the whole
	finished bool
	lineAt   time.Time // when the latest such line was sent
	tenth    int       // of the work, that it was about; -1 before the first

	latest   conversion.Outcome // of a chapter
	reported conversion.Outcome // what the latest line was about
	project  conversion.ProjectProgress
	ended    []string // since the latest line about a project
}

func newProgressReporter(s set, send func(line string)) *progressReporter {
	r := &progressReporter{set: s, began: time.Now(), lines: make(chan string, lineBuffer), allSent: make(chan struct{}), tenth: -1}
	go func() {
		defer close(r.allSent)
		for line := range r.lines {
			send(line)
		}
	}()
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
	if r.one {
		what = "Chapter " + identified(audioprojects.Chapter{ChapterID: r.every.ChapterID, Name: r.latest.Chapter.Name}) + ": " + what
	}
	r.send(what)
	r.lineAt, r.reported = time.Now(), r.latest
	r.tenth, r.ended = r.percent()/10, nil
	r.repeat.Reset(maxInterval)
}

func (r *progressReporter) send(line string) {
	select {
	case r.lines <- line:
	default: // Terraform does not receive lines any more.
	}
}

// finish says a last line if a chapter is converted, and waits until Terraform has received all lines. Nothing may be said after it.
func (r *progressReporter) finish(result result) {
	r.mu.Lock()
	if result.one && result.ends[0].Err == nil {
		figures := ""
		if counts := r.latest.Chapter.Statistics; counts != nil && counts.CharactersConverted != nil {
			figures = ", " + countOf(*counts.CharactersConverted, "character")
		}
		last := "converted" + figures + ", " + rounded(time.Since(r.began))
		if result.ends[0].Reason == conversion.NothingLeft {
			last = "nothing left to convert, requested none" + figures
		}
		r.say(last)
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

// observe compares the wait with the latest line, and sends a line if something is new.
func (r *progressReporter) observe(now conversion.Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest = now
	busy, before := now.Chapter.Busy(), r.reported
	switch {
	case now.Requested && !before.Requested && now.Unconfirmed():
		r.say("conversion requested, but no clear answer has come: watching for it")
	case now.Requested && !before.Requested:
		r.say("conversion requested")
	case now.Joined && !before.Joined && busy:
		r.say("joined a conversion that was already running, requested none" + percentOf(now))
	case !now.Requested && !now.Joined && now.Problem == nil:
		// The engine has read the chapter for the first time, and will now request or join a conversion.
	case busy && stateOf(now.Chapter) != stateOf(before.Chapter):
		r.say(r.status())
	case time.Since(r.lineAt) < minInterval:
	case busy && r.percent()/10 > max(r.tenth, 0), now.Problem != nil && before.Problem == nil:
		r.say(r.status())
	}
}

// observeProject sends a line about the failures, and one about the whole if that has gone on.
func (r *progressReporter) observeProject(now conversion.ProjectProgress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.project = now
	var failures groups[string]
	var waits []string
	for _, chapter := range now.Ended {
		switch {
		case chapter.Err == nil:
			r.ended = append(r.ended, named(chapter.Chapter))
		case interrupted(chapter.Err) && chapter.Pending != nil:
			waits = append(waits, named(chapter.Chapter))
		case !interrupted(chapter.Err):
			failures.add(withoutChapter(chapter.Err, chapter.ChapterID), "", identified(chapter.Chapter))
		}
	}
	if len(waits) > 0 {
		// Of an action that is interrupted, Terraform shows nothing but its lines. Nothing is counted after that.
		r.finished = true
		r.send("Interrupted: " + firstOf(waits) + ": the conversion goes on at the service, and invoking the action again joins it")
	}
	for _, group := range failures {
		r.send("Failed: " + firstOf(group.chapters) + ": " + said(group.says))
	}
	if over := now.Queued+now.Converting == 0; over || r.percent()/10 != r.tenth {
		r.say(r.status())
	}
}

// status says how far the wait is.
func (r *progressReporter) status() string {
	if r.one {
		return chapterLine(r.latest, time.Since(r.began))
	}
	r.project.Waited = time.Since(r.began)
	if len(r.ended) > 0 {
		return projectLine(r.project) + "; converted since: " + firstOf(r.ended)
	}
	return projectLine(r.project)
}

// percent is how much of the work is done; 0 if nobody knows.
func (r *progressReporter) percent() int {
	if r.one && r.latest.Percent != nil {
		return *r.latest.Percent
	}
	return percentOfProject(r.project)
}

// chapterLine says how far a chapter is.
func chapterLine(now conversion.Outcome, waited time.Duration) string {
	var line string
	switch chapter := now.Chapter; {
	case chapter.ChapterID == "":
		line = "not seen yet"
	case chapter.Busy():
		line = stateOf(chapter) + percentOf(now)
	case !now.Requested && !now.Joined:
		line = "no conversion requested yet, state " + stateOf(chapter)
	default:
		line = "waiting for a sign of the conversion, state " + stateOf(chapter)
	}
	line += ", " + rounded(waited)
	if now.Problem != nil {
		line += "; the service could not be asked: " + now.Problem.Error()
	}
	return line
}

func rounded(waited time.Duration) string { return waited.Round(time.Second).String() }

func stateOf(chapter audioprojects.Chapter) string {
	if chapter.State == nil {
		return "unknown"
	}
	return chapter.State.Line()
}

func percentOf(now conversion.Outcome) string {
	if now.Percent == nil {
		return ""
	}
	return fmt.Sprintf(", %d %%", *now.Percent)
}

// projectLine says how far a project is.
func projectLine(progress conversion.ProjectProgress) string {
	toConvert := progress.Chapters - progress.Adopted
	if toConvert == 0 {
		return "Nothing left to convert in " + countOf(progress.Chapters, "chapter")
	}
	parts := []string{fmt.Sprintf("%d of %s converted", progress.Converted, countOf(toConvert, "chapter")), fmt.Sprintf("%d converting", progress.Converting)}
	if progress.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", progress.Failed))
	}
	if progress.CharactersTotal > 0 {
		parts = append(parts, fmt.Sprintf("%d %%", percentOfProject(progress)))
	}
	return strings.Join(append(parts, rounded(progress.Waited)), ", ")
}

func percentOfProject(progress conversion.ProjectProgress) int {
	if progress.CharactersTotal <= 0 {
		return 0
	}
	return int(float64(progress.Characters) / float64(progress.CharactersTotal) * 100)
}

func logProgress(ctx context.Context, thing, progress string) {
	tflog.Info(ctx, "Waiting for conversions", map[string]any{"of": thing, "progress": progress})
}
