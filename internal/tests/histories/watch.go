package histories

import (
	"fmt"
	"runtime"
	"time"
)

// longestPlay and mostMemory bound a history that plays on without a request, so that it cannot fill the machine. They measure nothing: a
// history takes some 30 ms and 20 MiB.
const (
	longestPlay = 2 * time.Minute
	mostMemory  = 6 << 30
)

// watch ends the test if a history takes much too long, or too much memory. The caller must call the result when the history has ended.
func watch(h *History) (ended func()) {
	done, began := make(chan struct{}), time.Now()
	go func() {
		var memory runtime.MemStats
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Second):
			}
			runtime.ReadMemStats(&memory)
			if time.Since(began) > longestPlay || memory.HeapInuse > mostMemory {
				panic(fmt.Sprintf("a history plays on after %s, with %d MiB:\n%s", time.Since(began), memory.HeapInuse>>20, h))
			}
		}
	}()
	return func() { close(done) }
}
