package conversion

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// run fulfils one wish: it looks at the chapter, does what [decide] says, and looks again, until the end.
type run struct {
	wish   Wish
	engine *Engine
	began  time.Time
	// onlyWaits: the run requests and joins nothing, and keeps the pending conversion pending.
	onlyWaits bool

	outcome Outcome
	pending *Pending
	seen    []observation // of the pending conversion
	reader  *chapterReader
	waiter  *waiter   // nil while the run does not wait for a look
	after   time.Time // request time of the latest listing that was used; zero before the first
	lost    error     // why our own request has no clear answer

	answeredAt     time.Time // answer time of the list that shows the chapter as last seen
	failingSince   time.Time // when the looks began to fail; zero if the latest succeeded
	firstRefusedAt time.Time // when a request for a conversion first failed without having begun; zero if none has

	ended     *ended        // what others take over; nil while there is nothing
	over      chan struct{} // closed when the run is over
	mu        sync.Mutex
	reported  Outcome // as far as those know who follow
	listeners []func(Progress)
}

func newRun(engine *Engine, wish Wish) *run {
	r := &run{wish: wish, engine: engine, began: time.Now(), over: make(chan struct{})}
	if wish.Progress != nil {
		r.listeners = []func(Progress){wish.Progress}
	}
	if wish.Pending != nil {
		pending := *wish.Pending
		pending.resumedAt = wish.startedAt
		if pending.Triggers == "" {
			pending.Triggers = wish.Triggers
		}
		r.pending, r.outcome.Joined = &pending, true
	}
	return r
}

// convert runs until the wish has ended, or the context.
func (r *run) convert(ctx context.Context) (Outcome, error) {
	r.reader = r.engine.chapterReader(r.wish)
	err := r.untilTheEnd(ctx)
	r.stopWaiting()
	r.outcome.Waited = time.Since(r.began)
	if err == nil && !r.onlyWaits {
		r.outcome.Behind = r.wish.behind(r.outcome.Chapter)
		if after := r.wish.ConvertedAfter; after != nil && r.outcome.Chapter.LastConversionDateUnix == nil && r.outcome.Reason != NothingLeft {
			// The date may lag, and be before the demanded time when it is shown.
			r.outcome.Behind = &Behind{ConvertedAfter: *after}
		}
	}
	r.mu.Lock()
	r.saveReported()
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
		observe(ctx, r.onlyWaits, r.wish, r.pending, r.seen, decided)
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

// look takes the first look at once. If the chapter was seen in a list that is older than the wish, it looks again at once,
// in a newer list. Otherwise it waits for the next look.
func (r *run) look(ctx context.Context) error {
	switch {
	case r.after.IsZero():
	case len(r.seen) > 0 && r.after.Before(r.wish.startedAt):
		return r.lookAgain(ctx, r.wish.startedAt.Add(sharingDelay), r.wish.startedAt)
	default:
		return r.wait(ctx, time.Time{})
	}
	lists := r.engine.listsOf(r.wish.ProjectID)
	found, err := lists.listing(ctx, r.engine.notBefore(r.wish.key(), requestAge))
	if err == nil && found.err != nil && !found.answeredAt.After(r.began) {
		// This list failed before the run began. A run does not begin with an old error.
		found, err = lists.listing(ctx, r.engine.clock.now())
	}
	if err != nil {
		return err
	}
	return r.take(ctx, found)
}

// wait looks again when the next look is due for all waiters, or at the given time if that is earlier.
func (r *run) wait(ctx context.Context, until time.Time) error {
	if doubt := r.reader.until(); !doubt.IsZero() && (until.IsZero() || doubt.Before(until)) {
		until = doubt
		if r.pending == nil && r.after.Before(doubt) {
			return r.lookAgain(ctx, doubt, doubt)
		}
	}
	if r.waiter == nil {
		r.waiter = r.engine.listsOf(r.wish.ProjectID).addWaiter(r.began, false)
	}
	found, err := r.waiter.next(ctx, r.after, until)
	if err != nil {
		return err
	}
	return r.take(ctx, found)
}

// lookAgain looks at the time at, in a list that was requested at notBefore or later.
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

// take records what a listing shows. The error ends the run.
func (r *run) take(ctx context.Context, found *listing) error {
	r.after = found.requestedAt
	seen, believed, err := r.reader.read(ctx, found)
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
		r.outcome.Percent = r.engine.listsOf(r.wish.ProjectID).percent(seen.chapter.ConversionProgress)
		if r.pending != nil {
			r.pending.observe(seen)
			if r.pending.Joined() && Busy(seen.chapter) {
				// A running conversion of somebody else counts for the triggers of this wish, too.
				r.pending.Triggers = r.wish.Triggers
			}
		}
		r.seen = append(r.seen, seen)
	}
	r.reportProgress()
	if err == nil || r.looksAgainAfter(ctx, err) {
		return nil
	}
	return err
}

