package provider_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// moveClock changes the request time in the resume token, as if the clock had been set.
func (c *core) moveClock(by time.Duration) {
	c.Helper()
	var ticket map[string]any
	c.Must(json.Unmarshal([]byte(c.pending()), &ticket))
	ticket["requested_at_unix"] = int64(ticket["requested_at_unix"].(float64)) - int64(by/time.Second)
	text, err := json.Marshal(ticket)
	c.Must(err)
	c.alter("pending_conversion", string(text))
}

// TestChapterConversion_clockJumps: after the clock was set, the provider still does the same.
func TestChapterConversion_clockJumps(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		conversion mockserver.Conversion
		lost       bool // the service does not receive the request, and the provider cannot know that
		cut        fakecore.Interruption
		ticket     string
	}{
		"while it converts":        {oneMinute, false, fakecore.InterruptedAfter(20 * time.Second), `"phase":"running"`},
		"before it can be seen":    {mockserver.Conversion{Lag: 20 * time.Second, Takes: time.Minute}, false, fakecore.InterruptedAfter(2 * time.Second), `"phase":"accepted"`},
		"when the answer was lost": {oneMinute, true, fakecore.InterruptedAfter(2 * time.Second), `"phase":"unconfirmed"`},
	} {
		for jump, by := range map[string]time.Duration{"back": -time.Hour, "forth": time.Hour, "back, by years": -100_000 * time.Hour} {
			t.Run(name+", "+jump, func(t *testing.T) {
				t.Parallel()
				inFakeTime(t, chapterWithConversions(test.conversion), nil, func(c *core) {
					if test.lost {
						c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Reset: true})
					}
					c.Apply(test.cut)
					if !strings.Contains(c.pending(), test.ticket) {
						t.Fatalf("got pending_conversion %s, want %s in it", c.pending(), test.ticket)
					}
					c.moveClock(by)
					began := time.Now()
					c.Apply()
					took := time.Since(began)
					if took > 2*time.Minute {
						t.Errorf("the apply took %s", took)
					}
					time.Sleep(time.Hour)
					c.Plan().Want(c, "no-op", nil, nil)
					c.wantPaid(1)
				})
			})
		}
	}
}
