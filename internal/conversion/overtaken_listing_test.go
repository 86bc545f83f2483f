package conversion

import (
	"testing"
	"time"
)

// leftAt is a request that left so many seconds after noon, and that so many wait for.
func leftAt(seconds, wanted int) *fetch {
	return &fetch{requestedAt: noon.Add(time.Duration(seconds) * time.Second), wanted: wanted, done: make(chan struct{})}
}

func TestAListingThatIsOvertakenOrAbandonedIsNotTheLatest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fetches []*fetch
		latest  int // of them
	}{
		"in order":              {[]*fetch{leftAt(1, 1), leftAt(2, 1)}, 1},
		"overtaken":             {[]*fetch{leftAt(2, 1), leftAt(1, 1)}, 0},
		"nobody waits for it":   {[]*fetch{leftAt(1, 1), leftAt(2, 0)}, 0},
		"nobody, and overtaken": {[]*fetch{leftAt(2, 1), leftAt(1, 0)}, 0},
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
