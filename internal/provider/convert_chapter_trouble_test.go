package provider_test

import (
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestActionWhoseServiceIsDown: a person still sees every half minute that the action waits, and for what.
func TestActionWhoseServiceIsDown(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(mockserver.Conversion{Takes: 5 * time.Minute}), func(c *core, p *process) {
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 10, Times: 20, Status: 503, Body: "closed for lunch"})
		shown := c.invoke(p, nil)
		shown.Want(c, "", nil, nil)
		shown.WantLines(c, requestedLine, subject+"converting, progress ", convertedLine)
		told := false
		for i, line := range shown.Lines[1:] {
			silence := line.At - shown.Lines[i].At
			if silence > 30*time.Second {
				c.Errorf("nothing was said for %s before %q", silence, line.Text)
			}
			trouble := strings.Contains(line.Text, "; the service could not be asked: ") && strings.Contains(line.Text, "closed for lunch")
			told = told || trouble && silence < 30*time.Second
		}
		if !told {
			c.Errorf("got lines %v, want one as soon as the service is down", shown.Lines)
		}
	})
	t.Run("busy from the beginning", func(t *testing.T) {
		t.Parallel()
		withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *process) {
			busy := mockserver.RateLimited(20 * time.Second)
			busy.Operation, busy.Times = mockserver.ListChapters, 12
			c.service.Inject(busy)
			shown := c.invoke(p, nil)
			shown.Want(c, "", nil, nil)
			shown.WantLines(c, `Chapter "one": not seen yet, 30s`, requestedLine, convertedLine)
		})
	})
	t.Run("takes no conversions for a while", func(t *testing.T) {
		t.Parallel()
		withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *process) {
			limited := mockserver.RateLimited(40 * time.Second)
			limited.Operation = mockserver.ConvertChapter
			c.service.Inject(limited)
			shown := c.invoke(p, nil)
			shown.Want(c, "", nil, nil)
			shown.WantLines(c,
				subject+"no conversion requested yet, state default, 0s; the service could not be asked: POST /v1/projects/book/chapters/one/convert: 429 Too Many Requests: Too many requests.",
				requestedLine, convertedLine)
		})
	})
}
