package pace_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

var errBusy = errors.New("429")

func silently(error) {}

// service accepts a conversion or not, by the time since the beginning and how many run.
type service func(at time.Duration, random *rand.Rand, running int) bool

func gateway(perSecond, burst float64) func() service {
	return func() service {
		left, before := burst, time.Duration(0)
		return func(at time.Duration, _ *rand.Rand, _ int) bool {
			left, before = min(burst, left+(at-before).Seconds()*perSecond), at
			if left < 1-1e-9 {
				return false
			}
			left--
			return true
		}
	}
}

func busy(share float64) func() service {
	return func() service {
		return func(_ time.Duration, random *rand.Rand, _ int) bool { return random.Float64() > share }
	}
}

func down(until time.Duration) func() service {
	return func() service { return func(at time.Duration, _ *rand.Rand, _ int) bool { return at > until } }
}

func runs(most int) func() service {
	return func() service { return func(_ time.Duration, _ *rand.Rand, running int) bool { return running < most } }
}

// load is how many conversions there are, how many at a time the engine requests, and how long each takes.
type load struct {
	count, parallel int
	takes           time.Duration
	service         func() service
	byNumber        bool // a refusal says that so many run
	atTheEnd        bool // an acceptance is answered at the end of the conversion
}

// figures are what a load took, how many requests were refused, and the most that were sent in one second, of the rate at its end.
type figures struct {
	took       time.Duration
	refused    int
	mostOfRate float64
}

// play lets the conversions of a load be requested, as the engine does: after a refusal a second later at the earliest.
func (l load) play(t *testing.T, seed uint64) (f figures) {
	t.Helper()
	limit, accepts, random := pace.New(), l.service(), rand.New(rand.NewPCG(seed, 1))
	var mu sync.Mutex
	var sent []sending
	running, began := 0, time.Now()
	request := func(permit *pace.Permit) (accepted bool) {
		mu.Lock()
		accepted = accepts(time.Since(began), random, running)
		latency := time.Duration(float64(50*time.Millisecond) * (0.8 + 0.4*random.Float64()))
		sent = append(sent, sending{time.Now(), limit.Rate()})
		if accepted {
			running++
		} else {
			f.refused++
		}
		mu.Unlock()
		if accepted && l.atTheEnd {
			latency = l.takes
		}
		time.Sleep(latency)
		if !accepted {
			permit.Refused(errBusy, 0, l.byNumber)
			time.Sleep(time.Second)
			return false
		}
		permit.Accepted()
		if !l.atTheEnd {
			time.Sleep(l.takes)
		}
		mu.Lock()
		running--
		mu.Unlock()
		permit.Leave()
		return true
	}
	var all sync.WaitGroup
	slots := make(chan struct{}, l.parallel)
	for range l.count {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			for again := false; ; again = true {
				permit, err := limit.Wait(t.Context(), pace.Conversion, again, silently)
				if err != nil {
					t.Error(err)
					return
				}
				if request(permit) {
					return
				}
			}
		})
	}
	all.Wait()
	f.took = time.Since(began)
	for i, first := range sent {
		inSecond := 0.0
		for j := i; first.rate > 0 && j < len(sent) && sent[j].at.Sub(first.at) < time.Second; j++ {
			inSecond++
			f.mostOfRate = max(f.mostOfRate, inSecond/max(sent[j].rate, 1))
		}
	}
	return f
}

// sending is when a request was sent, and the rate then.
type sending struct {
	at   time.Time
	rate float64
}

