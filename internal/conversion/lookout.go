package conversion

import (
	"context"
	"errors"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// outage is how long looks may fail before a desired state fails that has requested nothing. What is requested is waited for until the
// timeout.
const outage = time.Minute

// lookout asks for lists of a project, and knows whether to ask again after one that failed.
type lookout struct {
	// ctx ends with whoever waits. That of a session also ends with [Desired.Timeout] once a conversion is under way.
	ctx     context.Context
	engine  *Engine
	project *project
	mode    mode
	// askedAt is when the latest list was requested: only later ones are new; zero before the first.
	askedAt time.Time
	// freshSince is when a list must have been made that is to show anything, if it comes from a cache; zero in a plan,
	// which takes a list as it is.
	freshSince time.Time
	// failedSince is when the first of the latest lists in a row failed; zero if the latest has come.
	failedSince time.Time
	// oddSince is when the first of the latest ones in a row was requested that found nothing, or could not be read; zero if the latest was
	// neither.
	oddSince time.Time
}

func (e *Engine) newLookout(ctx context.Context, projectID string, mode mode) lookout {
	l := lookout{ctx: ctx, engine: e, project: e.project(projectID), mode: mode}
	if mode != plans {
		l.freshSince = e.clock.now()
	}
	return l
}

// asOf is when a list was made, and what it shows was true. A plan takes that of a cache as it is.
func (l *lookout) asOf(found *response[chapterList]) time.Time {
	if l.mode == plans {
		return found.askedAt
	}
	return found.askedAt.Add(-found.age)
}

// checked is a list, or the error for one that a cache has kept from before anything that counts.
func (l *lookout) checked(found *response[chapterList]) *response[chapterList] {
	if found.err != nil || found.age == 0 || !l.asOf(found).Before(l.freshSince) {
		return found
	}
	old := *found
	old.err = &CachedError{found.age}
	return &old
}

// listPatiently returns the chapters of a project, from a list that is fresh in an apply. It asks again after a failure, as a watcher does
// that has nothing pending.
func (e *Engine) listPatiently(ctx context.Context, projectID string, mode mode) ([]audioprojects.Chapter, error) {
	l := e.newLookout(ctx, projectID, mode)
	notBefore := e.clock.now()
	if mode == plans {
		notBefore = notBefore.Add(-refreshAge)
	}
	var failed error
	for {
		found, err := l.project.lists.get(ctx, notBefore)
		if err != nil {
			return nil, &CutShortError{err, failed}
		}
		found = l.checked(found)
		if found.err == nil {
			return found.value.chapters, nil
		}
		if err := l.goesOnAfter(found, false); err != nil {
			return nil, err
		}
		failed = found.err
		_ = sleepUntil(ctx, time.Now().Add(max(shortestInterval, audioprojects.RetryAfter(found.err)))) // If the context ends, so does the list.
		notBefore = found.askedAt.Add(1)
	}
}

// goesOnAfter notes how a list has ended. It returns its error if no other list is asked for. waits: a conversion is waited for.
//
// 401 and 403 are final. One odd answer proves nothing: a 404 of a project that was listed before, and an answer that cannot be read, need a
// second look. Otherwise a plan fails at once, because the client has tried several times. An apply asks again while it waits for a
// conversion, after 429, and for a minute if the service has answered this process before: otherwise its address is probably wrong. No wait
// makes a certificate trusted, unless it is that of one server of many: while a conversion is waited for, that lasts a minute.
func (l *lookout) goesOnAfter(found *response[chapterList], waits bool) error {
	l.askedAt = found.askedAt
	err := found.err
	if err == nil {
		l.failedSince, l.oddSince = time.Time{}, time.Time{}
		return nil
	}
	if l.failedSince.IsZero() {
		l.failedSince = time.Now()
	}
	mayBeOdd := isNotFound(err) || audioprojects.Unreadable(err)
	switch {
	case !mayBeOdd:
		l.oddSince = time.Time{}
	case l.oddSince.IsZero():
		l.oddSince = found.askedAt
	}
	isOdd := audioprojects.Unreadable(err) || isNotFound(err) && l.project.lists.hasAnswered()
	isShort := time.Since(l.failedSince) < outage
	var goesOn bool
	switch {
	case !pace.Fits(l.ctx, audioprojects.RetryAfter(err)):
	case isOdd:
		goesOn = found.askedAt.Sub(l.oddSince) < SecondLook
	case audioprojects.Permanent(err), l.mode == plans:
	case audioprojects.HandshakeFailed(err):
		goesOn = waits && isShort
	default:
		goesOn = waits || errors.Is(err, audioprojects.RateLimited) || isShort && l.engine.hasAnswered.Load()
	}
	if goesOn {
		return nil
	}
	return err
}

// isNotFound reports whether the service does not know what was asked for, and not only one chapter of it.
func isNotFound(err error) bool { return errors.Is(err, audioprojects.NotFound) && !IsMissing(err) }

// IsNoOutage reports whether a list failed for a reason that stays: the service refuses it, answers with something else, or agrees on no
// connection.
func IsNoOutage(err error) bool {
	return audioprojects.Permanent(err) || audioprojects.Unreadable(err) || audioprojects.HandshakeFailed(err)
}
