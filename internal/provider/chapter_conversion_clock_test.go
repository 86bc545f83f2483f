package provider_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// jump shifts the request time stored in the ticket, as if the clock had moved.
func (c *core) jump(by time.Duration) {
	c.Helper()
	var ticket map[string]any
	c.must(json.Unmarshal([]byte(c.pending()), &ticket))
	ticket["requested_at_unix"] = int64(ticket["requested_at_unix"].(float64)) - int64(by/time.Second)
	text, err := json.Marshal(ticket)
	c.must(err)
	attributes := attributesOf(c.object.value)
	attributes["pending_conversion"] = tftypes.NewValue(tftypes.String, string(text))
	c.object.value = tftypes.NewValue(c.object.value.Type(), attributes)
}

// TestTheClockJumps: what the clock says has changed, and what must happen has not.
func TestTheClockJumps(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		conversion mockserver.Conversion
		lost       bool // the service does not get the request, and nobody tells
		cut        disturbance
		ticket     string
	}{
		"while it converts":        {aMinute, false, disturbance{interrupted: 20 * time.Second}, `"seen_converting":true`},
		"before it can be seen":    {mockserver.Conversion{Lag: 20 * time.Second, Takes: time.Minute}, false, disturbance{interrupted: 2 * time.Second}, `"confirmed":true`},
		"when the answer was lost": {aMinute, true, disturbance{interrupted: 2 * time.Second}, `"confirmed":false`},
	} {
		for jump, by := range map[string]time.Duration{"back": -time.Hour, "forth": time.Hour, "back, by years": -100_000 * time.Hour} {
			t.Run(name+", "+jump, func(t *testing.T) {
				t.Parallel()
				inFakeTime(t, going(test.conversion), nil, func(c *core) {
					if test.lost {
						c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Reset: true})
					}
					c.apply(test.cut)
					if !strings.Contains(c.pending(), test.ticket) {
						t.Fatalf("got pending_conversion %s, want %s in it", c.pending(), test.ticket)
					}
					c.jump(by)
					began := time.Now()
					c.apply(disturbance{})
					if took := time.Since(began); took > 2*time.Minute {
						t.Errorf("the apply took %s", took)
					}
					time.Sleep(time.Hour)
					c.plan().want(c, "no-op", nil, nil)
					c.wantPaid(1)
				})
			})
		}
	}
}
