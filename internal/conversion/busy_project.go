package conversion

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// refuseBusyProject returns a [*ProjectBusyError] while something is under way in the whole project, and its chapters
// rest: somebody else may have all of it converted, or the service is still creating it (section 3.1). Like a request,
// it goes by details that are at most 1 s old; where a cache keeps giving older ones, that is an error after a minute.
// A conversion that this process follows, or has followed within the last window, explains the state as well.
func (e *Engine) refuseBusyProject(ctx context.Context, p *project) error {
	if p.isFollowed() {
		return nil
	}
	details, err := p.details.get(ctx, e.clock.now().Add(-requestAge))
	for began := time.Now(); err == nil && details.age > requestAge; {
		if time.Since(began) >= outage {
			return &CachedError{details.age}
		}
		_ = sleepUntil(ctx, time.Now().Add(shortestInterval)) // If the context ends, so does the next look.
		details, err = p.details.get(ctx, e.clock.now().Add(-requestAge))
	}
	if err != nil || !showsState(details.err) { // Details that the service does not show say nothing.
		return err
	}
	state := underWay(details.value)
	if state == nil {
		return nil
	}
	return &ProjectBusyError{*state}
}

// showsState reports whether a project's details were read, at least without some chapters.
func showsState(err error) bool {
	return err == nil || errors.As(err, new(*audioprojects.IncompleteError))
}

// underWay is the state of a project that says that something is under way in all of it; nil if there is none. A chapter that is busy
// explains the project's state, and is waited for itself.
func underWay(shown audioprojects.Project) *audioprojects.Text {
	if !shown.Busy() || slices.ContainsFunc(shown.Chapters, audioprojects.Chapter.Busy) {
		return nil
	}
	return shown.State
}

// ProjectUnderWay is the state of a project in which an apply requests nothing: the project is created, or somebody else has all of it
// converted. Nil if there is none, or if the service does not show it. It goes by details at most 10 s old.
func (e *Engine) ProjectUnderWay(ctx context.Context, projectID string) *audioprojects.Text {
	details, err := e.project(projectID).details.get(ctx, e.clock.now().Add(-refreshAge))
	if err != nil || !showsState(details.err) {
		return nil
	}
	return underWay(details.value)
}
