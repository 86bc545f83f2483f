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

// What a data source may keep to itself, with the reason. Every other one says it, also one that is new.
var (
	knowsFromAPart = map[string]string{
		"audioprojects_chapter": "the id that it looks for is in the part that has come",
	}
	takesAnyField = map[string]string{
		"audioprojects_projects":          "the document does not give the fields of its records",
		"audioprojects_project_snapshots": "the document does not give the fields of its records",
		"audioprojects_project_snapshot":  "the document does not give the fields of its records",
	}
)

// TestNoDataSourceTakesAPartForAll: every answer says that there is more.
func TestNoDataSourceTakesAPartForAll(t *testing.T) {
	t.Parallel()
	readEach(t, knowsFromAPart, hasMore, func(answer map[string]any) { answer["has_more"] = true })
}

// TestNoDataSourceHidesAFieldOfAnotherType: in every answer, each field that is no id has another type than in the document.
func TestNoDataSourceHidesAFieldOfAnotherType(t *testing.T) {
	t.Parallel()
	readEach(t, takesAnyField, "JSON object", makeOdd)
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

// readEach reads every data source from a service whose answers are changed. Each says the words in an error or in a warning, except for
// those that need not.
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
				says := shown.Says(words)
				switch {
				case reason == "" && !says:
					c.Errorf("got %s, want an error or a warning with %q", shown, words)
				case reason != "" && says:
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
