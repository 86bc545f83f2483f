package mockserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Fault changes the answers to some requests, or leaves them without one. A request whose answer is replaced, or whose
// connection is cut, has no effect unless Process is true.
type Fault struct {
	Operation Operation // empty: any
	ProjectID string    // empty: any
	ChapterID string    // empty: any
	Skip      int       // the number of matching requests before the first that is hit
	Times     int       // the number of matching requests that are hit; 0: one, negative: all

	Process bool          // the request takes effect before anything goes wrong
	Hang    time.Duration // wait so long before the answer, or until the client disconnects
	Reset   bool          // reset the connection instead of an answer
	EOF     bool          // close the connection instead of an answer

	Status int         // the status of a replaced answer; 0 with a Body: 200
	Header http.Header // the header of a replaced answer
	Body   string      // the body of a replaced answer

	Truncate  int           // cut the connection after so many bytes of the body, with the Content-Length of all; 0: send all
	SlowBytes time.Duration // pause so long after every 64 bytes of the body
}

// RateLimited answers 429. Its Retry-After is the wait in whole seconds.
func RateLimited(wait time.Duration) Fault {
	return rateLimited(strconv.Itoa(int(wait / time.Second)))
}

// RateLimitedUntil answers 429. Its Retry-After is a date, in whole seconds.
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

// Inject adds a fault after those added before. The first fault that matches a request and has none left to skip hits
// it. The faults after that one do not count the request.
func (s *Server) Inject(fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if fault.Times == 0 {
		fault.Times = 1
	}
	s.faults = append(s.faults, &fault)
}

// dueFault is the fault that hits the request; the zero Fault if there is none.
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

// answer is the replaced answer. If the fault gives no media type, JSON gets its own, and net/http finds one for
// everything else.
func (f Fault) answer() answer {
	replacement := answer{
		status: cmp.Or(f.Status, http.StatusOK),
		header: f.Header.Clone(),
		body:   bytes.NewReader([]byte(f.Body)),
		length: int64(len(f.Body)),
	}
	if replacement.header == nil {
		replacement.header = http.Header{}
	}
	if replacement.header.Get("Content-Type") == "" && json.Valid([]byte(f.Body)) {
		replacement.header.Set("Content-Type", "application/json")
	}
	return replacement
}

// pause waits; it reports false if the client disconnects first.
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

// closeConnection ends the connection without an answer. HTTP/2 does not let us take over the connection, and then net/http aborts
// the request.
func closeConnection(w http.ResponseWriter, reset bool) {
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
	lingering, ok := conn.(interface{ SetLinger(seconds int) error })
	if ok {
		if err := lingering.SetLinger(0); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}
