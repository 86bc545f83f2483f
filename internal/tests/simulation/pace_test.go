package simulation_test

import (
	"fmt"
	"runtime"
	"time"
)

// longestPlay and mostMemory bound a story that plays on without a request, so that it cannot fill the machine. They measure nothing: a
// story takes some 60 ms and 20 MiB.
const (
	longestPlay = 2 * time.Minute
	mostMemory  = 6 << 30
)

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
