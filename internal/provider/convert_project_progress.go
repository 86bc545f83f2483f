package provider

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// bookReporter says how far a book is: at each further tenth of its text, when chapters have failed, and at least every 30 s.
type bookReporter struct {
	lines progressLines

	mu       sync.Mutex
	repeat   *time.Timer // runs for maxInterval after each line about the whole book
	finished bool
	latest   conversion.ProjectProgress
	tenth    int      // of the latest line about the whole book; -1 before the first
	ended    []string // since that line
}

func newBookReporter(send func(line string)) *bookReporter {
	r := &bookReporter{lines: newProgressLines(send), tenth: -1}
	r.repeat = time.AfterFunc(maxInterval, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.say()
	})
	return r
}

func (r *bookReporter) observe(progress conversion.ProjectProgress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest = progress
	var failures groups
	for _, chapter := range progress.Ended {
		if chapter.Err == nil {
			r.ended = append(r.ended, named(chapter.Chapter))
		} else {
			failures.add(withoutPath(chapter.Err), "", identified(chapter.Chapter))
		}
	}
	for _, group := range failures {
		r.lines.say("Failed: " + firstOf(group.names) + ": " + said(group.says))
	}
	over := progress.Queued+progress.Converting == 0
	if percentOfBook(progress)/10 != r.tenth || over {
		r.say()
	}
}

// say says how far the book is. It needs r.mu.
func (r *bookReporter) say() {
	if r.finished {
		return
	}
	line := bookLine(r.latest)
	if len(r.ended) > 0 {
		line += "; converted since: " + firstOf(r.ended)
	}
	r.lines.say(line)
	r.tenth, r.ended = percentOfBook(r.latest)/10, nil
	r.repeat.Reset(maxInterval)
}

// finish waits until Terraform has received all lines.
func (r *bookReporter) finish(ctx context.Context) {
	r.mu.Lock()
	r.finished = true
	r.repeat.Stop()
	r.mu.Unlock()
	r.lines.finish(ctx)
}

func logBookProgress(ctx context.Context, projectID string, progress conversion.ProjectProgress) {
	tflog.Info(ctx, "Converting the chapters of a project", map[string]any{"project_id": projectID, "progress": bookLine(progress)})
}

// bookLine says how far a book is.
func bookLine(progress conversion.ProjectProgress) string {
	toConvert := progress.Chapters - progress.Adopted
	if toConvert == 0 {
		return "Nothing left to convert in " + countOf(progress.Chapters, "chapter")
	}
	parts := []string{fmt.Sprintf("%d of %s converted", progress.Converted, countOf(toConvert, "chapter")), fmt.Sprintf("%d converting", progress.Converting)}
	if progress.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", progress.Failed))
	}
	if progress.CharactersTotal > 0 {
		parts = append(parts, fmt.Sprintf("%d %%", percentOfBook(progress)))
	}
	return strings.Join(append(parts, progress.Waited.Round(time.Second).String()), ", ")
}

func percentOfBook(progress conversion.ProjectProgress) int {
	if progress.CharactersTotal <= 0 {
		return 0
	}
	return int(float64(progress.Characters) / float64(progress.CharactersTotal) * 100)
}
