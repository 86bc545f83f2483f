package provider_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// A service that refuses every request until the time is over has the last word: what it says is shown, and not that it
// cannot be reached.
func TestABookThatIsRefusedUntilTheTimeIsOverSaysWhy(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, oneMinute), func(c *core) {
		c.Arguments["chapter_timeout"] = "1m"
		c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Times: -1, Status: 429, Body: `{"detail":"too many"}`})
		shown := c.Apply()
		if !shown.Says("Out of time before anything was requested: 429 Too Many Requests: too many.") || shown.Says("Nothing was sent") || shown.Says("deadline") {
			c.Errorf("got %q", shown.Errors)
		}
	})
}
