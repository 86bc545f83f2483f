package mockserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestSuccessfulConversionsAddSnapshots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, mockserver.Project{
			ID: "p", Name: "Book",
			Chapters: []mockserver.Chapter{
				{
					ID: "c1", Name: "One",
					Conversions: []mockserver.Conversion{{Takes: time.Second}, {Fails: "no voice"}},
					Snapshots:   []mockserver.ChapterSnapshot{{ID: "old", Name: "Before", CreatedAt: time.Unix(7, 0)}},
				},
				{ID: "c2"},
			},
			Snapshots: []mockserver.ProjectSnapshot{{ID: "older", Name: "Before"}},
		})
		s.convert("p", "c1")
		s.convert("p", "c2")
		time.Sleep(time.Second)
		s.convert("p", "c1")

		chapterSnapshots := s.get("/v1/projects/p/chapters/c1/snapshots")
		if got := chapterSnapshots.ids("snapshots", "chapter_snapshot_id"); got != "old chapter-snapshot-1" {
			t.Errorf("of the chapter: got %s", got)
		}
		if got := chapterSnapshots.list("snapshots")[0]["created_at_unix"]; got != 7.0 {
			t.Errorf("created_at_unix: got %v", got)
		}
		projectSnapshots := s.get("/v1/projects/p/snapshots")
		want := "older project-snapshot-2 project-snapshot-1"
		if got := projectSnapshots.ids("snapshots", "project_snapshot_id"); got != want {
			t.Errorf("of the project: got %s, want %s", got, want)
		}
		if got := projectSnapshots.ids("snapshots", "name"); got != "Before Book Book" {
			t.Errorf("names: got %s", got)
		}
	})
}

func TestBodyOfStream(t *testing.T) {
	t.Parallel()
	s := overTCP(t, mockserver.Project{ID: "p", Snapshots: []mockserver.ProjectSnapshot{{ID: "s"}}})
	for _, test := range []struct {
		body   string
		status int
		answer string // its beginning
	}{
		{"", 200, "RIFF"},
		{`{}`, 200, "RIFF"},
		{`{"convert_to_mpeg": false, "more": 1}`, 200, "RIFF"},
		{`{"convert_to_mpeg": true}`, 200, "\xff\xfb"},
		{`{"convert_to_mpeg": "yes"}`, 422, `{"detail":[{"loc":["body","convert_to_mpeg"],"msg":`},
		{`{"convert_to_mpeg": null}`, 422, `{"detail":[{"loc":["body","convert_to_mpeg"],"msg":`},
		{`[]`, 422, `{"detail":[{"loc":["body"],"msg":`},
		{`null`, 422, `{"detail":[{"loc":["body"],"msg":`},
		{`{`, 422, `{"detail":[{"loc":["body"],"msg":"JSON decode error","type":"json_invalid"}]}`},
	} {
		status, answer := s.ask(http.MethodPost, "/v1/projects/p/snapshots/s/stream", test.body)
		if status != test.status || !strings.HasPrefix(answer, test.answer) {
			t.Errorf("%s: got %d %.80q, want %d %q", test.body, status, answer, test.status, test.answer)
		}
	}
}

func TestHabitsOfSnapshots(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		habits mockserver.Habits
		// The ids and dates, in seconds after the request, of the project's and the chapter's snapshots.
		project, chapter string
	}{
		"none":         {mockserver.Habits{}, "old@-60 whole-book project-snapshot-1@1 project-snapshot-2@2", "old@-60 chapter-snapshot-1@1"},
		"newest first": {mockserver.Habits{NewestFirst: true}, "project-snapshot-2@2 project-snapshot-1@1 whole-book old@-60", "chapter-snapshot-1@1 old@-60"},
		"undated":      {mockserver.Habits{UndatedSnapshots: true}, "old whole-book project-snapshot-1 project-snapshot-2", "old chapter-snapshot-1"},
		"late":         {mockserver.Habits{SnapshotDelay: 5 * time.Second}, "old@-60 whole-book project-snapshot-1@6 project-snapshot-2@7", "old@-60 chapter-snapshot-1@6"},
		"too late":     {mockserver.Habits{SnapshotDelay: 10 * time.Second}, "old@-60 whole-book", "old@-60"},
		"whole only":   {mockserver.Habits{WholeProjectOnly: true}, "old@-60 whole-book", "old@-60 chapter-snapshot-1@1"},
		"stale":        {mockserver.Habits{StaleLists: 10 * time.Second}, "old@-60 whole-book", "old@-60"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				second := []mockserver.Conversion{{Takes: time.Second}}
				s := inMemory(t, mockserver.Project{
					ID: "p",
					Chapters: []mockserver.Chapter{
						{ID: "c1", Conversions: second, Snapshots: []mockserver.ChapterSnapshot{{ID: "old", CreatedAt: began.Add(-time.Minute)}}},
						{ID: "c2", Conversions: second},
						{ID: "c3", Conversions: []mockserver.Conversion{{Takes: time.Second, Fails: "no voice"}}},
					},
					Snapshots: []mockserver.ProjectSnapshot{{ID: "old", CreatedAt: began.Add(-time.Minute)}},
				})
				s.AddProjectSnapshot("p", mockserver.ProjectSnapshot{ID: "whole-book"})
				s.SetHabits(test.habits)
				for _, chapter := range []string{"c1", "c2", "c3"} {
					s.convert("p", chapter)
				}
				time.Sleep(8 * time.Second)
				listed := func(path, id string) string {
					var found []string
					for _, record := range s.get(path).list("snapshots") {
						found = append(found, record[id].(string))
						if date, dated := record["created_at_unix"]; dated {
							found[len(found)-1] += fmt.Sprintf("@%d", int64(date.(float64))-began.Unix())
						}
					}
					return strings.Join(found, " ")
				}
				if got := listed("/v1/projects/p/snapshots", "project_snapshot_id"); got != test.project {
					t.Errorf("of the project: got %s, want %s", got, test.project)
				}
				if got := listed("/v1/projects/p/chapters/c1/snapshots", "chapter_snapshot_id"); got != test.chapter {
					t.Errorf("of the chapter: got %s, want %s", got, test.chapter)
				}
			})
		})
	}
}
