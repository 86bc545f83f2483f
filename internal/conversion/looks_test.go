package conversion

import (
	"testing"
	"time"
)

func TestKnownLengthsSayWhenTheNextListIsDue(t *testing.T) {
	t.Parallel()
	seconds := func(count float64) time.Duration { return time.Duration(count * float64(time.Second)) }
	known := func(over, within float64) duration { return duration{seconds(over), seconds(within)} }
	equal := func(waiters int, waited float64) (all []float64) {
		for range waiters {
			all = append(all, waited)
		}
		return all
	}
	for name, test := range map[string]struct {
		waited  []float64 // by each waiter, until the latest answer
		joined  bool      // and for an unknown time before that
		lengths []duration
		want    float64 // after the latest answer
	}{
		"a seventh after the shortest known length":     {waited: []float64{6}, lengths: []duration{known(14, 16)}, want: 10},
		"which is that of the shortest":                 {waited: []float64{6}, lengths: []duration{known(60, 70), known(14, 16), known(40, 44)}, want: 10},
		"a second after a short one":                    {waited: []float64{2}, lengths: []duration{known(5, 6)}, want: 4},
		"a seventh of its wait for one that is older":   {waited: []float64{20}, lengths: []duration{known(14, 16)}, want: 20. / 7},
		"the older one needs the earlier look":          {waited: []float64{20, 1}, lengths: []duration{known(14, 16)}, want: 20. / 7},
		"never longer than usual":                       {waited: []float64{0}, lengths: []duration{known(600, 612)}, want: 16},
		"a length that is known no better shows little": {waited: []float64{1}, lengths: []duration{known(0, 16)}, want: 1},
		"a joined conversion may end at any time":       {waited: []float64{1}, joined: true, lengths: []duration{known(14, 16)}, want: 1},

		"fifty of equal length are expected together":      {waited: equal(50, 0), lengths: []duration{known(4.8, 5.2)}, want: 5 + 6./50},
		"where they did not end, the middle of the rest":   {waited: equal(50, 4.6), lengths: []duration{known(4.4, 5.4)}, want: 0.4 + 6./50},
		"but never at once":                                {waited: equal(50, 5.1), lengths: []duration{known(4.8, 5.2)}, want: 0.25},
		"longer ones than those known say nothing":         {waited: equal(50, 5.3), lengths: []duration{known(4.8, 5.2)}, want: 1},
		"half of them are expected after the short time":   {waited: equal(50, 0), lengths: []duration{known(4.8, 5.2), known(60, 61)}, want: 5 + 6./25},
		"a few are not worth a look before it is due":      {waited: equal(3, 0), lengths: []duration{known(4.8, 5.2)}, want: 5.8},
		"a late look at an end expects it before the look": {waited: equal(50, 0), lengths: []duration{known(0, 16)}, want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPoller(&clock{}, nil)
			p.latest, p.jitterFactor = &listing{requestedAt: noon, answeredAt: noon}, 1
			for _, waited := range test.waited {
				p.addWaiter(noon.Add(-seconds(waited)), !test.joined)
			}
			for _, length := range test.lengths {
				p.noteLength(length)
			}
			if got := p.due(time.Time{}).Sub(noon); (got - seconds(test.want)).Abs() > time.Microsecond {
				t.Errorf("got %s after the latest answer, want %s", got, seconds(test.want))
			}
		})
	}
}

func TestTheLatestLengthsAreRemembered(t *testing.T) {
	t.Parallel()
	p := newPoller(&clock{}, nil)
	p.noteLength(duration{time.Second, 2 * time.Second})
	for range mostLengths {
		p.noteLength(duration{time.Minute, 2 * time.Minute})
	}
	if got := p.shortest(); got != time.Minute || len(p.lengths) != mostLengths {
		t.Errorf("got %s as the shortest of %d lengths, want one minute of %d", got, len(p.lengths), mostLengths)
	}
}
