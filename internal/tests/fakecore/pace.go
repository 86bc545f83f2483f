package fakecore

import (
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// maxReadsPerSecond is how often a process may read one thing in a second: a list for each of a few resources, each of which needs one from
	// after its turn began.
	maxReadsPerSecond = 12
	// maxReads is how often a process may read one thing at all: some 40 hours of waiting for one conversion.
	maxReads = 10_000
)

// Paced passes the requests of a process on to a service, and fails the test if the process reads without a pause, or for ever. In fake time
// such a test would never end, and would fill the machine. So from then on, it answers 401, which ends each wait.
func Paced(t T, service http.Handler) http.Handler {
	p := &paced{t: t, reads: map[string]*reads{}}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !p.isTooMuch(r.URL.Path) {
			service.ServeHTTP(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(rw, `{"detail":"This test reads too often."}`) // The client may have gone.
	})
}

type paced struct {
	t      T
	mu     sync.Mutex
	reads  map[string]*reads // by path
	failed bool
}

// reads are how often a path was read.
type reads struct {
	second        time.Time // the beginning of the latest second with a read in it
	inSecond, all int
}

// isTooMuch counts a read, and reports whether there were too many.
func (p *paced) isTooMuch(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reads[path] == nil {
		p.reads[path] = &reads{}
	}
	of := p.reads[path]
	if time.Since(of.second) >= time.Second {
		of.second, of.inSecond = time.Now(), 0
	}
	of.inSecond, of.all = of.inSecond+1, of.all+1
	isTooMuch := of.inSecond > maxReadsPerSecond || of.all > maxReads
	if isTooMuch && !p.failed {
		p.failed = true
		p.t.Errorf("a process has read %s %d times within a second, and %d times in all", path, of.inSecond, of.all)
	}
	return p.failed
}
