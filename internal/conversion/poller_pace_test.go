package conversion

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestWhenTheNextListIsDue(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		waited     time.Duration // by the newest waiter
		jitter     float64       // 0: none
		until      time.Duration // after the latest answer; 0: not wanted earlier
		retryAfter time.Duration
		want       time.Duration // after the latest answer
	}{
		"at first":                          {want: time.Second},
		"after seven seconds":               {waited: 7 * time.Second, want: time.Second},
		"a seventh of the wait":             {waited: 14 * time.Second, want: 2 * time.Second},
		"a seventh of a longer one":         {waited: 70 * time.Second, want: 10 * time.Second},
		"the longest interval":              {waited: 112 * time.Second, want: 16 * time.Second},
		"never longer":                      {waited: time.Hour, want: 16 * time.Second},
		"with jitter, earlier":              {waited: 70 * time.Second, jitter: 0.95, want: 9500 * time.Millisecond},
		"with jitter, later":                {waited: 70 * time.Second, jitter: 1.05, want: 10500 * time.Millisecond},
		"wanted earlier":                    {waited: 70 * time.Second, until: 3 * time.Second, want: 3 * time.Second},
		"wanted at once":                    {waited: 70 * time.Second, until: time.Millisecond, want: time.Second},
		"wanted at once, with jitter":       {jitter: 0.95, until: time.Millisecond, want: 950 * time.Millisecond},
		"wanted later":                      {waited: 70 * time.Second, until: time.Minute, want: 10 * time.Second},
		"the service asks for a pause":      {retryAfter: 30 * time.Second, want: 30 * time.Second},
		"a pause, and a list is wanted":     {retryAfter: 30 * time.Second, until: 5 * time.Second, want: 30 * time.Second},
		"a pause shorter than the interval": {waited: 70 * time.Second, retryAfter: time.Second, want: 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			latest := &listing{requestedAt: noon.Add(-10 * time.Second), answeredAt: noon}
			if test.retryAfter > 0 {
				latest.err = &audioprojects.Error{Kind: audioprojects.RateLimited, RetryAfter: test.retryAfter}
			}
			p := &poller{latest: latest, waiters: map[*waiter]bool{}, jitterFactor: 1}
			p.addWaiter(noon.Add(-test.waited), true)
			if test.jitter > 0 {
				p.jitterFactor = test.jitter
			}
			var until time.Time
			if test.until > 0 {
				until = noon.Add(test.until)
			}
			if got := p.due(until).Sub(noon); got != test.want {
				t.Errorf("got %s after the latest answer, want %s", got, test.want)
			}
		})
	}
}

// finishAt gives the poller a listing that was requested and answered then.
func finishAt(p *poller, at time.Time) {
	p.finish(&fetch{requestedAt: at, wanted: 1, done: make(chan struct{})}, &listing{answeredAt: at})
}

func TestTheIntervalVariesByFivePerCent(t *testing.T) {
	t.Parallel()
	for micros, want := range map[int]float64{0: 0.95, 500: 1, 999: 1.05} {
		p := newPoller(&clock{}, nil)
		finishAt(p, noon.Add(time.Duration(micros)*time.Microsecond))
		if math.Abs(p.jitterFactor-want) > 0.0002 {
			t.Errorf("at %d µs: got the factor %g, want %g", micros, p.jitterFactor, want)
		}
	}
}

func TestListingsAreKeptForSecondLooks(t *testing.T) {
	t.Parallel()
	p := newPoller(&clock{}, nil)
	for seconds, want := range []int{0: 1, 1: 2, 2: 3} {
		finishAt(p, noon.Add(time.Duration(seconds)*secondLook))
		if got := len(p.since(noon)); got != want {
			t.Errorf("after %d looks: got %d listings, want %d", seconds+1, got, want)
		}
	}
	finishAt(p, noon.Add(2*secondLook+1))
	if got := len(p.since(noon)); got != 3 {
		t.Errorf("got %d listings, want those of the last ten seconds", got)
	}
}

func TestARequestUnderWayIsNotUsedWhereALaterOneIsNeeded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		p := newPoller(&clock{}, func(_ context.Context, sending func()) ([]audioprojects.Chapter, error) {
			sending()
			asked.Add(1)
			<-time.After(10 * time.Second)
			return nil, nil
		})
		go p.listing(t.Context(), time.Now()) //nolint:errcheck // the test's context does not end
		<-time.After(time.Second)
		began := time.Now()
		found, err := p.listing(t.Context(), began)
		if err != nil || found.requestedAt.Before(began) {
			t.Errorf("got a listing that was requested %s too early, error %v", began.Sub(found.requestedAt), err)
		}
		if got := asked.Load(); got != 2 {
			t.Errorf("asked %d times, want twice", got)
		}
	})
}
