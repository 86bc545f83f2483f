package conversion

import (
	"testing"
	"time"
)

// sentAt is a request that was sent so many seconds after noon, and whose result so many callers wait for.
func sentAt(seconds, wanted int) *fetch {
	return &fetch{requestedAt: noon.Add(time.Duration(seconds) * time.Second), wanted: wanted, done: make(chan struct{})}
}

func TestAListingThatIsOvertakenOrAbandonedIsNotTheLatest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fetches []*fetch
		latest  int // of them
	}{
		"in order":              {[]*fetch{sentAt(1, 1), sentAt(2, 1)}, 1},
		"overtaken":             {[]*fetch{sentAt(2, 1), sentAt(1, 1)}, 0},
		"nobody waits for it":   {[]*fetch{sentAt(1, 1), sentAt(2, 0)}, 0},
		"nobody, and overtaken": {[]*fetch{sentAt(2, 1), sentAt(1, 0)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPoller(new(clock), nil)
			for _, current := range test.fetches {
				p.finish(current, newListing(nil, nil))
				<-current.done
			}
			if p.latest != test.fetches[test.latest].result {
				t.Errorf("the latest listing was requested at %s, want %s", p.latest.requestedAt, test.fetches[test.latest].requestedAt)
			}
			if recent := p.since(noon); len(recent) == 0 || recent[len(recent)-1] != p.latest {
				t.Error("the latest is not the last of the recent ones")
			}
		})
	}
}
