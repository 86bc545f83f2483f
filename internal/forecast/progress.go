package forecast

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
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
// at each further tenth of its text, and when chapters have failed. It says so in the log, and of an action on the screen, too.
//
// To send a line to Terraform blocks until Terraform has handled the one before, and for ever if Terraform has ended. So a goroutine
// sends the lines, and only finish waits for it, for a limited time.
type progressReporter struct {
	Scope
	logging context.Context // of the request, with its logger
	scale   *progressScale
	began   time.Time
	lines   chan string
	allSent chan struct{} // closed when Terraform has received all lines

	mu       sync.Mutex
	repeat   *time.Timer // runs for maxInterval after each line about the whole
	finished bool
	lineAt   time.Time // when the latest such line was sent
	tenth    int       // of the work, that it was about

	latest   conversion.Outcome // of a chapter
	reported conversion.Outcome // what the latest line was about

	project    map[string]chapterProgress // its chapters, by id
	comparedAt time.Time                  // when that was last compared with the latest line; zero before it is known
	listedAt   time.Time                  // the latest [conversion.Outcome.ListedAt] of a chapter
	problem    error                      // why the latest look at a chapter failed
	over       bool                       // no chapter was under way then
	ended      []string                   // since the latest line
	waits      []string                   // what is left under way by an interruption, and has not been said yet
	failures   say.Groups[string]         // that have not been said yet
}

// chapterProgress is how far a chapter of a project is.
type chapterProgress struct {
	begun, ended, failed bool
	characters           int64 // that its conversion may cost
	percent              int
}

func newProgressReporter(ctx context.Context, s Scope, scale *progressScale, send func(line string)) *progressReporter {
	r := &progressReporter{
		Scope: s, logging: ctx, scale: scale, began: time.Now(), lines: make(chan string, lineBuffer), allSent: make(chan struct{}),
		project: map[string]chapterProgress{},
	}
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
	r.lineAt, r.reported = time.Now(), r.latest
	percent, _ := r.percent()
	r.tenth, r.ended = percent/10, nil
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
	case !r.comparedAt.IsZero():
		r.compareProject()
	case result.SingleChapter && result.ends[0].Err == nil && !result.ends[0].waitsFor():
		figures := ""
		counts := r.latest.Chapter.Statistics
		if counts != nil && counts.CharactersConverted != nil {
			figures = ", " + say.CountOf(*counts.CharactersConverted, "character")
		}
		last := "converted" + figures + ", " + rounded(time.Since(r.began))
		if result.ends[0].Decision.Reason == conversion.NothingLeft {
			last = "no unconverted text, requested none" + figures
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
	percent, _ := r.percent()
	began := howItBegan(now, before)
	switch {
	case began != "" && now.WaitedFor:
		r.say(began + r.scale.progressText(now.Chapter))
	case began != "":
		r.say(began)
	case !now.Requested && !now.WaitedFor && now.Problem == nil:
		// The engine has read the chapter for the first time, and will now request or join a conversion.
	case busy && stateOf(now.Chapter) != stateOf(before.Chapter):
		r.say(r.status())
	case time.Since(r.lineAt) < minInterval:
	case busy && percent/10 > r.tenth, now.Problem != nil && before.Problem == nil:
		r.say(r.status())
	}
}

// observeProject notes how far chapters are, and compares the project with the latest line, but not too often.
func (r *progressReporter) observeProject(chapters ...conversion.ChapterStatus) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, chapter := range chapters {
		r.observeChapter(chapter)
	}
	if time.Since(r.comparedAt) >= minInterval {
		r.compareProject()
	}
}

