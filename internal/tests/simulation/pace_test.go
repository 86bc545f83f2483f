package simulation_test

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"time"
)

// A story that asks for lists without a pause plays for ever, because no time passes in it, and fills the machine. So the service refuses
// the key once a story has asked for too many, which ends all waits.

const (
	// mostListsPerSecond is how many lists a process may ask for in a second: a few for each of its resources, each of which needs a list
	// from after its turn began.
	mostListsPerSecond = 12
	// mostLists is how many lists all processes of a story may ask for: some 40 hours of waiting.
	mostLists = 10_000
	// longestPlay and mostMemory bound a story that plays on without a request. They are no measurement: a story takes 20 ms and 20 MiB.
	longestPlay = 2 * time.Minute
	mostMemory  = 6 << 30
)

// pace is how often the processes of a story have asked for lists.
type pace struct {
	latest map[int][]time.Duration // of the last second, by process
	count  int
	broken string // how the story has asked too often; empty if it has not
}

// note notes a request for a list, and reports whether it is to be refused.
func (p *pace) note(process int, now time.Duration) (refused bool) {
	if p.latest == nil {
		p.latest = map[int][]time.Duration{}
	}
	isOld := func(at time.Duration) bool { return at < now-time.Second }
	p.latest[process] = append(slices.DeleteFunc(p.latest[process], isOld), now)
	p.count++
	switch {
	case p.broken != "":
	case len(p.latest[process]) > mostListsPerSecond:
		p.broken = fmt.Sprintf("process %d has asked for %d lists within a second, at %s", process, len(p.latest[process]), clock(now))
	case p.count > mostLists:
		p.broken = fmt.Sprintf("the story has asked for more than %d lists, at %s", mostLists, clock(now))
	}
	return p.broken != ""
}

// keyRefused is the answer that ends each wait for lists at once.
var keyRefused = fault{What: "status", Status: http.StatusUnauthorized}

// checkPace checks I11: no story asks for lists without a pause, or for ever.
func (t *terraform) checkPace() {
	t.locked(func(time.Duration) {
		if t.pace.broken != "" {
			t.addViolation("I11", "%s", t.pace.broken)
		}
	})
}

// watch ends the test if a story takes much too long, or too much memory. The caller must call the result when the story has ended.
func watch(seed uint64) (ended func()) {
	done, began := make(chan struct{}), time.Now()
	go func() {
		var memory runtime.MemStats
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Second):
			}
			runtime.ReadMemStats(&memory)
			if time.Since(began) > longestPlay || memory.HeapInuse > mostMemory {
				panic(fmt.Sprintf("the story of seed %d plays on after %s, with %d MiB", seed, time.Since(began), memory.HeapInuse>>20))
			}
		}
	}()
	return func() { close(done) }
}
