package conversion

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// refusals judge whether what the service refuses to some chapters of a project, it refuses to all that are left. 401, 402 and 403 may be a
// chapter's own: its neighbours may share a voice that the plan lacks. So two alike in a row, with nothing accepted in between, are only a
// doubt. Then the next request is the one for the last chapter that may still be requested, and the others wait for its answer: if that is
// refused alike, the rest stops, and otherwise the order goes on. No refusals at all hold nothing back.
type refusals struct {
	stop func(*StoppedError) // called once, when the rest stops

	mu         sync.Mutex
	changed    chan struct{} // closed at each change, and then replaced
	candidates []string      // the chapters that may still be requested, in the order of the requests
	latest     *audioprojects.Error
	alike      int    // refusals in a row that are like the latest
	probe      string // the chapter whose request decides; empty without a doubt
	stopped    *StoppedError
}

func newRefusals(candidates []string, stop func(*StoppedError)) *refusals {
	return &refusals{candidates: candidates, stop: stop, changed: make(chan struct{})}
}

// admit waits until a chapter may be requested, and calls onWait before that with the refusal that is the reason. The
// error is why it may not be requested: a [*StoppedError], or the context's.
func (r *refusals) admit(ctx context.Context, chapterID string, onWait func(refusal error)) error {
	for waited := false; r != nil; waited = true {
		isHeld, changed, err := r.state(chapterID)
		if err != nil || !isHeld {
			return err
		}
		if !waited {
			onWait(r.reason())
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// holds reports whether a chapter may not be requested now.
func (r *refusals) holds(chapterID string) bool {
	if r == nil {
		return false
	}
	isHeld, _, err := r.state(chapterID)
	return isHeld || err != nil
}

func (r *refusals) reason() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.latest
}

func (r *refusals) state(chapterID string) (isHeld bool, changed <-chan struct{}, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped != nil {
		return false, nil, r.stopped
	}
	return r.probe != "" && r.probe != chapterID, r.changed, nil
}

// next is which of the chapters that have not begun is the next one to begin: the one whose request decides, or the
// first. It is -1 while the one that decides has begun.
func (r *refusals) next(waiting []*ChapterStatus) (index int, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.probe == "" {
		return 0, r.changed
	}
	isProbe := func(c *ChapterStatus) bool { return c.Desired.ChapterID == r.probe }
	return slices.IndexFunc(waiting, isProbe), r.changed
}

// answered notes how the service has answered the request for a chapter. What it may answer otherwise next time says nothing.
func (r *refusals) answered(chapterID string, err error) {
	if r == nil {
		return
	}
	refused, hasAnswer := errors.AsType[*audioprojects.Error](err)
	isOfAll := hasAnswer && (refused.QuotaExceeded() || refused.RefusesKey())
	isOfKey := errors.Is(err, audioprojects.Unauthorized) || errors.Is(err, audioprojects.Forbidden)
	r.change(func() {
		switch {
		case isOfAll:
			r.stopRest(refused)
		case err == nil:
			r.alike, r.probe = 0, ""
			r.drop(chapterID)
		case errors.Is(err, audioprojects.Ambiguous):
			r.drop(chapterID)
		case isOfKey, errors.Is(err, audioprojects.Rejected):
			r.refuse(chapterID, refused)
		}
	})
}

// refuse judges a refusal. It needs r.mu.
func (r *refusals) refuse(chapterID string, refused *audioprojects.Error) {
	wasProbe, isDoubt := r.probe == chapterID, r.probe != ""
	isAlike := r.alike > 0 && mayBeOfAll(refused) && refused.IsLike(r.latest)
	r.drop(chapterID)
	switch {
	case wasProbe && isAlike:
		r.stopRest(refused)
	case isAlike:
		r.alike++
	case wasProbe, !isDoubt:
		r.alike, r.latest, r.probe = 0, refused, ""
		if mayBeOfAll(refused) {
			r.alike = 1
		}
	}
	if r.alike > 1 && !isDoubt {
		r.probe = r.lastCandidate()
	}
}

// leaveOut notes that nothing is requested for a chapter for now, or any more.
func (r *refusals) leaveOut(chapterID string) {
	if r != nil {
		r.change(func() { r.drop(chapterID) })
	}
}

// stopAll stops the rest because of a refusal that is everybody's.
func (r *refusals) stopAll(refused *audioprojects.Error) { r.change(func() { r.stopRest(refused) }) }

// drop takes a chapter from those that may still be requested. If its request was to decide, another one does. It needs r.mu.
func (r *refusals) drop(chapterID string) {
	r.candidates = slices.DeleteFunc(r.candidates, func(id string) bool { return id == chapterID })
	if r.probe == chapterID {
		r.probe = r.lastCandidate()
	}
}

// lastCandidate is the last chapter that may still be requested; empty if there is none. It needs r.mu.
func (r *refusals) lastCandidate() string {
	if len(r.candidates) == 0 {
		return ""
	}
	return r.candidates[len(r.candidates)-1]
}

func (r *refusals) stopRest(refused *audioprojects.Error) {
	if r.stopped == nil {
		r.stopped = &StoppedError{refused}
		r.stop(r.stopped)
	}
}

func (r *refusals) change(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
	close(r.changed)
	r.changed = make(chan struct{})
}

// mayBeOfAll reports whether a refusal may be about the key or the account.
func mayBeOfAll(refused *audioprojects.Error) bool {
	ofAll := []int{http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden}
	return slices.Contains(ofAll, refused.Status)
}
