package conversion

import (
	"context"
	"time"
)

// Observed is a decision, with the facts that it goes by: for tests that tell what happened.
type Observed struct {
	ProjectID, ChapterID string
	Predicted            bool // by a plan or a refresh, which does nothing
	Decision             Decision
	// Next is the decision after a wait in which nothing changes any more. It is that of the rule that waits.
	Next  Decision
	Facts Facts
}

// Facts are what the looks have shown since the request.
type Facts struct {
	Looks                                                             int
	Pending, Busy, Unnamed, Open, Worked, Dated, Finished, FreshError bool
	UnchangedFor                                                      time.Duration
}

type observerKey struct{}

// Observing returns a context in which all decisions are told.
func Observing(ctx context.Context, tell func(Observed)) context.Context {
	return context.WithValue(ctx, observerKey{}, tell)
}

func observe(ctx context.Context, predicted bool, wish Wish, pending *Pending, seen []observation, decided Decision) {
	tell, told := ctx.Value(observerKey{}).(func(Observed))
	if !told || len(seen) == 0 {
		return
	}
	now := seen[len(seen)-1]
	o := Observed{ProjectID: wish.ProjectID, ChapterID: wish.ChapterID, Predicted: predicted, Decision: decided, Next: decided}
	o.Facts = Facts{Looks: len(seen), Busy: Busy(now.chapter), Open: openIn(now.chapter, wish.Leftover)}
	if pending != nil {
		o.Facts.Pending = true
		o.Facts.Unnamed, o.Facts.FreshError = pending.undocumented(now.chapter), pending.Failed(now.chapter)
		o.Facts.Worked, o.Facts.Dated, o.Facts.Finished = pending.worked(now.chapter, wish.Leftover), pending.dated(now.chapter), pending.datedSinceBusy(now.chapter)
		o.Facts.UnchangedFor = evidence{wish, pending, seen, now}.unchangedFor()
	}
	if decided.Step == Wait {
		much := now
		much.requestedAt = now.requestedAt.Add(48 * time.Hour)
		o.Next = decide(wish, pending, append(seen[:len(seen):len(seen)], much))
	}
	tell(o)
}
