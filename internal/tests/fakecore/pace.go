package fakecore

import (
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// mostPerSecond is how often a process may read in a second: a list for each of a few resources, each of which needs one from after its
	// turn began.
	mostPerSecond = 12
	// mostReads is how often a process may read at all: some 40 hours of waiting for one conversion.
	mostReads = 10_000
)

// Paced passes the requests of a process on to a service, and fails the test if the process reads without a pause, or for ever. In fake time
// such a test would never end, and would fill the machine. So from then on, it answers 401, which ends each wait.
func Paced(t T, service http.Handler) http.Handler {
	var mu sync.Mutex
	var reads int
	var second time.Time // the beginning of the latest second with a read in it
	var inSecond int
	var isTold bool
	isTooMuch := func() bool {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(second) >= time.Second {
			second, inSecond = time.Now(), 0
		}
		reads, inSecond = reads+1, inSecond+1
		if inSecond <= mostPerSecond && reads <= mostReads && !isTold {
			return false
		}
		if !isTold {
			t.Errorf("a process has read %d times within a second, and %d times in all", inSecond, reads)
		}
		isTold = true
		return true
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !isTooMuch() {
			service.ServeHTTP(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(rw, `{"detail":"This test reads too often."}`) // The client may have gone.
	})
}