// join makes a conversion that somebody else requested the pending one.
func (r *run) join(decided Decision) {
	now := r.seen[len(r.seen)-1]
	r.outcome.Superseded, r.outcome.SupersededBy = string(decided.Words), decided.Reason
	r.outcome.Joined, r.outcome.Postponed = true, nil
	r.begin(&Pending{Baseline: baselineOf(now.chapter)}, r.engine.clock.now())
	r.pending.observe(now)
	r.seen = []observation{now}
	r.reportProgress()
}

// begin makes a conversion the pending one, and forgets what was seen before it.
func (r *run) begin(pending *Pending, since time.Time) {
	pending.since, pending.SinceUnix, pending.Triggers = since, since.Unix(), r.wish.Triggers
	r.pending, r.outcome.Pending, r.seen = pending, pending, nil
	r.stopWaiting()
	r.waiter = r.engine.listsOf(r.wish.ProjectID).addWaiter(time.Now(), !pending.Joined())
}

func (r *run) stopWaiting() {
	if r.waiter != nil {
		r.waiter.leave()
		r.waiter = nil
	}
}

// request asks the service for a conversion, which costs credits. So from then on the conversion stays pending until its
// end is known, however the run ends. If the request was not received, the earlier pending conversion stays pending.
func (r *run) request(ctx context.Context, decided Decision) error {
	last := r.seen[len(r.seen)-1]
	chapter := last.chapter
	reserved, err := r.engine.bill.reserve(r.wish, chapter)
	if err != nil {
		return err
	}
	// The request may queue for long, and until it is sent there is no end to be noticed.
	r.stopWaiting()
	err = r.engine.client.ConvertChapter(ctx, r.wish.ProjectID, chapter.ChapterID, r.answeredAt.Add(requestAge))
	if err != nil && !errors.Is(err, audioprojects.Ambiguous) {
		r.engine.bill.giveBack(reserved)
	}
	if r.mayRequestLater(ctx, err) {
		switch overdue := errors.Is(err, audioprojects.Overdue); {
		case overdue && r.after.After(last.requestedAt):
			// The latest look has shown nothing. Another one at once would not, either.
		case overdue:
			now := r.engine.clock.now()
			return r.lookAgain(ctx, now, now)
		default:
			r.outcome.Postponed = err
			r.reportProgress()
		}
		return r.wait(ctx, time.Time{})
	}
	if !errors.Is(err, audioprojects.NotSent) {
		r.outcome.Postponed = nil
	}
	r.outcome.Superseded, r.outcome.SupersededBy = string(decided.Words), decided.Reason
	requestedAt := r.engine.noteRequest(r.wish.key())

	pending := &Pending{Baseline: baselineOf(chapter), LeftBefore: decided.LeftOnce, editable: last.requestedAt.Before(r.wish.startedAt)}
	if pending.LeftBefore == nil {
		pending.LeftBefore = r.wish.LeftOnce
	}
	switch {
	case errors.Is(err, audioprojects.Rejected):
		// The service may have refused because the chapter is converting already: for somebody else, or for us if a
		// proxy sent the request twice.
		pending.refusal = err
		r.outcome.Joined = true
	case err == nil, errors.Is(err, audioprojects.Ambiguous):
		seconds := requestedAt.Unix()
		pending.RequestedAtUnix, pending.Confirmed, pending.ConvertedAfter = &seconds, err == nil, r.wish.ConvertedAfter
		r.outcome.Requested, r.outcome.Joined = true, false
		r.lost = err
	default:
		return err
	}
	r.after = requestedAt
	r.begin(pending, requestedAt)
	r.reportProgress()
	return nil
}

