package fakecore

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// maxReadsPerSecond is how often a process may read one thing in a second: a list for each of a few resources, each of which needs one from
	// after its turn began.
	maxReadsPerSecond = 12
	// maxReads is how often a process may read one thing at all: some 40 hours of waiting for one conversion.
	maxReads = 10_000
	// betweenRequests is the shortest time between the answer to a request for a conversion and the next request for it.
	betweenRequests = time.Second
)

// Paced passes the requests of a process on to a service, and fails the test if the process reads without a pause, or
// for ever, or requests a conversion again within a second of an answer. In fake time such a test would never end, and
// would fill the machine. So from then on, it answers 401, which ends each wait.
func Paced(t T, service http.Handler) http.Handler {
	p := &paced{t: t, reads: map[string]*reads{}, answered: map[string]time.Time{}}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		converts := strings.HasSuffix(r.URL.Path, "/convert")
		isTooMuch := converts && p.isTooSoon(r.URL.Path) || r.Method == http.MethodGet && p.isTooMuch(r.URL.Path)
		if !isTooMuch {
			if converts {
				defer p.answer(r.URL.Path)
			}
			service.ServeHTTP(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(rw, `{"detail":"This test sends too many requests."}`) // The client may have gone.
	})
}

type paced struct {
	t        T
	mu       sync.Mutex
	reads    map[string]*reads    // by path
	answered map[string]time.Time // by the path of a request for a conversion: when the latest was answered
	failed   bool
}

// answer notes that a request for a conversion was answered.
func (p *paced) answer(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered[path] = time.Now()
}

// isTooSoon reports whether a conversion is requested again within a second of an answer to the request for it.
func (p *paced) isTooSoon(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	answered, isAgain := p.answered[path]
	since := time.Since(answered)
	if isAgain && since < betweenRequests && !p.failed {
		p.failed = true
		p.t.Errorf("a process has sent %s again %s after the answer", path, since)
	}
	return p.failed
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
