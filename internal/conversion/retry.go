package conversion

import (
	"errors"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// outage is how long looks may fail before a desired state fails that has requested nothing. What is requested is waited for until the
// timeout.
const outage = time.Minute

// failedLooks are the looks that have failed since the latest that succeeded.
type failedLooks struct {
	since time.Time // when the first of them failed; zero if there is none
	// oddSince is when the first of the latest ones in a row was requested that found nothing, or could not be read; zero if there is none.
	oddSince time.Time
}

// note notes how a look has ended.
func (f *failedLooks) note(err error, requestedAt time.Time) {
	switch {
	case err == nil:
		*f = failedLooks{}
		return
	case f.since.IsZero():
		f.since = time.Now()
	}
	isOdd := isNotFound(err) || audioprojects.Unreadable(err)
	switch {
	case !isOdd:
		f.oddSince = time.Time{}
	case f.oddSince.IsZero():
		f.oddSince = requestedAt
	}
}

// isNotFound reports whether the service does not know what was asked for, and not only one chapter of it.
func isNotFound(err error) bool { return errors.Is(err, audioprojects.NotFound) && !IsMissing(err) }

// IsNoOutage reports whether a list failed for a reason that stays: the service refuses it, or answers with something else.
func IsNoOutage(err error) bool { return audioprojects.Permanent(err) || audioprojects.Unreadable(err) }

// looksAgainAfter reports whether the session looks again after a look that failed. 401 and 403 are final. One odd answer proves nothing:
// 404 after an answer that was none, and an answer that cannot be read, need a second look. Otherwise a plan fails at once, because the
// client has tried several times. An apply looks again while it waits for a conversion, after 429, and for a minute if the service has
// answered this process before: otherwise its address is probably wrong.
func (s *session) looksAgainAfter(err error) bool {
	isOdd := audioprojects.Unreadable(err) || isNotFound(err) && s.project.lists.wasReached()
	waits := s.pending != nil && (len(s.seen) > 0 || s.pending.ours)
	isShort := time.Since(s.failed.since) < outage
	switch {
	case !pace.Fits(s.ctx, audioprojects.RetryAfter(err)):
		return false
	case isOdd:
		return s.after.Sub(s.failed.oddSince) < SecondLook
	case audioprojects.Permanent(err), s.mode == plans:
		return false
	case audioprojects.Distrusted(err): // A certificate may be that of one server of many.
		return isShort
	default:
		return waits || errors.Is(err, audioprojects.RateLimited) || isShort && s.engine.reached.Load()
	}
}
