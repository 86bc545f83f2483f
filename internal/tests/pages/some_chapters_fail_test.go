package pages

import (
	"fmt"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// bookOf100 has three chapters whose first conversion fails.
func bookOf100(converted bool) mockserver.Project {
	book := mockserver.Project{ID: "audiobook"}
	fails := map[int]string{17: "Voice not found.", 58: "Voice not found.", 93: "The text is in two languages."}
	for i := 1; i <= 100; i++ {
		chapter := mockserver.Chapter{ID: fmt.Sprintf("chapter-%d", i), Name: fmt.Sprintf("Chapter %d", i), Converted: converted}
		if fails[i] != "" {
			chapter.Conversions = []mockserver.Conversion{{Fails: fails[i]}, {}}
		}
		book.Chapters = append(book.Chapters, chapter)
	}
	return book
}

// TestCLIPages_threeOf100ChaptersFail plays the guide, in a creation and in an update. What the guide shows of the screen was seen.
func TestCLIPages_threeOf100ChaptersFail(t *testing.T) {
	t.Parallel()
	const title = "When some chapters fail"
	shown := append(code(t, errorsGuide, title, "text"), regexp.MustCompile("`(Unable to convert [^`]*)`").FindStringSubmatch(section(t, errorsGuide, title))[1])
	var seen sync.Map
	t.Run("plays", func(t *testing.T) {
		for name, plan := range map[string]string{
			"creation": "Plan: 1 to add, 0 to change, 0 to destroy.",
			"update":   "Plan: 0 to add, 1 to change, 0 to destroy.",
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := followExample(t, bookFolder+"resource.tf", bookOf100(name == "update"))
				if name == "update" {
					r.apply()
					for i := range 100 {
						r.EditChapter("audiobook", fmt.Sprintf("chapter-%d", i+1), "This text was edited, all of it.")
					}
				}
				r.WantCount(mockserver.ConvertChapter, 0)
				failing := r.RunFailing("apply", "-auto-approve")
				r.WantCount(mockserver.ConvertChapter, 100)
				next := r.Run("plan")
				wantScreen(t, next, plan)
				seen.Store(name, failing+next)
				r.apply()
				r.wantSettled(103)
			})
		}
	})
	var screens []string
	for _, screen := range seen.Range {
		screens = append(screens, screen.(string))
	}
	if len(screens) > 0 { // Nothing is played with -run.
		clitest.WantScreen(t, screens, shown...)
	}
}

// TestCLIKeyExpiresDuringAnApply: as the guide says, nothing more is requested, and with another key the next apply waits for the
// conversions that went on. Each chapter is paid for once.
func TestCLIKeyExpiresDuringAnApply(t *testing.T) {
	t.Parallel()
	mock := mockserver.New()
	mock.AddKey(mockserver.Key{Secret: "another-key"})
	expires := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hasExpired := mock.Count(mockserver.ConvertChapter) >= 2
		if hasExpired && r.Header.Get("xi-api-key") == mockserver.Secret {
			http.Error(w, `{"detail":{"status":"invalid_api_key","message":"The key has expired."}}`, http.StatusUnauthorized)
			return
		}
		mock.ServeHTTP(w, r)
	})
	service := clitest.StartService(t, mock, expires, mockserver.Audiobook(time.Second))
	configuration := read(t, examplesFolder, bookFolder, "resource.tf") + "provider \"audioprojects\" {\n  parallel_conversions = 2\n}\n"
	r := &reader{clitest.New(t, service.Address, configurationFile(t, configuration)), service, t}
	r.Run("plan", "-out=saved")
	screen := r.RunFailing("apply", "saved")
	wantScreen(t, screen, "so the key has most likely expired or been revoked. Use another key.", "A saved plan is stale now: plan again, then apply.")
	r.WantCount(mockserver.ConvertChapter, 2)
	r.Environment = append(r.Environment, "AUDIOPROJECTS_API_KEY=another-key")
	wantScreen(t, r.RunFailing("apply", "saved"), "Saved plan is stale")
	r.apply()
	r.wantSettled(5)
}
