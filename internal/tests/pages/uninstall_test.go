//go:build unix

package pages

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLIRecipeUninstall: the page's command sends no request, also where a conversion is under way, and any word
// does as the key. It empties the state, and removes the file unless somebody has written it since.
func TestCLIRecipeUninstall(t *testing.T) {
	t.Parallel()
	command := regexp.MustCompile("`terraform (destroy[^`]*)`").FindStringSubmatch(section(t, bookGuide, "Uninstall"))
	if command == nil {
		t.Fatal("the page has no command")
	}
	for name, test := range map[string]struct {
		happens   func(*reader)
		keepsFile bool
	}{
		"nothing else":    {func(*reader) {}, false},
		"somebody's file": {func(r *reader) { r.WriteFile("audiobook.mp3", "somebody's") }, true},
		"conversions under way": {func(r *reader) {
			r.EditChapter("audiobook", "chapter-3", "Wren rowed on.")
			r.cutShort((*clitest.Running).Interrupt)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			book := convertedAudiobook(time.Hour)
			book.Chapters[2].Conversions = []mockserver.Conversion{{Takes: 2 * time.Minute}}
			r := follow(t, readmeConfiguration(t)+strings.Replace(with(anyChapter, followsText), "only", "chapter-3", 1), book)
			r.apply()
			test.happens(r)

			r.Environment = append(r.Environment, "AUDIOPROJECTS_API_KEY=anything")
			r.ResetJournal()
			r.Run(append(strings.Fields(command[1]), "-auto-approve")...)
			if sent := r.Journal(); len(sent) > 0 {
				t.Errorf("sent %+v", sent)
			}
			if left := r.Run("state", "list"); left != "" {
				t.Errorf("left in the state: %s", left)
			}
			_, missing := os.Stat(filepath.Join(r.Folder, "audiobook.mp3"))
			if (missing == nil) != test.keepsFile {
				t.Errorf("the file: %v", missing)
			}
		})
	}
}