// end ends the run as decided. The error is nil if the wish is fulfilled.
func (r *run) end(decided Decision) error {
	if decided.Reason == EndedBefore {
		return r.takeOver()
	}
	if decided.Step == Failed && decided.Reason == Error {
		words := decided.Words
		r.pending.Failure = &words
	}
	if r.onlyWaits {
		return r.failure(decided)
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
	r.engine.mu.Lock()
	early := !r.engine.requestedHere(r.wish.key(), r.pending)
	r.engine.mu.Unlock()
	r.ended = &ended{step: decided.Step, early: early, ran: r.pending.ran(), left: r.pending.leaves(r.outcome.Chapter)}
	if decided.Step != Done {
		r.ended.left, _ = Unconverted(audioprojects.Chapter{Statistics: r.pending.Baseline.Statistics})
	}
	r.noteLength()
	if decided.Step == Done {
		r.outcome.Pending = nil
	}
	return r.failure(decided)
}

// failure is the error of an end; nil if the wish is fulfilled.
func (r *run) failure(decided Decision) error {
	switch decided.Step {
	case Failed:
		return &FailedError{Reason: decided.Reason, Words: string(decided.Words), Joined: r.pending.Joined()}
	case Unknown:
		return &UnconfirmedError{Lost: r.lost}
	default:
		return nil
	}
}

// noteLength remembers how long our own conversion took: it ended between the first of the looks that show the chapter as it
// is now, and the look before that one.
func (r *run) noteLength() {
	if !r.outcome.Requested || r.pending.since.IsZero() {
		return
	}
	first := len(r.seen) - 1
	for first > 0 && alike(r.seen[first-1].chapter, r.seen[first].chapter) {
		first--
	}
	took := duration{within: r.seen[first].requestedAt.Sub(r.pending.since)}
	if first > 0 {
		took.over = r.seen[first-1].requestedAt.Sub(r.pending.since)
	}
	r.engine.listsOf(r.wish.ProjectID).noteLength(took)
}

// takeOver ends the run with the result of the chapter's last conversion in this process.
func (r *run) takeOver() error {
	r.ended = r.wish.ended
	chapter, percent := r.outcome.Chapter, r.outcome.Percent
	r.outcome = r.ended.outcome
	r.outcome.Chapter, r.outcome.Percent, r.outcome.Joined, r.outcome.Requested = chapter, percent, true, false
	if r.outcome.Pending != nil {
		pending := *r.outcome.Pending
		r.engine.mu.Lock()
		r.engine.demand(r.wish, &pending)
		r.engine.mu.Unlock()
		r.outcome.Pending = &pending
	}
	var failed *FailedError
	if errors.As(r.ended.err, &failed) {
		return &FailedError{Reason: failed.Reason, Words: failed.Words, Joined: true}
	}
	return r.ended.err
}

// sharingDelay is how long a look that needs a new list waits before it requests one. Wishes that begin at almost the same
// time can then share that list: Terraform begins ten at once.
const sharingDelay = 20 * time.Millisecond

// longestUndocumented is how long a state that the document does not list may mean a running conversion although nothing
// changes. Without such a limit, a chapter with a state such as "cancelled" could never be converted again.
const longestUndocumented = time.Hour

// noteTimeout records the result of a wait that lasted for a whole timeout, so that the next apply does not wait as long
// again: there was no sign of a conversion, or a state that the document does not list hardly changed.
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
	case p.undocumented(e.now.chapter) && sinceRequest >= longestUndocumented && time.Since(e.unchangedSince()) > time.Since(r.began)*9/10:
		p.Baseline.State = e.now.chapter.State
	}
}
