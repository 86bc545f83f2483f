package conversion

import "time"

// Trace is what a session concludes from a look at a chapter. A log of them answers why a conversion was requested, or not.
type Trace struct {
	ProjectID, ChapterID string
	// MayRequest: the session is that of an apply or an action. A plan and a refresh request nothing.
	MayRequest bool
	// Facts are the names of what the look shows: the terms of the table in the README of this package. They are empty if none is true.
	Facts string
	// Concluded is what this look alone leads to, and SameFor how long the looks of this session have led to the same.
	Concluded Decision
	SameFor   time.Duration
	// Decided is what the session does now: it may wait until more looks agree.
	Decided Decision
}

// trace tells [Options].Trace what the watcher has decided, and by what.
func (w *watcher) trace(concluded conclusion, same time.Duration) {
	tell := w.engine.options.Trace
	if tell == nil || len(w.seen) == 0 {
		return
	}
	tell(w.ctx, Trace{
		ProjectID: w.desired.ProjectID, ChapterID: w.desired.ChapterID, MayRequest: w.mode == converts, Facts: concluded.facts.String(),
		Concluded: concluded.Decision, SameFor: same, Decided: w.decided,
	})
}