func (r *progressReporter) observeChapter(now conversion.ChapterStatus) {
	before := r.project[now.Desired.ChapterID]
	progress := chapterProgress{now.Begun, now.Ended, now.Err != nil, now.Characters, before.percent}
	percent, known := r.scale.percent(now.Chapter)
	if known && now.Chapter.Busy() {
		progress.percent = percent
	}
	r.project[now.Desired.ChapterID] = progress
	if now.Begun && !now.Ended && !now.ListedAt.Before(r.listedAt) {
		r.listedAt, r.problem = now.ListedAt, now.Problem
	}
	switch {
	case !now.Ended:
	case now.Err == nil && now.Begun:
		r.ended = append(r.ended, say.Named(now.Chapter))
	case interrupted(now.Err) && now.Pending != nil:
		r.waits = append(r.waits, say.Named(now.Chapter))
	case now.Err != nil && !interrupted(now.Err):
		r.failures.Add(withoutChapter(now.Err.Error(), now.Desired.ChapterID), "", say.Identified(now.Chapter))
	}
}

// compareProject sends a line about the failures, and one about the whole if that has gone on.
func (r *progressReporter) compareProject() {
	first := r.comparedAt.IsZero()
	r.comparedAt = time.Now()
	if len(r.waits) > 0 {
		// Of an action that is interrupted, Terraform shows nothing but its lines. Nothing is counted after that.
		r.finished = true
		r.send(interruptedLine(r.waits))
	}
	for _, group := range r.failures {
		r.send("Failed: " + say.FirstOf(group.Chapters) + ": " + say.ShownText(group.Says))
	}
	r.waits, r.failures = nil, nil
	percent, _ := r.percent()
	wasOver := r.over
	r.over = true
	for _, chapter := range r.project {
		r.over = r.over && chapter.ended
	}
	isOverNow := r.over && !wasOver
	if first || percent/10 != r.tenth || isOverNow {
		r.say(r.status())
	}
}

// status says how far the wait is.
func (r *progressReporter) status() string {
	if r.SingleChapter {
		return r.chapterLine()
	}
	if len(r.ended) > 0 {
		return r.projectLine() + "; converted since: " + say.FirstOf(r.ended)
	}
	return r.projectLine()
}

// percent is how much of the work is done, if that is known.
func (r *progressReporter) percent() (percent int, known bool) {
	if r.SingleChapter {
		return r.scale.percent(r.latest.Chapter)
	}
	var done, total float64
	for _, chapter := range r.project {
		characters := float64(chapter.characters)
		total += characters
		switch {
		case !chapter.ended:
			done += characters * float64(chapter.percent) / 100
		case !chapter.failed:
			done += characters
		}
	}
	if total == 0 {
		return 0, false
	}
	return int(done / total * 100), true
}

// chapterLine says how far a chapter is.
func (r *progressReporter) chapterLine() string {
	line := whatIsAwaited(r.latest, r.scale.progressText(r.latest.Chapter)) + ", " + rounded(time.Since(r.began))
	return line + unseen(r.latest.ListedAt, r.latest.Problem)
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

// projectLine says how far a project is.
func (r *progressReporter) projectLine() string {
	var turns, converted, converting, failed int
	for _, chapter := range r.project {
		switch {
		case chapter.failed:
			failed++
		case chapter.ended && chapter.begun:
			converted++
		case chapter.ended: // it needed no conversion
			continue
		case chapter.begun:
			converting++
		}
		turns++
	}
	switch {
	case r.comparedAt.IsZero():
		return "Chapters not listed yet, " + rounded(time.Since(r.began))
	case turns == 0:
		return "No unconverted text in " + say.CountOf(len(r.project), "chapter")
	}
	parts := []string{fmt.Sprintf("%d of %s converted", converted, say.CountOf(turns, "chapter")), fmt.Sprintf("%d converting", converting)}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", failed))
	}
	percent, known := r.percent()
	if known {
		parts = append(parts, fmt.Sprintf("%d %%", percent))
	}
	line := strings.Join(append(parts, rounded(time.Since(r.began))), ", ")
	if converting == 0 {
		return line
	}
	return line + unseen(r.listedAt, r.problem)
}

func rounded(waited time.Duration) string { return waited.Round(time.Second).String() }
