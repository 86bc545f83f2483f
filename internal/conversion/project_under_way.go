package conversion

import (
	"context"
	"slices"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// ProjectBusyError means that nothing was requested, because of the state of the project: the service creates it, or converts all of it
// for somebody else.
type ProjectBusyError struct{ State audioprojects.Text }

func (e *ProjectBusyError) Error() string { return "the project is in the state " + e.State.Line() }

// underWay is the state of a project that says that something is under way in all of it, while its chapters rest
// (section 3.1); nil if there is none. A chapter that is busy explains the project's state, and is waited for itself.
func (l *listing) underWay() *audioprojects.Text {
	if !l.project.Busy() || slices.ContainsFunc(l.chapters, audioprojects.Chapter.Busy) {
		return nil
	}
	return l.project.State
}

// ProjectUnderWay is the state of a project in which an apply requests nothing: the project is created, or somebody else has all of it
// converted. Nil if there is none, or if the service does not show it. The problem is why the state cannot be read; empty if it can.
func (e *Engine) ProjectUnderWay(ctx context.Context, projectID string) (state *audioprojects.Text, problem audioprojects.Text) {
	record, err := e.recordsOf(projectID).listing(ctx, e.clock.now().Add(-refreshAge))
	if err != nil {
		return nil, ""
	}
	return record.underWay(), ""
}

// refuseBusyProject returns a [*ProjectBusyError] while something is under way in the whole project, unless a second look shows that
// it is over. Like a request, it goes by a record that is at most 1 s old. A record that the service does not show says nothing at first, and
// does not end what the first look has shown. A conversion of another chapter that this
// process follows explains the state as well: its chapter may not look busy.
func (e *Engine) refuseBusyProject(ctx context.Context, key chapterKey) error {
	records := e.recordsOf(key.projectID)
	first, err := records.listing(ctx, e.clock.now().Add(-requestAge))
	if err != nil || first.underWay() == nil || e.followsBeside(key) {
		return err
	}
	confirms := first.requestedAt.Add(secondLook)
	second, err := records.at(ctx, confirms, confirms, nil)
	isOver := err == nil && second.err == nil && second.underWay() == nil
	if err != nil || isOver {
		return err
	}
	return &ProjectBusyError{*first.underWay()}
}

// followsBeside reports whether this process follows a conversion of another chapter of the project, and has not seen it end well.
func (e *Engine) followsBeside(key chapterKey) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for other, c := range e.chapters {
		if other.projectID == key.projectID && other != key && c.isFollowed() {
			return true
		}
	}
	return false
}

// isFollowed reports whether a conversion has no good end that this process has seen.
func (c *chapter) isFollowed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.operation != nil && c.remainder == nil
}
