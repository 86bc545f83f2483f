package mockserver

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// Allowance is how many requests a second the service answers. A request beyond it gets 429, has no effect and does not
// count. The document gives no limit (section 8).
type Allowance struct {
	PerSecond float64
	Burst     int // requests that may come at once after a time without any
}

// Allow limits the requests from now on. Retry-After is the time until the next one would be answered, in seconds,
// rounded up.
func (s *Server) Allow(allowance Allowance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limiter = rate.NewLimiter(rate.Limit(allowance.PerSecond), allowance.Burst)
}

// overAllowance is the answer to a request beyond the allowance; nil within it.
func (s *Server) overAllowance() *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limiter == nil {
		return nil
	}
	now := time.Now()
	reservation := s.limiter.ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	reservation.CancelAt(now)
	refusal := errorAnswer(http.StatusTooManyRequests, errorDetail{"too_many_requests", "Too many requests."})
	refusal.header.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	return &refusal
}
