package mockserver_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestTheJournalHasRequestsAndResults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, testProject)
		var watched []mockserver.Entry
		s.Watch(func(entry mockserver.Entry) { watched = append(watched, entry) })
		start := time.Now()
		s.get("/v1/projects/p/chapters")
		time.Sleep(3 * time.Second)
		s.ask(http.MethodPost, convertPath, `{"any":"body"}`)
		s.ask(http.MethodPost, "/v1/projects/p/snapshots/s/stream", "")
		synctest.Wait()

		journal := s.Journal()
		if len(journal) != 3 || len(watched) != 3 {
			t.Fatalf("got %d entries and %d watched, want 3", len(journal), len(watched))
		}
		if got := journal[1]; got.Operation != mockserver.ConvertChapter ||
			got.At.Sub(start) != 3*time.Second ||
			got.Method != http.MethodPost ||
			got.Path != convertPath ||
			got.ProjectID != "p" || got.ChapterID != "c" || got.SnapshotID != "" ||
			got.Header.Get("xi-api-key") != mockserver.Secret ||
			string(got.Body) != `{"any":"body"}` ||
			got.Status != http.StatusOK || !got.Accepted {
			t.Errorf("got %+v", got)
		}
		if got := journal[2].SnapshotID; got != "s" {
			t.Errorf("snapshot: got %q", got)
		}
		if !watched[1].Accepted || watched[1].Status != http.StatusOK {
			t.Errorf("watched: got %+v", watched[1])
		}
		if got := s.Count(mockserver.ListChapters); got != 1 {
			t.Errorf("lists: got %d, want 1", got)
		}
		s.ResetJournal()
		if len(s.Journal()) != 0 || s.Count(mockserver.ConvertChapter) != 0 || s.Conversions("p", "c") != 1 {
			t.Error("resetting the journal forgets the requests, and only them")
		}
	})
}
