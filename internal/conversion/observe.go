package conversion

import (
	"context"
	"reflect"
	"strings"
	"time"
)

// Observed is a decision, with what it goes by: for tests that tell what happened.
type Observed struct {
	ChapterID string
	Predicted bool // by a session that requests nothing
	Decision  Decision
	// Concluded is the decision that the latest look alone leads to.
	Concluded Decision
	// Facts are the names of what that look shows. SameFor is how long looks of this session have led to the same.
	Facts   string
	SameFor time.Duration
}

type observerKey struct{}

// Observing returns a context in which all decisions are told.
func Observing(ctx context.Context, tell func(Observed)) context.Context {
	return context.WithValue(ctx, observerKey{}, tell)
}

func observe(ctx context.Context, mode mode, e evidence, decided Decision) {
	tell, told := ctx.Value(observerKey{}).(func(Observed))
	if !told || len(e.seen) == 0 {
		return
	}
	now := e.seen[len(e.seen)-1]
	concluded := e.conclude(now)
	o := Observed{ChapterID: e.demand.ChapterID, Predicted: mode != converts, Decision: decided, Concluded: concluded.Decision}
	o.SameFor = min(now.requestedAt.Sub(e.seen[e.sameFrom(concluded)].requestedAt), now.requestedAt.Sub(e.began))
	o.Facts = facts{busy: now.chapter.Busy(), open: openIn(now.chapter, e.demand.KnownRemainder)}.String()
	if now.pending != nil {
		o.Facts = e.factsOf(now).String()
	}
	tell(o)
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
