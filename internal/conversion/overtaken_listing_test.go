package conversion

import (
	"testing"
	"time"
)

// leftAt is a request that left so many seconds after noon, and that so many wait for.
func leftAt(seconds, wanted int) *flight {
	return &flight{requestedAt: noon.Add(time.Duration(seconds) * time.Second), wanted: wanted, landed: make(chan struct{})}
}

func TestAListingThatIsOvertakenOrAbandonedIsNotTheLatest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		flights []*flight
		latest  int // of them
	}{
		"in order":              {[]*flight{leftAt(1, 1), leftAt(2, 1)}, 1},
		"overtaken":             {[]*flight{leftAt(2, 1), leftAt(1, 1)}, 0},
		"nobody waits for it":   {[]*flight{leftAt(1, 1), leftAt(2, 0)}, 0},
		"nobody, and overtaken": {[]*flight{leftAt(2, 1), leftAt(1, 0)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPoller(new(clock), nil)
			for _, landing := range test.flights {
				p.land(landing, newListing(nil, nil))
				<-landing.landed
			}
			if p.latest != test.flights[test.latest].result {
				t.Errorf("the latest listing was requested at %s, want %s", p.latest.requestedAt, test.flights[test.latest].requestedAt)
			}
			if recent := p.since(noon); len(recent) == 0 || recent[len(recent)-1] != p.latest {
				t.Error("the latest is not the last of the recent ones")
			}
		})
	}
}
