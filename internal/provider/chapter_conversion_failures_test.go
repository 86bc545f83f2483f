package provider_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestChapterConversion_failsAsFastAsTheLastOne: the voice is still missing, so that the conversion fails at once, and nothing of the chapter
// changes. No apply waits for longer than a minute, and none pays without a plan that has said so.
func TestChapterConversion_failsAsFastAsTheLastOne(t *testing.T) {
	t.Parallel()
	atOnce := mockserver.Conversion{Fails: conversionError}
	inFakeTime(t, chapterWithConversions(atOnce, atOnce, oneMinute), nil, func(c *core) {
		c.service.SetHabits(mockserver.Habits{KeepsOldError: true})
		within := func(paid int, action string, warnings, errors []string) {
			c.Helper()
			began := time.Now()
			c.Apply().Want(c, action, warnings, errors)
			took := time.Since(began)
			if took > 2*time.Minute {
				c.Errorf("took %s, want a minute beside the conversion", took)
			}
			c.wantPaid(paid)
		}
		within(1, "create", nil, []string{"The conversion failed. The service's error message: " + conversionError})
		within(2, "create", nil, []string{"The service accepted the request, and for 30 s the chapter has shown only the error message of before (rules 40/330). " +
			"So the conversion has probably failed again in the same way. The service's error message: " + conversionError})
		c.Plan().WantEstimate(c, "Conversions that cost credits")
		within(3, "replace", nil, nil)
	})
}

// TestChapterConversion_dismissedFailures: the service dates a failure, too, and somebody dismisses its message. No apply takes that for a
// success, whether or not a list has shown the message.
func TestChapterConversion_dismissedFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		dismissed time.Duration // after the beginning; the conversion ends after a minute
		says      string
	}{
		"before any list": {59 * time.Second, "The conversion ended, and converted nothing. The service shows no error message."},
		"after a list":    {70 * time.Second, "The conversion failed. The service's error message: " + conversionError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(failing, oneMinute), kept(), func(c *core) {
				c.service.SetHabits(mockserver.Habits{DatesFailures: true})
				time.AfterFunc(test.dismissed, func() { c.service.SetField("book", "one", "last_conversion_error", "null") })
				c.Apply().Want(c, "create", nil, []string{test.says})
				c.Apply().Want(c, "create", nil, nil)
				c.wantPaid(2)
			})
		})
	}
}

// TestChapterConversion_timeoutTooShortToTell: the answer is lost, and the timeout is shorter than the provider must watch the chapter.
func TestChapterConversion_timeoutTooShortToTell(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{"timeouts": map[string]any{"create": "20s"}}, func(c *core) {
		c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, EOF: true})
		c.Apply().Want(c, "create", nil, []string{"the provider must watch the chapter for 30 s, and `timeouts` is too short for that. Set it to a minute or more."})
		c.wantSent(1)
	})
}
