package conversion

import "time"

// Trace is what a session concludes from a look at a chapter. A log of them answers why a conversion was requested, or not.
type Trace struct {
	ProjectID, ChapterID string
	// MayRequest: the session is that of an apply or an action. A plan, a refresh and the wait before a replacement request nothing.
	MayRequest bool
	// Facts are the names of what the look shows: the terms of the table in the README of this package. They are empty if none is true.
	Facts string
	// Concluded is what this look alone leads to, and SameFor how long the looks of this session have led to the same.
	Concluded Decision
	SameFor   time.Duration
	// Decided is what the session does now: it may wait until more looks agree.
	Decided Decision
}

// trace tells [Options].Trace what the session has decided, and by what.
func (s *session) trace() {
	tell := s.engine.options.Trace
	if tell == nil || len(s.seen) == 0 {
		return
	}
	now := s.seen[len(s.seen)-1]
	concluded := s.conclude(now)
	shown := facts{busy: now.chapter.Busy(), named: now.chapter.Busy(), textLeft: unconverted(now.chapter) > 0}
	if now.pending != nil {
		shown = s.factsOf(now)
	}
	tell(s.ctx, Trace{
		ProjectID: s.desired.ProjectID, ChapterID: s.desired.ChapterID, MayRequest: s.mode == converts, Facts: shown.String(),
		Concluded: concluded.Decision, SameFor: now.requestedAt.Sub(s.seen[s.sameFrom(concluded)].requestedAt), Decided: s.decided,
	})
}
