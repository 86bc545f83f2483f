package provider_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// dataSources are all data sources, each with the request that it makes for what namedBook has.
var dataSources = []struct {
	name      string
	operation mockserver.Operation
	thing     string
	path      string // of the request, below /v1/projects
	marks     string // the argument that is wrong if the service does not know the id
}{
	{"audioprojects_project", mockserver.GetProject, `project "book"`, "/book", "project_id"},
	{"audioprojects_projects", mockserver.ListProjects, "projects", "", ""},
	{"audioprojects_project_snapshots", mockserver.ListProjectSnapshots, `snapshots of project "book"`, "/book/snapshots", "project_id"},
	{"audioprojects_project_snapshot", mockserver.ListProjectSnapshots, `snapshot "old" of project "book"`, "/book/snapshots", "project_id"},
	{"audioprojects_chapters", mockserver.ListChapters, `chapters of project "book"`, "/book/chapters", "project_id"},
	{"audioprojects_chapter", mockserver.ListChapters, `chapter "one" of project "book"`, "/book/chapters", "project_id"},
	{"audioprojects_chapter_snapshots", mockserver.ListChapterSnapshots, `snapshots of chapter "one" of project "book"`, "/book/chapters/one/snapshots", ""},
}

// namedBook is a project with what dataSourceArguments name.
func namedBook(projectID, chapterID string) mockserver.Project {
	return mockserver.Project{
		ID: projectID, Snapshots: []mockserver.ProjectSnapshot{{ID: "old"}},
		Chapters: []mockserver.Chapter{{ID: chapterID, Snapshots: []mockserver.ChapterSnapshot{{ID: "old"}}}},
	}
}

// dataSourceArguments are those of these that a data source has.
func dataSourceArguments(name, projectID, chapterID string) map[string]any {
	given := map[string]any{"project_id": projectID, "chapter_id": chapterID, "project_snapshot_id": "old"}
	kind := schemas().DataSourceSchemas[name].ValueType().(tftypes.Object)
	maps.DeleteFunc(given, func(argument string, _ any) bool { return kind.AttributeTypes[argument] == nil })
	return given
}

// readData reads a data source with these arguments, as core does: if they are valid.
func (c *core) readData(p *fakecore.Process, name string, arguments map[string]any) (map[string]tftypes.Value, *fakecore.Screen) {
	c.Helper()
	kind, shown := schemas().DataSourceSchemas[name].ValueType(), &fakecore.Screen{}
	config := c.Encode(fakecore.ValueOf(kind, arguments))
	valid, err := p.ValidateDataResourceConfig(c.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})
	c.Must(err)
	if shown.Print(valid.Diagnostics) {
		return nil, shown
	}
	read, err := p.ReadDataSource(c.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: config})
	c.Must(err)
	if shown.Print(read.Diagnostics) {
		return nil, shown
	}
	value, err := read.State.Unmarshal(kind)
	c.Must(err)
	return fakecore.AttributesOf(value), shown
}

// written is a value in short, without attributes that are null.
func written(value tftypes.Value) string {
	var texts []string
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	kind := value.Type()
	switch {
	case value.IsNull():
		return "null"
	case kind.Is(tftypes.Object{}):
		attributes := fakecore.AttributesOf(value)
		for _, name := range slices.Sorted(maps.Keys(attributes)) {
			if !attributes[name].IsNull() {
				texts = append(texts, name+"="+written(attributes[name]))
			}
		}
		return "{" + strings.Join(texts, " ") + "}"
	case kind.Is(tftypes.List{}):
		var elements []tftypes.Value
		must(value.As(&elements))
		for _, element := range elements {
			texts = append(texts, written(element))
		}
		return "[" + strings.Join(texts, " ") + "]"
	case kind.Is(tftypes.Number):
		number := new(big.Float)
		must(value.As(&number))
		return number.Text('f', -1)
	case kind.Is(tftypes.Bool):
		var is bool
		must(value.As(&is))
		return map[bool]string{true: "yes", false: "no"}[is]
	default:
		var text string
		must(value.As(&text))
		return "'" + text + "'"
	}
}

// wantRead checks all that a data source reads, wherever the lines of the text are broken.
func (c *core) wantRead(p *fakecore.Process, name string, arguments map[string]any, want string) {
	c.Helper()
	read, shown := c.readData(p, name, arguments)
	shown.Want(c, "", nil, nil)
	if len(shown.Errors) > 0 {
		return
	}
	got := written(tftypes.NewValue(schemas().DataSourceSchemas[name].ValueType(), read))
	if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		c.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// dataBlock is a block of a configuration for it.
func dataBlock(name string, arguments map[string]any) string {
	block := "data \"" + name + "\" \"this\" {\n"
	for argument, given := range arguments {
		block += fmt.Sprintf("  %s = %q\n", argument, given)
	}
	return block + "}\n"
}

func TestDataSources_askOnceAndNameWhatTheyCannotRead(t *testing.T) {
	t.Parallel()
	for _, source := range dataSources {
		t.Run(source.name, func(t *testing.T) {
			t.Parallel()
			const projectID, chapterID = `Hör/Buch 100% "a"?b#c`, `../..%2F+;é`
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				c.service.AddProject(namedBook(projectID, chapterID))
				_, shown := c.readData(p, source.name, dataSourceArguments(source.name, projectID, chapterID))
				shown.Want(c, "", nil, nil)
				for _, sent := range c.service.Journal() {
					if strings.Contains(source.path, "book") && sent.ProjectID != projectID || strings.Contains(source.path, "one") && sent.ChapterID != chapterID {
						c.Errorf("got the request %+v", sent)
					}
				}
				c.wantOneOf(source.operation)

				c.service.Inject(mockserver.Fault{Status: 404, Times: -1})
				_, shown = c.readData(p, source.name, dataSourceArguments(source.name, "book", "one"))
				shown.Want(c, "", nil, []string{"Unable to read " + source.thing + "\nGET /v1/projects" + source.path + ": 404 Not Found"})
				at := shown.Diagnostics[0].Attribute.String()
				if source.marks != "" && !strings.Contains(at, source.marks) {
					c.Errorf("the error is at %q, want %q", at, source.marks)
				}
				c.wantOneOf(source.operation)
			})
		})
	}
}

// wantOneOf checks that one request was sent since the last check.
func (c *core) wantOneOf(operation mockserver.Operation) {
	c.Helper()
	sent := c.service.Journal()
	if len(sent) != 1 || sent[0].Operation != operation {
		c.Errorf("got the requests %v, want one %s", sent, operation)
	}
	c.service.ResetJournal()
}
