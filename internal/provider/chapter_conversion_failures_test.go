package provider_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestChapterConversion_shortTimeout: the answer is lost, and the timeout is shorter than the provider must watch the
// chapter. It watches to the end of that, because nobody could tell otherwise how the conversion stands.
func TestChapterConversion_shortTimeout(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{"timeouts": map[string]any{"create": "20s"}}, func(c *core) {
		c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, EOF: true})
		c.Apply().Want(c, "create", nil, []string{"showed no sign of a conversion within 30s"})
		c.wantSent(1)
	})
}
