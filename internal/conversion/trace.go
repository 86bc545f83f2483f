package conversion

import (
	"context"
	"reflect"
	"strings"
	"time"
)

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
func (s *session) trace(ctx context.Context) {
	tell, e := s.engine.options.Trace, s.evidence
	if tell == nil || len(e.seen) == 0 {
		return
	}
	now := e.seen[len(e.seen)-1]
	concluded := e.conclude(now)
	agreed, waited := now.requestedAt.Sub(e.seen[e.sameFrom(concluded)].requestedAt), now.requestedAt.Sub(e.began)
	shown := facts{busy: now.chapter.Busy(), unconverted: hasUnconverted(now.chapter, e.desired.KnownRemainder)}
	if now.pending != nil {
		shown = e.factsOf(now)
	}
	tell(ctx, Trace{
		ProjectID: e.desired.ProjectID, ChapterID: e.desired.ChapterID, MayRequest: s.mode == converts, Facts: shown.String(),
		Concluded: concluded.Decision, SameFor: max(min(agreed, waited), 0), Decided: s.decided,
	})
}

// String names what is true.
func (f facts) String() string {
	var names []string
	for field, is := range reflect.ValueOf(f).Fields() {
		if is.Bool() {
			names = append(names, field.Name)
		}
	}
	return strings.Join(names, " ")
}
