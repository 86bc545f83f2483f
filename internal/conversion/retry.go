package conversion

import (
	"context"
	"errors"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const (
	// outage is how long looks may fail before a desired state fails that has requested nothing. What is requested is waited for until the
	// timeout.
	outage = time.Minute
	// longestPostponement is how long a service may answer 429 to the request for one conversion before the desired state fails. The
	// service may mean by it that there are no credits left.
	longestPostponement = 10 * time.Minute
	// equalAnswers is how many answers in a row that cannot be read are the same before the wait for a readable one ends.
	equalAnswers = 3
)

// failedLooks are the looks that have failed since the latest that succeeded.
type failedLooks struct {
	since time.Time // when the first was answered; zero if there is none
	// The latest ones in a row that failed in the same way: how, how often, and when the first of them was requested.
	way        string
	alike      int
	alikeSince time.Time
}

// note notes how a look has ended.
func (f *failedLooks) note(err error, requestedAt time.Time) {
	if err == nil {
		*f = failedLooks{}
		return
	}
	if f.since.IsZero() {
		f.since = time.Now()
	}
	way := err.Error()
	if isNotFound(err) { // Its words may have the time.
		way = "404"
	}
	if way != f.way {
		f.way, f.alike, f.alikeSince = way, 0, requestedAt
	}
	f.alike++
}

// isNotFound reports whether the service does not know what was asked for, and not only one chapter of it.
func isNotFound(err error) bool { return errors.Is(err, audioprojects.NotFound) && !IsMissing(err) }

// isFinal reports whether another look would show the latest error again. One odd answer proves nothing: after a list that was answered
// before in this process, 404 needs a second look, and an answer that cannot be read two more that are the same. A certificate may be that of
// one server of many, and is final after a minute.
func (f *failedLooks) isFinal(err error, lists *poller, requestedAt time.Time) bool {
	switch {
	case isNotFound(err) && lists.hasAnswered():
		return requestedAt.Sub(f.alikeSince) >= secondLook
	case audioprojects.Distrusted(err):
		return time.Since(f.since) >= outage
	case audioprojects.Unreadable(err):
		return f.alike >= equalAnswers
	default:
		return IsNoOutage(err) || IsUnreadable(err)
	}
}

// IsNoOutage reports whether a list failed for a reason that stays: the service refuses it, or answers with something else, or with less.
func IsNoOutage(err error) bool {
	showsNoChapters := audioprojects.Unreadable(err) || errors.Is(err, errUnnamed) || errors.As(err, new(*audioprojects.IncompleteError))
	return audioprojects.Permanent(err) || showsNoChapters
}

// looksAgainAfter reports whether the session looks again after a look that failed with this error. In a plan it does so only after an
// answer that cannot be read. It never does after an error that is final, or if the pause that the service asks for is longer than the
// wait. Else it does while it waits for a conversion, after 429, and for a minute if the service has answered this process before:
// otherwise its address is probably wrong.
func (s *session) looksAgainAfter(ctx context.Context, err error) bool {
	if s.failed.isFinal(err, s.lists, s.after) || !endsInTime(ctx, err) {
		return false
	}
	if s.mode == plans {
		return audioprojects.Unreadable(err)
	}
	waits := s.pending != nil && (len(s.seen) > 0 || s.pending.seenByThisProcess)
	return waits || errors.Is(err, audioprojects.RateLimited) || s.engine.reached.Load() && time.Since(s.failed.since) < outage
}

// mayRequestLater reports whether to request again later, after an error that means that the service has not begun. The
// caller looks at the chapter again first, because somebody else may have had it converted meanwhile.
func (s *session) mayRequestLater(ctx context.Context, unsent error) bool {
	if isNotFound(unsent) && s.notFoundAt.IsZero() { // A list has the chapter. What is refused costs nothing.
		s.notFoundAt = time.Now()
		return true
	}
	if !errors.Is(unsent, audioprojects.RateLimited) && !errors.Is(unsent, audioprojects.NotSent) || audioprojects.Distrusted(unsent) {
		return false
	}
	if s.postponedSince.IsZero() {
		s.postponedSince = time.Now()
	}
	return time.Since(s.postponedSince) < longestPostponement && endsInTime(ctx, unsent)
}

// patiently returns a list without an error, requested at notBefore or later, as a session does that has nothing pending.
func (e *Engine) patiently(ctx context.Context, p *poller, mode mode, notBefore time.Time) (*listing, error) {
	asking := session{engine: e, mode: mode, lists: p}
	for {
		found, err := p.listing(ctx, notBefore)
		if err != nil || found.err == nil {
			return found, err
		}
		asking.after = found.requestedAt
		asking.failed.note(found.err, found.requestedAt)
		if !asking.looksAgainAfter(ctx, found.err) {
			return nil, found.err
		}
		_ = sleepUntil(ctx, time.Now().Add(max(shortestInterval, audioprojects.RetryAfter(found.err))), nil) // If the context ends, so does listing.
		notBefore = e.clock.now()
	}
}

// endsInTime reports whether the pause that the service asks for ends before the deadline.
func endsInTime(ctx context.Context, limited error) bool {
	deadline, set := ctx.Deadline()
	return !set || time.Now().Add(audioprojects.RetryAfter(limited)).Before(deadline)
}