// TestPace_asInItsModel: the services of the README's table, each with five seeds. The time may be a tenth more than
// there, and the refusals a fifth.
func TestPace_asInItsModel(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for name, test := range map[string]struct {
		load
		ideal   time.Duration
		ofIdeal float64
		refused int
	}{
		"60, five a second":                          {load{count: 60, parallel: 50, takes: 3 * s, service: gateway(5, 1)}, 15 * s, 1.45, 32},
		"100, five a second, five at once":           {load{count: 100, parallel: 50, takes: 3 * s, service: gateway(5, 5)}, 23 * s, 0.99, 53},
		"1,000, five a second":                       {load{count: 1000, parallel: 50, takes: 3 * s, service: gateway(5, 1)}, 203 * s, 1.53, 486},
		"60, twenty a second":                        {load{count: 60, parallel: 50, takes: 3 * s, service: gateway(20, 5)}, 6 * s, 1.17, 18},
		"100, one in two seconds":                    {load{count: 100, parallel: 50, takes: 3 * s, service: gateway(0.5, 1)}, 203 * s, 1.65, 110},
		"40, each tenth is refused":                  {load{count: 40, parallel: 20, takes: 4 * s, service: busy(0.1)}, 8 * s, 1.19, 3},
		"100, each tenth is refused":                 {load{count: 100, parallel: 50, takes: 3 * s, service: busy(0.1)}, 6 * s, 1.51, 12},
		"100, three of ten are refused":              {load{count: 100, parallel: 50, takes: 3 * s, service: busy(0.3)}, 6 * s, 4.72, 39},
		"60, nothing for 20 s":                       {load{count: 60, parallel: 50, takes: 3 * s, service: down(20 * s)}, 26 * s, 1.50, 7},
		"60, nothing for 600 s":                      {load{count: 60, parallel: 50, takes: 3 * s, service: down(600 * s)}, 606 * s, 1.02, 43},
		"60, five run, no code":                      {load{count: 60, parallel: 50, takes: 3 * s, service: runs(5)}, 36 * s, 1.25, 36},
		"60, two run, no code":                       {load{count: 60, parallel: 50, takes: 3 * s, service: runs(2)}, 90 * s, 1.33, 46},
		"60 of a minute, five run, no code":          {load{count: 60, parallel: 50, takes: 60 * s, service: runs(5)}, 720 * s, 1.15, 104},
		"60 of a minute, twenty run, no code":        {load{count: 60, parallel: 50, takes: 60 * s, service: runs(20)}, 180 * s, 1.07, 39},
		"60, five run, no code, answered at the end": {load{count: 60, parallel: 50, takes: 20 * s, service: runs(5), atTheEnd: true}, 240 * s, 1.12, 64},
		"60, answered at the end":                    {load{count: 60, parallel: 50, takes: 20 * s, service: busy(0), atTheEnd: true}, 40 * s, 1.23, 0},
		"5,000, none is refused":                     {load{count: 5000, parallel: 200, takes: 3 * s, service: busy(0)}, 75 * s, 1.02, 0},
		"60, five run, by number":                    {load{count: 60, parallel: 50, takes: 3 * s, service: runs(5), byNumber: true}, 36 * s, 1.04, 9},
		"60, two run, by number":                     {load{count: 60, parallel: 50, takes: 3 * s, service: runs(2), byNumber: true}, 90 * s, 1.02, 6},
		"60 of a minute, twenty run, by number":      {load{count: 60, parallel: 50, takes: 60 * s, service: runs(20), byNumber: true}, 180 * s, 1.05, 16},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var took time.Duration
			refused, most := 0, 0.0
			for seed := range uint64(5) {
				synctest.Test(t, func(t *testing.T) {
					f := test.play(t, seed)
					took, refused, most = took+f.took, refused+f.refused, max(most, f.mostOfRate)
				})
			}
			ofIdeal := took.Seconds() / 5 / test.ideal.Seconds()
			if ofIdeal > 1.1*test.ofIdeal || float64(refused)/5 > 1.2*float64(test.refused)+2 {
				t.Errorf("%.2f of the ideal, %d refused, want %.2f and %d", ofIdeal, refused/5, test.ofIdeal, test.refused)
			}
			if most > 2 && !test.byNumber { // The end of a conversion is a permit, whatever the rate.
				t.Errorf("%.1f times the rate was sent in one second", most)
			}
		})
	}
}
