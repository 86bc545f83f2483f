package conversion

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// ProjectBusyError means that the wait for the whole project has been cut short: the service creates it, or converts
// all of it for somebody else. Nothing was requested. The cause is the context's error.
type ProjectBusyError struct {
	State audioprojects.Text
	Err   error
}

func (e *ProjectBusyError) Error() string {
	return fmt.Sprintf("the project is in the state %s: %v", e.State.Line(), e.Err)
}

func (e *ProjectBusyError) Unwrap() error { return e.Err }

// underWay is the state of a project that says that something is under way in all of it, while its chapters rest
// (section 3.1); nil if there is none. A chapter that is busy explains the project's state, and is waited for itself.
func (l *listing) underWay() *audioprojects.Text {
	if !l.project.Busy() || slices.ContainsFunc(l.chapters, audioprojects.Chapter.Busy) {
		return nil
	}
	return l.project.State
}

// ProjectUnderWay is the state of a project that an apply will wait for before it requests a conversion: the project
// is created, or somebody else has all of it converted. Nil if there is none, or if the service does not show it. The
// problem is why the state cannot be read; empty if it can.
func (e *Engine) ProjectUnderWay(ctx context.Context, projectID string) (state *audioprojects.Text, problem audioprojects.Text) {
	record, err := e.recordsOf(projectID).listing(ctx, e.clock.now().Add(-refreshAge))
	if err != nil {
		return nil, ""
	}
	return record.underWay(), record.project.Problem
}

// awaitProject waits while something is under way in the whole project, to the end also where its chapters begin to
// be busy: somebody else has each of them converted in turn. It reports whether it has waited. Like a request, it goes
// by a record that is at most 1 s old. A record that the service does not show says nothing. The error is a
// [*ProjectBusyError], or the context's.
func (e *Engine) awaitProject(ctx context.Context, project Project) (waited bool, err error) {
	records := e.recordsOf(project.ProjectID)
	record, err := records.listing(ctx, e.clock.now().Add(-requestAge))
	if err != nil {
		return false, err
	}
	state := record.underWay()
	if state == nil {
		return false, nil
	}
	records.noteStart(e.clock.now())
	restsSince, refusedSince := time.Time{}, time.Time{}
	for {
		if project.UnderWay != nil {
			project.UnderWay(*state)
		}
		confirms := time.Time{}
		if !restsSince.IsZero() {
			confirms = restsSince.Add(secondLook)
		}
		record, err = records.next(ctx, record.requestedAt, confirms, nil)
		if err != nil {
			return true, &ProjectBusyError{*state, err}
		}
		isShown := record.err == nil
		restsSince = firstSince(restsSince, record, isShown && !record.project.Busy())
		refusedSince = firstSince(refusedSince, record, saysNothing(record.err))
		if lasts(restsSince, record, secondLook) || lasts(refusedSince, record, window) {
			return true, nil
		}
		if isShown && record.project.Busy() {
			state = record.project.State
		}
	}
}

// firstSince is when the first of the looks was that all show something, which the latest shows or not; zero if it
// does not.
func firstSince(since time.Time, latest *listing, shows bool) time.Time {
	switch {
	case !shows:
		return time.Time{}
	case since.IsZero():
		return latest.requestedAt
	default:
		return since
	}
}

// lasts reports whether looks have shown something for so long.
func lasts(since time.Time, latest *listing, long time.Duration) bool {
	return !since.IsZero() && latest.requestedAt.Sub(since) >= long
}
