package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestConversion_endThatNobodySaw: an apply is interrupted, its conversion ends well, and somebody mends a typo, which leaves the text as long as
// before. Only an end that this process has seen shows text that the service skips. So what is unconverted then is converted.
func TestConversion_endThatNobodySaw(t *testing.T) {
	t.Parallel()
	mended := strings.Replace(acctest.ChapterText, "lit", "lid", 1)
	for name, test := range map[string]struct {
		kind      resourceType
		arguments map[string]any
	}{
		"a book":    {projectConversion, map[string]any{}},
		"a chapter": {chapterConversion, kept()},
	} {
		for _, unrefreshed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, unrefreshed %t", name, unrefreshed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					service := mockserver.New()
					service.AddProject(acctest.BookWith(mockserver.Chapter{Text: acctest.ChapterText, Conversions: []mockserver.Conversion{oneMinute}}))
					c := newCore(t, test.kind, service, test.arguments)
					c.Apply(fakecore.InterruptedAfter(20 * time.Second))
					time.Sleep(time.Hour)
					service.EditChapter("book", "one", mended)
					c.Unrefreshed = unrefreshed
					shown := c.Apply()
					if len(shown.Errors) > 0 {
						c.Errorf("got %s", shown)
					}
					c.Unrefreshed = false
					c.Plan().Want(c, "no-op", nil, nil)
					c.wantPaid(2)
				})
			})
		}
	}
}
