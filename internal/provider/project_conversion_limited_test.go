package provider_test

import (
	"slices"
	"strings"
	"testing"
	"time"

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
		if !shown.Says("Run again later, or with a smaller `parallel_conversions` in the provider block.") || shown.Says("-parallelism") {
			c.Errorf("got %q", shown.Errors)
		}
		if !shown.Says("Out of time after 1m0s (`chapter_timeout`), before anything was requested: POST /v1/projects/book/chapters/…/convert: 429 Too Many Requests: too many. - ") || shown.Says("Nothing was sent") || shown.Says("deadline") {
			c.Errorf("got %q", shown.Errors)
		}
	})
}

// What a chapter waits for is not converted by the next apply, and a remark is not a part of the service's words.
func TestABookSaysOfEachFailureWhatFollows(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(1, mockserver.Conversion{Takes: 5 * time.Minute}), func(c *core) {
		c.Arguments["chapter_timeout"] = "1m"
		shown := c.Apply()
		if !shown.Says("The next apply waits for the conversion and requests none.") {
			c.Errorf("got %q", shown.Errors)
		}
	})
	withBook(t, manyChapters(1, failing), func(c *core) {
		c.service.SetHabits(mockserver.Habits{KeepsOldError: true})
		c.Apply()
		shown := c.Apply()
		if !slices.ContainsFunc(shown.Errors, func(text string) bool {
			return strings.Contains(text, "The chapter showed the same error\n  │ before, so it may be older. The service says: "+conversionError+"\n  - ")
		}) {
			c.Errorf("got %q", shown.Errors)
		}
	})
}
