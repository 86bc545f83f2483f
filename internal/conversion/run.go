package conversion

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// run is one wish on its way: it looks at the chapter, does what [decide] says, and looks again.
type run struct {
	wish   Wish
	engine *Engine
	began  time.Time
	// onlyWaits: nothing is requested or joined here, and what is pending stays so.
	onlyWaits bool

	outcome Outcome
	pending *Pending
	seen    []observation // of the pending conversion
	witness *witness
	waiter  *waiter
	after   time.Time // when the latest listing was requested that was taken in; zero before the first
	lost    error     // why our own request has no clear answer

	answeredAt     time.Time // when the list was answered that shows the chapter as last seen
	failingSince   time.Time // when the first of the latest looks failed; zero if the latest did not
	firstRefusedAt time.Time // when the service first was not to be asked for a conversion; zero if it always was

	ended     *ended        // what others take over; nil while there is nothing
	left      chan struct{} // closed when the run is over
	mu        sync.Mutex
	told      Outcome // as far as those know who follow
	followers []func(Progress)
}

func newRun(engine *Engine, wish Wish) *run {
	r := &run{wish: wish, engine: engine, began: time.Now(), left: make(chan struct{})}
	if wish.Progress != nil {
		r.followers = []func(Progress){wish.Progress}
	}
	if wish.Pending != nil {
		pending := *wish.Pending
		pending.resumedAt = wish.madeAt
		r.pending, r.outcome.Joined = &pending, true
	}
	return r
}

// convert runs to the end of the wish, or until the context ends.
func (r *run) convert(ctx context.Context) (Outcome, error) {
	r.witness = r.engine.witness(r.wish)
	r.waiter = r.engine.listsOf(r.wish.ProjectID).addWaiter()
	defer func() { r.waiter.leave() }()
	err := r.untilTheEnd(ctx)
	r.outcome.Waited = time.Since(r.began)
	r.mu.Lock()
	r.keepTold()
	r.mu.Unlock()
	if r.ended != nil {
		r.ended.outcome, r.ended.err = r.outcome, err
	}
	return r.outcome, err
}

func (r *run) untilTheEnd(ctx context.Context) error {
	for {
		r.outcome.Pending = r.pending
		decided := decide(r.wish, r.pending, r.seen)
		var err error
		switch decided.Step {
		case Look:
			err = r.look(ctx)
		case Wait:
			err = r.wait(ctx, decided.Until)
		case Join, Request:
			if r.onlyWaits {
				return nil
			}
			if decided.Step == Join {
				r.join(decided)
			} else {
				err = r.request(ctx, decided)
			}
		default:
			return r.end(decided)
		}
		if err != nil {
			r.noteTimeout(ctx, decided)
			return err
		}
	}
}

// look sees the chapter: at once if it has not been seen yet, and by a list from after the wish was made if what was
// seen is older.
func (r *run) look(ctx context.Context) error {
	switch {
	case r.after.IsZero():
	case len(r.seen) > 0 && r.after.Before(r.wish.madeAt):
		return r.lookAgain(ctx, r.wish.madeAt.Add(gathering), r.wish.madeAt)
	default:
		return r.wait(ctx, time.Time{})
	}
	lists := r.engine.listsOf(r.wish.ProjectID)
	found, err := lists.listing(ctx, r.engine.notBefore(r.wish.key(), requestAge))
	if err == nil && found.err != nil && !found.answeredAt.After(r.began) {
		// It failed for somebody else, and is nothing to begin with.
		found, err = lists.listing(ctx, r.engine.clock.now())
	}
	if err != nil {
		return err
	}
	return r.take(ctx, found)
}

// wait sees the chapter again when it is due for all who wait, or at the given time if that is earlier.
func (r *run) wait(ctx context.Context, until time.Time) error {
	if doubt := r.witness.until(); !doubt.IsZero() && (until.IsZero() || doubt.Before(until)) {
		until = doubt
		if r.pending == nil && r.after.Before(doubt) {
			return r.lookAgain(ctx, doubt, doubt)
		}
	}
	found, err := r.waiter.next(ctx, r.after, until)
	if err != nil {
		return err
	}
	return r.take(ctx, found)
}

// lookAgain sees the chapter at the given time, by a list that was not requested before another.
func (r *run) lookAgain(ctx context.Context, at, notBefore time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	found, err := r.engine.listsOf(r.wish.ProjectID).listing(ctx, notBefore)
	if err != nil {
		return err
	}
	return r.take(ctx, found)
}

// take notes what a listing shows. The error ends the run.
func (r *run) take(ctx context.Context, found *listing) error {
	r.after = found.requestedAt
	seen, believed, err := r.witness.see(ctx, found)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.outcome.Problem = err
	switch {
	case err == nil:
		r.failingSince = time.Time{}
	case r.failingSince.IsZero():
		r.failingSince = time.Now()
	}
	if believed {
		r.outcome.Chapter, r.answeredAt = seen.chapter, found.answeredAt
		if r.pending != nil {
			r.pending.observe(seen)
			if r.pending.Joined() && Busy(seen.chapter) {
				// Whoever asked for it, it is what the wish is for as well.
				r.pending.Triggers = r.wish.Triggers
			}
		}
		r.seen = append(r.seen, seen)
	}
	r.tell()
	if err == nil || r.bears(ctx, err) {
		return nil
	}
	return err
}

