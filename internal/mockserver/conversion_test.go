package mockserver_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// observation is what the list must show of a chapter at a time after the request for its conversion.
type observation struct {
	at   time.Duration
	want string
}

// describe writes a chapter's conversion as one text, with the date relative to start.
func describe(chapter record, start time.Time) string {
	date := "never"
	unix, ok := chapter["last_conversion_date_unix"].(float64)
	if ok {
		date = fmt.Sprint(time.Unix(int64(unix), 0).Sub(start))
	}
	statistics, _ := chapter["statistics"].(map[string]any)
	return fmt.Sprintf("%v %v, date %s, error %v, %v left", chapter["state"], chapter["conversion_progress"],
		date, chapter["last_conversion_error"], statistics["characters_unconverted"])
}

func TestConversion_overTime(t *testing.T) {
	t.Parallel()
	const never = "default <nil>, date never, error <nil>, 5 left"
	for _, test := range []struct {
		name         string
		chapter      mockserver.Chapter
		course       mockserver.Conversion
		habits       mockserver.Habits
		observations []observation
	}{
		{"lag, queue and progress", mockserver.Chapter{},
			mockserver.Conversion{Lag: 5 * time.Second, Queued: 10 * time.Second, Takes: 20 * time.Second}, mockserver.Habits{}, []observation{
				{0, never},
				{4 * time.Second, never},
				{5 * time.Second, "in_queue <nil>, date never, error <nil>, 5 left"},
				{15 * time.Second, "converting 0, date never, error <nil>, 5 left"},
				{25 * time.Second, "converting 50, date never, error <nil>, 5 left"},
				{35 * time.Second, "default 100, date 35s, error <nil>, 0 left"},
			}},
		{"failure", mockserver.Chapter{Error: "old"},
			mockserver.Conversion{Lag: 1 * time.Second, Takes: 2 * time.Second, Fails: "no voice"}, mockserver.Habits{}, []observation{
				{0, "default <nil>, date never, error old, 5 left"},
				{1 * time.Second, "converting 0, date never, error <nil>, 5 left"},
				{3 * time.Second, "default <nil>, date never, error no voice, 5 left"},
			}},
		{"failure that is dated and keeps the old error until it has one", mockserver.Chapter{Error: "old"},
			mockserver.Conversion{Takes: 2 * time.Second, Fails: "no voice"}, mockserver.Habits{DatesFailures: true, KeepsOldError: true}, []observation{
				{0, "converting 0, date never, error old, 5 left"},
				{2 * time.Second, "default <nil>, date 2s, error no voice, 5 left"},
			}},
		{"stale lists", mockserver.Chapter{},
			mockserver.Conversion{Takes: 10 * time.Second}, mockserver.Habits{StaleLists: 20 * time.Second}, []observation{
				{0, never},
				{19 * time.Second, never},
				{25 * time.Second, "converting 50, date never, error <nil>, 5 left"},
				{30 * time.Second, "default 100, date 10s, error <nil>, 0 left"},
			}},
		{"progress as a fraction of 1", mockserver.Chapter{},
			mockserver.Conversion{Takes: 16 * time.Second}, mockserver.Habits{Progress: mockserver.OfOne}, []observation{
				{6 * time.Second, "converting 0.375, date never, error <nil>, 5 left"},
				{16 * time.Second, "default 1, date 16s, error <nil>, 0 left"},
			}},
		{"neither progress, dates nor statistics", mockserver.Chapter{},
			mockserver.Conversion{Takes: 2 * time.Second}, mockserver.Habits{Progress: mockserver.None, NoDates: true, NoStatistics: true}, []observation{
				{1 * time.Second, "converting <nil>, date never, error <nil>, <nil> left"},
				{2 * time.Second, "default <nil>, date never, error <nil>, <nil> left"},
			}},
		{"converted before", mockserver.Chapter{Converted: true},
			mockserver.Conversion{Takes: 2 * time.Second}, mockserver.Habits{}, []observation{
				{1 * time.Second, "converting 50, date -24h0m0s, error <nil>, 0 left"},
				{2 * time.Second, "default 100, date 2s, error <nil>, 0 left"},
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				test.chapter.ID, test.chapter.Text = "c", "Hello"
				test.chapter.Conversions = []mockserver.Conversion{test.course}
				s := inMemory(t, mockserver.Project{ID: "p", Chapters: []mockserver.Chapter{test.chapter}})
				s.SetHabits(test.habits)
				start := time.Now()
				status := s.convert("p", "c")
				if status != http.StatusOK {
					t.Fatalf("convert: got %d", status)
				}
				for _, observation := range test.observations {
					time.Sleep(time.Until(start.Add(observation.at)))
					chapter := s.get("/v1/projects/p/chapters").list("chapters")[0]
					got := describe(chapter, start)
					if got != observation.want {
						t.Errorf("after %s: got %s; want %s", observation.at, got, observation.want)
					}
				}
			})
		})
	}
}

func TestConversion_whileConverting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, mockserver.Project{ID: "p", Chapters: []mockserver.Chapter{
			{ID: "c", Conversions: []mockserver.Conversion{{Queued: time.Second, Takes: time.Second}}},
		}})
		want := []int{http.StatusOK, http.StatusConflict, http.StatusBadRequest, http.StatusOK}
		for i, wait := range []time.Duration{0, 0, time.Second, time.Second} {
			time.Sleep(wait)
			if i == 2 {
				s.SetHabits(mockserver.Habits{BusyStatus: http.StatusBadRequest})
			}
			got := s.convert("p", "c")
			if got != want[i] {
				t.Errorf("request %d: got %d, want %d", i, got, want[i])
			}
		}
		got := s.Conversions("p", "c")
		if got != 2 {
			t.Errorf("conversions: got %d, want 2", got)
		}
	})
}

func TestConversion_twiceBeforeListsShowIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, mockserver.Project{ID: "p", Chapters: []mockserver.Chapter{
			{ID: "c", Conversions: []mockserver.Conversion{{Lag: 10 * time.Second, Takes: 20 * time.Second}}},
		}})
		for range 2 {
			got := s.convert("p", "c")
			if got != http.StatusOK {
				t.Errorf("convert: got %d", got)
			}
		}
		got := s.Conversions("p", "c")
		if got != 2 {
			t.Errorf("conversions: got %d, want 2", got)
		}
		time.Sleep(45 * time.Second)
		state := s.get("/v1/projects/p")["state"]
		if state != "converting" {
			t.Errorf("the second conversion follows the first: got %v", state)
		}
	})
}
