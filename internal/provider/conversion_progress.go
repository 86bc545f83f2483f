package provider

import (
	"context"
	"fmt"
	"strconv"
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
	lastLinesTimeout = 5 * time.Second
	// interruptedLinesTimeout is how long it waits after an interruption.
	interruptedLinesTimeout = 100 * time.Millisecond
)

// progressLines sends lines about a wait to Terraform. To send a line blocks until Terraform has handled the one
// before, and for ever if Terraform has ended. So a goroutine sends the lines, and only finish waits for it, for a
// limited time.
type progressLines struct {
	queued  chan string
	allSent chan struct{} // closed when Terraform has received all lines
}

func newProgressLines(send func(line string)) progressLines {
	l := progressLines{queued: make(chan string, lineBuffer), allSent: make(chan struct{})}
	go func() {
		defer close(l.allSent)
		for line := range l.queued {
			send(line)
		}
	}()
	return l
}

func (l progressLines) say(line string) {
	select {
	case l.queued <- line:
	default: // Terraform does not receive lines any more.
	}
}

// finish waits until Terraform has received all lines. It does not wait longer than lastLinesTimeout, or
// interruptedLinesTimeout after the context has ended. Nothing may be said after it.
func (l progressLines) finish(ctx context.Context) {
	close(l.queued)
	timeout := time.After(lastLinesTimeout)
	select {
	case <-l.allSent:
		return
	case <-ctx.Done():
		timeout = time.After(interruptedLinesTimeout)
	case <-timeout:
		return
	}
	select {
	case <-l.allSent:
	case <-timeout:
	}
}

// progressReporter says how far the wait is for a chapter: when something is new, and at least every 30 s. Of a project it says that
// at each further tenth of its text, and when chapters have failed. It may be nil.
type progressReporter struct {
	began time.Time
	lines progressLines

	mu       sync.Mutex
	repeat   *time.Timer // runs for maxInterval after each line about the whole
	finished bool
	// about says what a line is about, and status how far that is.
	about, status func() string

	latest   conversion.Outcome
	lineAt   time.Time          // when the latest line was sent
	reported conversion.Outcome // what the latest line was about

	project conversion.ProjectProgress
	tenth   int      // of the latest line about the whole project; -1 before the first
	ended   []string // since that line
}

func newProgressReporter(s set, send func(line string)) *progressReporter {
	r := &progressReporter{began: time.Now(), lines: newProgressLines(send), tenth: -1}
	r.about, r.status = func() string { return "" }, r.projectStatus
	if s.one {
		r.about, r.status = func() string { return subject(s.every.ChapterID, r.latest.Chapter) + ": " }, r.chapterStatus
	}
	r.repeat = time.AfterFunc(maxInterval, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.say(r.status())
	})
	return r
}

// say queues a line. It needs r.mu.
func (r *progressReporter) say(what string) {
	if r.finished {
		return
	}
	r.lines.say(r.about() + what)
	r.lineAt, r.reported = time.Now(), r.latest
	r.tenth, r.ended = percentOfProject(r.project)/10, nil
	r.repeat.Reset(maxInterval)
}

// finish says a last line if a chapter is converted, and waits until Terraform has received all lines.
func (r *progressReporter) finish(ctx context.Context, result result) {
	r.mu.Lock()
	if result.one && result.ends[0].Err == nil {
		last := "converted" + figuresOf(r.latest.Chapter) + r.waited()
		if result.ends[0].Reason == conversion.NothingLeft {
			last = "nothing left to convert, requested none" + figuresOf(r.latest.Chapter)
		}
		r.say(last)
	}
	r.finished = true
	r.repeat.Stop()
	r.mu.Unlock()
	r.lines.finish(ctx)
}

// observe compares the wait with the latest line, and sends a line if something is new.
func (r *progressReporter) observe(now conversion.Outcome) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest = now
	busy, before := conversion.Busy(now.Chapter), r.reported
	switch {
	case now.Requested && !before.Requested && now.Unconfirmed():
		r.say("conversion requested, but no clear answer has come: watching for it")
	case now.Requested && !before.Requested:
		r.say("conversion requested")
	case now.Joined && !before.Joined && busy:
		r.say("joined a conversion that was already running, requested none" + percentOf(now.Percent))
	case !now.Requested && !now.Joined && now.Problem == nil:
		// The engine has read the chapter for the first time, and will now request or join a conversion.
	case busy && stateOf(now.Chapter) != stateOf(before.Chapter):
		r.say(r.status())
	case time.Since(r.lineAt) < minInterval:
	case busy && tenth(now.Percent) > tenth(before.Percent), now.Problem != nil && before.Problem == nil:
		r.say(r.status())
	}
}