// join waits for a conversion that somebody else has asked for.
func (r *run) join(decided Decision) {
	now := r.seen[len(r.seen)-1]
	r.outcome.Superseded, r.outcome.SupersededBy = string(decided.Words), decided.Reason
	r.outcome.Joined, r.outcome.Postponed = true, nil
	r.begin(&Pending{Baseline: baselineOf(now.chapter)}, r.engine.clock.now())
	r.pending.observe(now)
	r.seen = []observation{now}
	r.tell()
}

// begin makes a conversion the pending one, and looks at it anew.
func (r *run) begin(pending *Pending, since time.Time) {
	pending.since, pending.SinceUnix, pending.Triggers = since, since.Unix(), r.wish.Triggers
	r.pending, r.outcome.Pending, r.seen = pending, pending, nil
	r.waiter.leave()
	r.waiter = r.engine.listsOf(r.wish.ProjectID).addWaiter()
}

// request asks for a conversion. From here on credits are spent, so every way out that
// leaves the conversion's end open leaves it pending. Until then what was pending before stays so.
func (r *run) request(ctx context.Context, decided Decision) error {
	last := r.seen[len(r.seen)-1]
	chapter := last.chapter
	err := r.engine.client.ConvertChapter(ctx, r.wish.ProjectID, chapter.ChapterID, r.answeredAt.Add(requestAge))
	if r.mayRequestLater(ctx, err) {
		if !errors.Is(err, audioprojects.Overdue) {
			r.outcome.Postponed = err
			r.tell()
		}
		return r.wait(ctx, time.Time{})
	}
	r.outcome.Postponed = nil
	requestedAt := r.engine.noteRequest(r.wish.key())

	pending := &Pending{Baseline: baselineOf(chapter), LeftBefore: decided.LeftOnce, editable: last.requestedAt.Before(r.wish.madeAt)}
	if pending.LeftBefore == nil {
		pending.LeftBefore = r.wish.LeftOnce
	}
	switch {
	case errors.Is(err, audioprojects.Rejected):
		// The service may have refused to begin a second time: somebody else's conversion, or our own if
		// a proxy has sent the request twice.
		pending.refusal = err
		r.outcome.Joined = true
	case err == nil, errors.Is(err, audioprojects.Ambiguous):
		seconds := requestedAt.Unix()
		pending.RequestedAtUnix, pending.Confirmed = &seconds, err == nil
		r.outcome.Requested, r.outcome.Joined = true, false
		r.lost = err
	default:
		return err
	}
	r.outcome.Superseded, r.outcome.SupersededBy = string(decided.Words), decided.Reason
	r.after = requestedAt
	r.begin(pending, requestedAt)
	r.tell()
	return nil
}

// end is the way out with a decision.
func (r *run) end(decided Decision) error {
	if decided.Reason == EndedBefore {
		return r.takeOver()
	}
	if decided.Step == Failed && decided.Reason == Error {
		words := decided.Words
		r.pending.Failure = &words
	}
	if r.onlyWaits {
		return nil
	}
	r.outcome.Reason, r.outcome.Leftover, r.outcome.LeftOnce = decided.Reason, decided.Leftover, decided.LeftOnce
	switch {
	case decided.Step == Done && decided.Reason == NothingLeft:
		r.outcome.Pending, r.outcome.Joined = nil, false
		return nil
	case decided.Reason == Refused:
		r.outcome.Pending = nil
		return r.pending.refusal
	}
	r.ended = &ended{step: decided.Step, left: r.pending.leaves(r.outcome.Chapter)}
	if decided.Step != Done {
		r.ended.left, _ = Unconverted(audioprojects.Chapter{Statistics: r.pending.Baseline.Statistics})
	}
	switch decided.Step {
	case Failed:
		return &FailedError{Reason: decided.Reason, Words: string(decided.Words), Joined: r.pending.Joined()}
	case Unknown:
		return &UnconfirmedError{Lost: r.lost}
	default:
		r.outcome.Pending = nil
		return nil
	}
}

// takeOver ends the run as the one before it in this process ended.
func (r *run) takeOver() error {
	r.ended = r.wish.ended
	before, chapter := r.ended.outcome, r.outcome.Chapter
	r.outcome = before
	r.outcome.Chapter, r.outcome.Joined, r.outcome.Requested = chapter, true, false
	var failed *FailedError
	if errors.As(r.ended.err, &failed) {
		return &FailedError{Reason: failed.Reason, Words: failed.Words, Joined: true}
	}
	return r.ended.err
}

// gathering is how long a look that must be fresh waits for others whose turn begins at the same time: one list serves them all.
const gathering = 20 * time.Millisecond

// longestUnnamed is how long a state that the document does not give may stand for work although nothing changes.
const longestUnnamed = time.Hour

// noteTimeout remembers what a whole timeout has shown, so that the next apply does not wait for it again: that
// there is no sign of a conversion, or that a state that the document does not give has hardly changed.
func (r *run) noteTimeout(ctx context.Context, decided Decision) {
	p := r.pending
	if p == nil || decided.Step != Wait || !errors.Is(ctx.Err(), context.DeadlineExceeded) || len(r.seen) == 0 {
		return
	}
	e := evidence{r.wish, p, r.seen, r.seen[len(r.seen)-1]}
	sinceRequest := time.Since(time.Unix(p.SinceUnix, 0))
	switch {
	case decided.Reason == NotShown && sinceRequest > window:
		p.WaitedWhole = true
	case p.unnamed(e.now.chapter) && sinceRequest >= longestUnnamed && time.Since(e.stoodSince()) > time.Since(r.began)*9/10:
		p.Baseline.State = e.now.chapter.State
	}
}
