package mockserver

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Fault spoils the answers to some requests. Without Process, a fault that
// replaces the answer or cuts the connection keeps the request from having any
// effect.
type Fault struct {
	Operation Operation // empty: any
	ProjectID string    // empty: any
	ChapterID string    // empty: any
	Skip      int       // matching requests that pass unharmed first
	Times     int       // matching requests that are hit then; 0: one, negative: all

	Process bool          // the request takes effect before its answer is spoilt
	Hang    time.Duration // wait before anything else, until the client leaves at the latest
	Reset   bool          // the connection is reset instead of an answer
	EOF     bool          // the connection is closed instead of an answer

	Status int         // answer with this instead; 0 with a Body: 200
	Header http.Header // of the answer instead
	Body   string      // of the answer instead

	Truncate  int           // cut the connection after so many bytes of the body; Content-Length promises all; 0: whole
	SlowBytes time.Duration // pause after every 64 bytes of the body
}

// RateLimited is an answer 429 whose Retry-After is a number of seconds.
func RateLimited(wait time.Duration) Fault {
	return rateLimited(strconv.Itoa(int(wait / time.Second)))
}

// RateLimitedUntil is an answer 429 whose Retry-After is a date, in whole
// seconds.
func RateLimitedUntil(moment time.Time) Fault {
	return rateLimited(moment.UTC().Format(http.TimeFormat))
}

func rateLimited(retryAfter string) Fault {
	return Fault{
		Status: http.StatusTooManyRequests,
		Header: http.Header{"Retry-After": {retryAfter}},
		Body:   `{"detail":{"status":"too_many_requests","message":"Too many requests."}}`,
	}
}

// Inject adds a fault behind those added before. A request is hit by the first
// one that matches and has nothing left to skip; later faults do not see it.
func (s *Server) Inject(fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if fault.Times == 0 {
		fault.Times = 1
	}
	s.faults = append(s.faults, &fault)
}

// dueFault takes the fault that hits the request; the zero fault does nothing.
func (s *Server) dueFault(c *call) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, fault := range s.faults {
		switch {
		case fault.Times == 0 || !fault.matches(c):
		case fault.Skip > 0:
			fault.Skip--
		default:
			if fault.Times > 0 {
				fault.Times--
			}
			return *fault
		}
	}
	return Fault{}
}

func (f Fault) matches(c *call) bool {
	return (f.Operation == "" || f.Operation == c.operation) &&
		(f.ProjectID == "" || f.ProjectID == c.projectID) &&
		(f.ChapterID == "" || f.ChapterID == c.chapterID)
}

func (f Fault) replacesAnswer() bool { return f.Status != 0 || f.Body != "" }

// answer is the one that a fault gives instead. What is not JSON is left to
// net/http to name, unless the fault names it.
func (f Fault) answer() answer {
	replacement := answer{
		status: f.Status,
		header: f.Header.Clone(),
		body:   bytes.NewReader([]byte(f.Body)),
		length: int64(len(f.Body)),
	}
	if f.Status == 0 {
		replacement.status = http.StatusOK
	}
	if replacement.header == nil {
		replacement.header = http.Header{}
	}
	if replacement.header.Get("Content-Type") == "" && json.Valid([]byte(f.Body)) {
		replacement.header.Set("Content-Type", "application/json")
	}
	return replacement
}

// pause waits; it reports false if the client left first.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// cut ends the connection without an answer. A connection that cannot be taken
// over (HTTP/2) is left to net/http to abort.
func cut(w http.ResponseWriter, reset bool) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if reset {
		discardUnsent(conn)
	}
	if err := conn.Close(); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// discardUnsent makes the next Close send a reset.
func discardUnsent(conn net.Conn) {
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secured.NetConn()
	}
	if lingering, ok := conn.(interface{ SetLinger(seconds int) error }); ok {
		if err := lingering.SetLinger(0); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}
