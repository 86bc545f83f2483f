package conversion

import (
	"context"
	"errors"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// run is one request on its way. Its methods are the states of the diagram in CONTRIBUTING.md.
type run struct {
	Request
	engine *Engine
	key    chapterKey
	began  time.Time
	atWork bool // the chapter was seen converting in this run

	outcome Outcome
	err     error
	ended   chan struct{} // closed when outcome and err are final
}

// convert looks at the chapter first: what to do depends on what it finds.
func (r *run) convert(ctx context.Context) error {
	r.outcome.Ticket = r.Resume
	chapter, err := r.engine.lookUp(ctx, r.key, baselineAge)
	if err != nil {
		return err
	}
	r.see(chapter)
	switch {
	case r.Resume != nil:
		return r.resume(ctx, *r.Resume)
	case r.UnlessUpToDate && nothingLeft(chapter) && !busy(chapter):
		return nil
	default:
		return r.anew(ctx)
	}
}

// resume takes up a conversion that an earlier request left behind.
func (r *run) resume(ctx context.Context, ticket Ticket) error {
	if ticket.Failure != nil {
		return r.anew(ctx)
	}
	r.outcome.Ticket = &ticket
	r.outcome.Joined = true
	switch seen := ticket.observe(r.outcome.Chapter); {
	case seen == failed, r.Again && seen == succeeded:
		return r.anew(ctx)
	case r.Again && seen == converting:
		// It began before there was a reason to convert again, like somebody else's.
		return r.join(ctx)
	case seen == succeeded:
		return r.succeed(ctx)
	}
	ended, err := r.watch(ctx)
	switch {
	case err != nil:
		return err
	case ended == failed && !r.atWork, ended == noEvidence && !ticket.Confirmed:
		return r.anew(ctx)
	default:
		return r.end(ctx, ended)
	}
}

// anew joins the conversion that is under way, or starts one.
func (r *run) anew(ctx context.Context) error {
	if busy(r.outcome.Chapter) {
		return r.join(ctx)
	}
	return r.start(ctx)
}

// join waits for a conversion that somebody else has asked for.
func (r *run) join(ctx context.Context) error {
	r.outcome.Joined = true
	r.outcome.Ticket = &Ticket{Baseline: baselineOf(r.outcome.Chapter)}
	r.outcome.Ticket.observe(r.outcome.Chapter)
	ended, err := r.watch(ctx)
	if err != nil {
		return err
	}
	return r.end(ctx, ended)
}

// start asks for a conversion. From here on credits are spent, so every way out that
// leaves the conversion's end open leaves a ticket.
func (r *run) start(ctx context.Context) error {
	r.outcome.Joined = false
	ticket := &Ticket{Baseline: baselineOf(r.outcome.Chapter)}
	lost := r.engine.client.ConvertChapter(ctx, r.ProjectID, r.ChapterID)
	posted := r.engine.notePost(r.key)

	switch {
	case lost == nil:
		ticket.Confirmed = true
	case errors.Is(lost, audioprojects.Ambiguous):
	case errors.Is(lost, audioprojects.Rejected):
		return r.joinAfterRefusal(ctx, lost)
	default:
		r.outcome.Ticket = nil
		return lost
	}
	requestedAt := posted.Unix()
	ticket.RequestedAtUnix = &requestedAt
	r.outcome.Ticket = ticket
	r.outcome.Started = true

	ended, err := r.watch(ctx)
	switch {
	case err != nil:
		return err
	case ended == noEvidence && !ticket.Confirmed:
		return &UnconfirmedError{Lost: lost}
	default:
		return r.end(ctx, ended)
	}
}

// joinAfterRefusal joins what the service may have refused to start a second time.
func (r *run) joinAfterRefusal(ctx context.Context, refusal error) error {
	r.outcome.Ticket = nil
	chapter, err := r.engine.lookUp(ctx, r.key, baselineAge)
	if err != nil || !busy(chapter) {
		return refusal
	}
	r.see(chapter)
	return r.join(ctx)
}

// watch looks at the chapter until the ticket's conversion has ended, or until the
// evidence window has passed without any sign of it (noEvidence).
func (r *run) watch(ctx context.Context) (verdict, error) {
	waiter := r.engine.feed(r.ProjectID).join()
	defer waiter.leave()

	ticket := r.outcome.Ticket
	after := r.engine.lastPost(r.key)
	windowEnds := r.windowEnds(ticket)
	for {
		found, err := waiter.next(ctx, after)
		if err != nil {
			return noEvidence, err
		}
		after = found.requestedAt
		chapter, err := found.chapter(r.key)
		if err != nil {
			if final(err) {
				return noEvidence, err
			}
			r.outcome.Problem = err
			continue
		}
		r.see(chapter)
		r.outcome.Problem = nil
		windowOver := !found.requestedAt.Before(windowEnds)
		switch seen := ticket.observe(chapter); {
		case seen == succeeded || seen == failed:
			return seen, nil
		case seen == converting:
			r.atWork = true
			// A list that lags behind may yet show the chapter as it was before.
			windowEnds = time.Now().Add(evidenceWindow)
		case seen == vanished && windowOver:
			return ticket.conclude(chapter), nil
		case windowOver:
			return noEvidence, nil
		}
	}
}

// windowEnds is when an untouched chapter begins to mean that nothing happens to it. A
// clock that was set back since the ticket was written must not make this an hour.
func (r *run) windowEnds(ticket *Ticket) time.Time {
	latest := time.Now().Add(evidenceWindow)
	if ticket.joined() {
		return latest
	}
	ends := time.Unix(*ticket.RequestedAtUnix+1, 0).Add(evidenceWindow)
	if ends.After(latest) {
		return latest
	}
	return ends
}

// final tells whether looking again is of no use.
func final(err error) bool {
	return errors.Is(err, audioprojects.NotFound) ||
		errors.Is(err, audioprojects.Unauthorized) ||
		errors.Is(err, audioprojects.Forbidden)
}

func (r *run) see(chapter audioprojects.Chapter) {
	r.outcome.Chapter = chapter
	if r.Progress != nil {
		r.Progress(Progress{Chapter: chapter, Joined: r.outcome.Joined, Waited: time.Since(r.began)})
	}
}

// end is the way out for a conversion that is over.
func (r *run) end(ctx context.Context, ended verdict) error {
	switch ended {
	case failed:
		return r.fail()
	case noEvidence:
		return r.doubt()
	default:
		return r.succeed(ctx)
	}
}

// succeed ends the run, unless the conversion was somebody else's and began before an edit.
func (r *run) succeed(ctx context.Context) error {
	if r.outcome.Ticket.joined() && textLeft(r.outcome.Chapter) {
		return r.start(ctx)
	}
	r.outcome.Ticket = nil
	return nil
}

func (r *run) fail() error {
	return &FailedError{
		Words:  value(r.outcome.Ticket.Failure),
		Joined: r.outcome.Ticket.joined(),
	}
}

func (r *run) doubt() error {
	r.outcome.Ticket = nil
	r.outcome.Doubt = "The service accepted the request, but within " + evidenceWindow.String() +
		" the chapter showed no sign of a conversion. It may have had nothing to do."
	return nil
}

func (e *Engine) notePost(key chapterKey) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.posted[key] = time.Now()
	return e.posted[key]
}

func (e *Engine) lastPost(key chapterKey) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.posted[key]
}
