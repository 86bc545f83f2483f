package audioprojects

import (
	"strings"
	"sync"
)

// acceptedOperations count which operations the service has accepted with the API key in this run. A later refusal of the key means something
// else for an operation that it had accepted than for one that it had not.
type acceptedOperations struct {
	mu          sync.Mutex
	byOperation map[string]int // by operation
	total       int
}

// operation is the kind of a request: its method, and its path without the ids, which are every other element.
func (c call) operation() string {
	kinds := []string{c.method}
	for i, element := range c.elements {
		if i%2 == 1 {
			element = "{id}"
		}
		kinds = append(kinds, element)
	}
	return strings.Join(kinds, "/")
}

func (a *acceptedOperations) add(operation string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.byOperation[operation]++
	a.total++
}

func (a *acceptedOperations) count(operation string) (ofThis, total int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.byOperation[operation], a.total
}

// keyHistory is what was known of the API key when a request was refused, and what is known now. The zero history is that of a key that
// was never accepted.
type keyHistory struct {
	accepted                 *acceptedOperations // that of the client
	operation                string
	operationThen, totalThen int // requests that the service had accepted, of this operation and of all
}

func (c *Client) keyHistory(operation string) keyHistory {
	ofThis, all := c.accepted.count(operation)
	return keyHistory{c.accepted, operation, ofThis, all}
}

func (h keyHistory) now() (ofThis, all int) {
	if h.accepted == nil {
		return 0, 0
	}
	return h.accepted.count(h.operation)
}
