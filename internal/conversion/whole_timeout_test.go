package conversion

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestAWholeTimeoutIsRemembered(t *testing.T) {
	t.Parallel()
	word := record("mending", 100, "", 50, 50)
	notShown, converting := Decision{Step: Wait, Reason: NotShown}, Decision{Step: Wait, Reason: Converting}
	for name, test := range map[string]struct {
		waited      time.Duration
		interrupted bool
		shows       audioprojects.Chapter
		changes     bool // at the end
		decided     Decision
		whole       bool
		rests       bool
	}{
		"no sign":                                   {waited: time.Minute, shows: before, decided: notShown, whole: true},
		"no sign, too short":                        {waited: 20 * time.Second, shows: before, decided: notShown},
		"no sign, interrupted":                      {waited: time.Minute, interrupted: true, shows: before, decided: notShown},
		"an unknown state for an hour":              {waited: time.Hour, shows: word, decided: converting, rests: true},
		"an unknown state for an hour, then Ctrl-C": {waited: time.Hour, interrupted: true, shows: word, decided: converting},
		"an unknown state for less":                 {waited: time.Hour - time.Minute, shows: word, decided: converting},
		"an unknown state whose record changed":     {waited: time.Hour, shows: word, changes: true, decided: converting},
		"converting for an hour":                    {waited: time.Hour, shows: busy, decided: converting},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), test.waited)
				defer cancel()
				p := &Pending{Baseline: baselineOf(before), SinceUnix: began.Unix(), since: began}
				accepted(p)
				r := &run{began: began, pending: p}
				see := func(chapter audioprojects.Chapter) {
					r.seen = append(r.seen, observation{time.Now(), chapter})
					p.observe(r.seen[len(r.seen)-1])
				}
				see(test.shows)
				time.Sleep(test.waited - time.Second)
				if test.changes {
					test.shows = withProgress(9, test.shows)
				}
				see(test.shows)
				if test.interrupted {
					cancel()
				} else {
					<-ctx.Done()
				}
				time.Sleep(time.Second)
				r.noteTimeout(ctx, test.decided)
				if p.WaitedWhole != test.whole {
					t.Errorf("waited whole: got %t, want %t", p.WaitedWhole, test.whole)
				}
				if rests := p.Rests(test.shows); rests != test.rests {
					t.Errorf("the chapter rests: got %t, want %t", rests, test.rests)
				}
			})
		})
	}
}
