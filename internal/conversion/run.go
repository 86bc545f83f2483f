package conversion

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// run is one request on its way. Its methods are the states of the diagram in README.md.
type run struct {
	Request
	engine *Engine
	key    chapterKey
	began  time.Time

	outcome Outcome
	err     error
	ended   chan struct{} // closed when outcome and err are final

	number         int       // the chapter's place in the project, 0 before it has been seen
	seenAt         time.Time // when the list that shows the chapter as last seen was answered
	firstRefusedAt time.Time // when the service first was not to be asked for a conversion; zero if it always was
	follows        bool      // what is to be requested follows a conversion that began earlier and left text unconverted
	mu             sync.Mutex
	followers      []func(Progress)
}

func newRun(engine *Engine, key chapterKey, request Request) *run {
	r := &run{engine: engine, key: key, Request: request, began: time.Now(), ended: make(chan struct{})}
	if request.Progress != nil {
		r.followers = []func(Progress){request.Progress}
	}
	return r
}

// convert looks at the chapter first: what to do depends on what it finds.
func (r *run) convert(ctx context.Context) error {
	r.outcome.Ticket = r.Resume
	if err := r.firstLook(ctx); err != nil {
		return err
	}
	if r.Resume != nil {
		return r.resume(ctx, *r.Resume)
	}
	return r.unlessFulfilled(ctx)
}

// resume takes up a conversion that an earlier request left behind.
func (r *run) resume(ctx context.Context, ticket Ticket) error {
	seen := failed
	if ticket.Failure == nil {
		seen = ticket.observe(r.outcome.Chapter)
	}
	r.outcome.Ticket = &ticket
	r.outcome.Joined = true
	switch {
	case seen == failed:
		r.outcome.Superseded = string(*ticket.Failure)
		return r.anew(ctx)
	case r.Again && seen == succeeded:
		return r.anew(ctx)
	case r.Again && seen == converting:
		// It began before there was a reason to convert again, like somebody else's.
		return r.join(ctx)
	case seen == succeeded:
		return r.succeed(ctx)
	}
	ended, err := r.watch(ctx, windowEnds(ticket))
	switch {
	case err != nil:
		return err
	case ended == noEvidence && !ticket.Confirmed:
		return r.anew(ctx)
	case ended == succeeded && r.Again && textLeft(r.outcome.Chapter):
		return r.followUp(ctx)
	default:
		return r.end(ctx, ended)
	}
}

// await watches what an earlier request left behind, and leaves it to be resumed.
func (r *run) await(ctx context.Context, ticket Ticket) error {
	r.outcome.Ticket = &ticket
	if err := r.firstLook(ctx); err != nil || ticket.Failure != nil {
		return err
	}
	switch ticket.observe(r.outcome.Chapter) {
	case succeeded, failed:
		return nil
	}
	_, err := r.watch(ctx, windowEnds(ticket))
	return err
}

// unlessFulfilled leaves a chapter alone that is as it is wished to be.
func (r *run) unlessFulfilled(ctx context.Context) error {
	chapter := r.outcome.Chapter
	enough := r.UnlessUpToDate && nothingLeft(chapter) || r.follows && !textLeft(chapter)
	if enough && !Busy(chapter) {
		r.outcome.Ticket = nil
		return nil
	}
	return r.anew(ctx)
}

// anew joins the conversion that is under way, or starts one.
func (r *run) anew(ctx context.Context) error {
	if Busy(r.outcome.Chapter) {
		return r.join(ctx)
	}
	return r.start(ctx)
}

// join waits for a conversion that somebody else has asked for.
func (r *run) join(ctx context.Context) error {
	r.outcome.Joined, r.outcome.Postponed = true, nil
	r.outcome.Ticket = &Ticket{Baseline: baselineOf(r.outcome.Chapter)}
	r.outcome.Ticket.observe(r.outcome.Chapter)
	ended, err := r.watch(ctx, time.Now().Add(evidenceWindow))
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
	lost := r.engine.client.ConvertChapter(ctx, r.ProjectID, r.ChapterID, r.seenAt.Add(baselineAge))
	if r.mayStartLater(ctx, lost) {
		r.outcome.Ticket = nil
		if !errors.Is(lost, audioprojects.Overdue) {
			r.outcome.Postponed = lost
			r.tell()
		}
		if err := r.nextLook(ctx); err != nil {
			return err
		}
		return r.unlessFulfilled(ctx)
	}
	r.outcome.Postponed = nil
	posted := r.engine.notePost(r.key)

	switch {
	case lost == nil:
		ticket.Confirmed = true
	case errors.Is(lost, audioprojects.Ambiguous):
	case errors.Is(lost, audioprojects.Rejected):
		r.outcome.Ticket = ticket
		return r.joinAfterRefusal(ctx, lost)
	default:
		r.outcome.Ticket = nil
		return lost
	}
	requestedAt := posted.Unix()
	ticket.RequestedAtUnix = &requestedAt
	r.outcome.Ticket = ticket
	r.outcome.Started = true
	r.tell()

	ended, err := r.watch(ctx, posted.Add(evidenceWindow))
	switch {
	case err != nil:
		return err
	case ended == noEvidence && !ticket.Confirmed:
		return &UnconfirmedError{Lost: lost}
	default:
		return r.end(ctx, ended)
	}
}

// joinAfterRefusal joins what the service may have refused to start a second time: somebody
// else's conversion, or our own if a proxy has sent the request twice.
func (r *run) joinAfterRefusal(ctx context.Context, refusal error) error {
	r.outcome.Joined = true
	windowEnds := time.Now()
	if mayMeanBusy(refusal) {
		windowEnds = windowEnds.Add(evidenceWindow)
	}
	ended, err := r.watch(ctx, windowEnds)
	switch {
	case err != nil:
		return err
	case ended == noEvidence:
		r.outcome.Ticket = nil
		return refusal
	default:
		return r.end(ctx, ended)
	}
}

// mayMeanBusy tells whether services refuse like this what is converting already. The
// document gives no status for it (section 7).
func mayMeanBusy(refusal error) bool {
	var refused *audioprojects.Error
	return errors.As(refusal, &refused) &&
		(refused.Status == http.StatusConflict || refused.Status == http.StatusBadRequest)
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
	if r.outcome.Ticket.Joined() && textLeft(r.outcome.Chapter) {
		return r.followUp(ctx)
	}
	r.fulfil()
	return nil
}

// followUp asks for the text that a conversion could not know of when it began.
func (r *run) followUp(ctx context.Context) error {
	r.follows = true
	return r.start(ctx)
}

// fulfil ends what the ticket stands for.
func (r *run) fulfil() {
	r.outcome.Leftover = r.outcome.Ticket.Leftover(r.outcome.Chapter)
	r.outcome.Ticket = nil
}

func (r *run) fail() error {
	return &FailedError{
		Words:  string(value(r.outcome.Ticket.Failure)),
		Joined: r.outcome.Ticket.Joined(),
	}
}

func (r *run) doubt() error {
	r.fulfil()
	r.outcome.Doubt = "The service accepted the request, but within " + evidenceWindow.String() +
		" the chapter showed no sign of a conversion. It may have had nothing to do."
	return nil
}
