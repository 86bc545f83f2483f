package provider_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestChapterConversion_timeoutTooShortToTell: the answer is lost, and the timeout is shorter than the provider must watch the chapter.
func TestChapterConversion_timeoutTooShortToTell(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{"timeouts": map[string]any{"create": "20s"}}, func(c *core) {
		c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, EOF: true})
		c.Apply().Want(c, "create", nil, []string{"the provider must watch the chapter for 30 s, and `timeouts` is too short for that. Set it to a minute or more."})
		c.wantSent(1)
	})
}