// observeProject sends a line about the failures, and one about the whole if that has gone on.
func (r *progressReporter) observeProject(now conversion.ProjectProgress) {
	if r == nil {
		return
	}
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
		r.lines.say("Interrupted: " + firstOf(waits) + ": the conversion goes on at the service, and invoking the action again joins it")
	}
	for _, group := range failures {
		r.lines.say("Failed: " + firstOf(group.chapters) + ": " + said(group.says))
	}
	if over := now.Queued+now.Converting == 0; over || percentOfProject(now)/10 != r.tenth {
		r.say(r.status())
	}
}

// subject is a chapter by its id, and by its name if it has one.
func subject(chapterID string, chapter audioprojects.Chapter) string {
	if chapter.Name == nil {
		return fmt.Sprintf("Chapter %q", chapterID)
	}
	return fmt.Sprintf("Chapter %q “%s”", chapterID, chapter.Name.Line())
}

// chapterStatus says how far the wait is.
func (r *progressReporter) chapterStatus() string {
	var line string
	switch chapter := r.latest.Chapter; {
	case chapter.ChapterID == "":
		line = "not seen yet"
	case conversion.Busy(chapter):
		line = stateOf(chapter) + percentOf(r.latest.Percent)
	case !r.latest.Requested && !r.latest.Joined:
		line = "no conversion requested yet, state " + stateOf(chapter)
	default:
		line = "waiting for a sign of the conversion, state " + stateOf(chapter)
	}
	line += r.waited()
	if r.latest.Problem != nil {
		line += "; the service could not be asked: " + r.latest.Problem.Error()
	}
	return line
}

func (r *progressReporter) waited() string {
	return ", " + time.Since(r.began).Round(time.Second).String()
}

func stateOf(chapter audioprojects.Chapter) string {
	if chapter.State == nil {
		return "unknown"
	}
	return chapter.State.Line()
}

func percentOf(percent *int) string {
	if percent == nil {
		return ""
	}
	return fmt.Sprintf(", %d %%", *percent)
}

// tenth is how many tenths of the conversion are done.
func tenth(percent *int) int {
	if percent == nil {
		return 0
	}
	return *percent / 10
}

// figuresOf is how many characters and paragraphs of the chapter have audio.
func figuresOf(chapter audioprojects.Chapter) string {
	if chapter.Statistics == nil {
		return ""
	}
	return counted(chapter.Statistics.CharactersConverted, "character") + counted(chapter.Statistics.ParagraphsConverted, "paragraph")
}

func counted(count *audioprojects.Integer, unit string) string {
	if count == nil {
		return ""
	}
	return ", " + countOf(int(*count), unit)
}

// logProgress logs strings only, because tflog hides secrets in no other values.
func logProgress(ctx context.Context, progress conversion.Outcome) {
	fields := map[string]any{
		"chapter_id": progress.Chapter.ChapterID,
		"joined":     strconv.FormatBool(progress.Joined),
		"waited":     progress.Waited.Round(time.Second).String(),
	}
	if progress.Chapter.State != nil {
		fields["state"] = progress.Chapter.State.Line()
	}
	if progress.Percent != nil {
		fields["percent"] = strconv.Itoa(*progress.Percent)
	}
	if progress.Problem != nil {
		fields["problem"] = progress.Problem.Error()
	}
	tflog.Info(ctx, "Waiting for the conversion of a chapter", fields)
}

func logProjectProgress(ctx context.Context, projectID string, progress conversion.ProjectProgress) {
	tflog.Info(ctx, "Converting the chapters of a project", map[string]any{"project_id": projectID, "progress": projectLine(progress)})
}

func (r *progressReporter) projectStatus() string {
	line := projectLine(r.project)
	if len(r.ended) > 0 {
		line += "; converted since: " + firstOf(r.ended)
	}
	return line
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
	return strings.Join(append(parts, progress.Waited.Round(time.Second).String()), ", ")
}

func percentOfProject(progress conversion.ProjectProgress) int {
	if progress.CharactersTotal <= 0 {
		return 0
	}
	return int(float64(progress.Characters) / float64(progress.CharactersTotal) * 100)
}
