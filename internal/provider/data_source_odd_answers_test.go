package provider_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const (
	allChapters  = "audioprojects_chapters"
	wholeProject = "audioprojects_project"
	// hasMore is what a list says that is not all.
	hasMore = `the answer says that it is incomplete ("has_more": true)`
)

// dependsOnNothing are the data sources that read any field, with the reason. Every other one refuses an answer that it cannot go by, also one
// that is new.
var dependsOnNothing = map[string]string{
	"audioprojects_projects":          "the document does not give the fields of its records",
	"audioprojects_project_snapshots": "the document does not give the fields of its records",
	"audioprojects_project_snapshot":  "the document does not give the fields of its records",
	"audioprojects_chapter_snapshots": "no conversion depends on the fields of a snapshot",
}

// TestNoDataSourceTakesAPartForAll: every answer says that there is more.
func TestNoDataSourceTakesAPartForAll(t *testing.T) {
	t.Parallel()
	isNoList := map[string]string{wholeProject: "its record is no list"}
	readEach(t, isNoList, hasMore, func(answer map[string]any) { answer["has_more"] = true })
}

// TestNoDataSourceGoesByAFieldOfAnotherType: in every answer, each field that is no id has another type than in the document.
func TestNoDataSourceGoesByAFieldOfAnotherType(t *testing.T) {
	t.Parallel()
	readEach(t, dependsOnNothing, "has another type than documented: ", makeOdd)
}

// makeOdd makes an object of each field that is a text or a number, except for ids.
func makeOdd(record map[string]any) {
	for name, field := range record {
		switch field := field.(type) {
		case map[string]any:
			makeOdd(field)
		case []any:
			for _, element := range field {
				nested, isRecord := element.(map[string]any)
				if isRecord {
					makeOdd(nested)
				}
			}
		case string, float64:
			if !strings.HasSuffix(name, "_id") {
				record[name] = map[string]any{"odd": field}
			}
		}
	}
}

// readEach reads every data source from a service whose answers are changed. Each fails with the words, except for those that need not.
func readEach(t *testing.T, need map[string]string, words string, change func(answer map[string]any)) {
	t.Helper()
	for name := range schemas().DataSourceSchemas {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, _ *fakecore.Process) {
				project := namedBook("book", "one")
				project.Snapshots[0].CreatedAt, project.Chapters[0].Snapshots[0].CreatedAt = time.Now(), time.Now()
				c.service.AddProject(project)
				p := c.connect(changing(c, change))
				defer p.End()
				c.Configure(p, atTheService(), nil)
				_, shown := c.readData(p, name, dataSourceArguments(name, "book", "one"))
				reason := need[name]
				fails := len(shown.Errors) == 1 && shown.Says(words)
				switch {
				case reason == "" && !fails:
					c.Errorf("got %s, want an error with %q", shown, words)
				case reason != "" && len(shown.Errors) > 0:
					c.Errorf("got %s, although %s", shown, reason)
				}
			})
		})
	}
}

// changing is a service whose answers are changed. A list becomes an object with a list first, which the document leaves open.
func changing(c *core, change func(answer map[string]any)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorded := httptest.NewRecorder()
		c.service.ServeHTTP(recorded, r)
		var answer any
		c.Must(json.Unmarshal(recorded.Body.Bytes(), &answer))
		object, isObject := answer.(map[string]any)
		if !isObject {
			list := "projects"
			if strings.HasSuffix(r.URL.Path, "/snapshots") {
				list = "snapshots"
			}
			object = map[string]any{list: answer}
		}
		change(object)
		w.Header().Set("Content-Type", "application/json")
		c.Must(json.NewEncoder(w).Encode(object))
	})
}

// TestADataSourceWithOddFields reads all else: what decides nothing is null, without a word.
func TestADataSourceWithOddFields(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source, argument, value string
		reads, want             string // an attribute, and its value
	}{
		"chapters":        {allChapters, "", "", "chapter_ids", "['chapter-1' 'chapter-2' 'chapter-3']"},
		"project":         {wholeProject, "", "", "genres", "null"},
		"its title":       {wholeProject, "", "", "author", "'A'"},
		"the odd chapter": {oneChapter, "chapter_id", "chapter-2", "name", "null"},
		"and its state":   {oneChapter, "chapter_id", "chapter-2", "state", "'default'"},
		"another by name": {oneChapter, "name", "chapter-1", "chapter_id", "'chapter-1'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				c.service.AddProject(mockserver.Project{ID: "book", Chapters: manyChapters(3)})
				c.service.SetField("book", "chapter-2", "name", "7")
				c.service.SetField("book", "", "genres", `"Adventure"`)
				c.service.SetField("book", "", "author", `"A"`)
				arguments := map[string]any{"project_id": "book"}
				if test.argument != "" {
					arguments[test.argument] = test.value
				}
				read, shown := c.readData(p, test.source, arguments)
				shown.Want(c, "", nil, nil)
				got := written(read[test.reads])
				if got != test.want {
					c.Errorf("got %s, want %s", got, test.want)
				}
			})
		})
	}
}

// TestAChapterThatAListHasTwice with different contents: nobody knows which of them is true.
func TestAChapterThatAListHasTwice(t *testing.T) {
	t.Parallel()
	for source, thing := range map[string]string{allChapters: `chapters of project "book"`, wholeProject: `project "book"`, oneChapter: `chapter "one" of project "book"`} {
		withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
			c.service.Inject(mockserver.Fault{Times: -1, Body: `{"project_id":"book","chapters":[{"chapter_id":"one","name":"1"},{"chapter_id":"one","name":"2"}]}`})
			_, shown := c.readData(p, source, dataSourceArguments(source, "book", "one"))
			shown.Want(c, "", nil, []string{"Unable to read " + thing + "\n"})
			if !shown.Says(`the answer contains chapter "one" twice, with different contents`) {
				c.Errorf("got %s", shown)
			}
		})
	}
}
