package audioprojects

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// longestPause is how long a request that nobody has set a deadline for obeys Retry-After.
// Longer than that, its sender would rather know.
const longestPause = time.Minute

// silence is what a service wants that answers 429 with Retry-After. All requests of a
// client keep it, so that those who ask side by side need not each be told.
type silence struct {
	mu    sync.Mutex
	until time.Time
}

type silentTransport struct {
	patientTransport
	silence *silence
}

func (t silentTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := t.silence.keep(request.Context()); err != nil {
		return nil, err
	}
	response, err := t.patientTransport.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusTooManyRequests {
		t.silence.begin(retryAfter(response))
	}
	return response, err
}

func (s *silence) begin(length time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if until := time.Now().Add(length); until.After(s.until) {
		s.until = until
	}
}

// keep waits until the service may be asked again, or says at once that this would take too long.
func (s *silence) keep(ctx context.Context) error {
	for {
		s.mu.Lock()
		left := time.Until(s.until)
		s.mu.Unlock()
		if left <= 0 {
			return ctx.Err()
		}
		if !pauseFits(ctx, left) {
			return &Error{
				Kind:       RateLimited,
				RetryAfter: left,
				Err:        fmt.Errorf("the service has asked for no requests for another %s", left.Round(time.Second)),
			}
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// pauseFits tells whether the pause ends before the context's deadline. If not, saying why
// nothing was achieved is worth more than the pause.
func pauseFits(ctx context.Context, pause time.Duration) bool {
	deadline, set := ctx.Deadline()
	if !set {
		return pause <= longestPause
	}
	return time.Now().Add(pause).Before(deadline)
}
