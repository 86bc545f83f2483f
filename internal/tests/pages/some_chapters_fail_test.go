package pages

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// picture are the messages that a picture of the pages shows: what stands before the place in the configuration, and behind it.
func picture(t *testing.T, name string) (messages []string) {
	t.Helper()
	var screen strings.Builder
	for _, line := range regexp.MustCompile(`<text [^>]*>(.*?)</text>`).FindAllStringSubmatch(read(t, root, ".github", "screens", name+".svg"), -1) {
		screen.WriteString(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(line[1], "")) + "\n")
	}
	place := regexp.MustCompile(`(?m)^   with .*\n(?:   .*\n)+`)
	for _, message := range regexp.MustCompile(`(?s)╷(.*?)╵`).FindAllStringSubmatch(screen.String(), -1) {
		messages = append(messages, place.Split(strings.ReplaceAll(message[1], "│", ""), 2)...)
	}
	if messages == nil {
		t.Fatalf("the picture has no message:\n%s", screen.String())
	}
	return messages
}

// bookOf100 is the book of the picture. It has three chapters whose first conversion fails.
func bookOf100(converted bool) mockserver.Project {
	book := mockserver.Project{ID: "audiobook"}
	fails := map[int]string{17: "Voice not found.", 58: "Voice not found.", 93: "The text is in two languages."}
	for i := 1; i <= 100; i++ {
		chapter := mockserver.Chapter{ID: fmt.Sprintf("chapter-%d", i), Name: fmt.Sprintf("Night %d", i), Converted: converted}
		if fails[i] != "" {
			chapter.Conversions = []mockserver.Conversion{{Fails: fails[i]}, {}}
		}
		book.Chapters = append(book.Chapters, chapter)
	}
	return book
}

// TestCLIPages_threeOf100ChaptersFail plays the guide, in a creation and in an update. What its picture shows was seen in the creation.
func TestCLIPages_threeOf100ChaptersFail(t *testing.T) {
	t.Parallel()
	for name, says := range map[string][]string{
		"creation": append(picture(t, "failures"), "Plan: 1 to add, 0 to change, 0 to destroy."),
		"update":   {`Unable to convert 3 of the 100 chapters of project "audiobook"`, "Plan: 0 to add, 1 to change, 0 to destroy."},
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
			wantScreen(t, failing+r.Run("plan"), says...)
			r.apply()
			r.wantSettled(103)
		})
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
