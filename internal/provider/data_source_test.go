package provider_test

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// dataSources are all data sources, each with the one request that it makes.
var dataSources = []struct {
	name      string
	operation mockserver.Operation
	thing     string
	request   string
	fault     string // the line that the CLI marks if the service does not know the id
	block     string
}{
	{
		"audioprojects_project", mockserver.GetProject, `project "audiobook"`,
		"GET /v1/projects/audiobook", `project_id = "audiobook"`, projectBlock,
	},
	{
		"audioprojects_projects", mockserver.ListProjects, "projects",
		"GET /v1/projects", `data "audioprojects_projects" "all" {`, `
data "audioprojects_projects" "all" {}
`,
	},
	{
		"audioprojects_project_snapshots", mockserver.ListProjectSnapshots, `snapshots of project "audiobook"`,
		"GET /v1/projects/audiobook/snapshots", `project_id = "audiobook"`, `
data "audioprojects_project_snapshots" "book" {
  project_id = "audiobook"
}
`,
	},
	{
		"audioprojects_project_snapshot", mockserver.ListProjectSnapshots, `the newest snapshot of project "audiobook"`,
		"GET /v1/projects/audiobook/snapshots", `project_id  = "audiobook"`, `
data "audioprojects_project_snapshot" "book" {
  project_id  = "audiobook"
  most_recent = true
}
`,
	},
	{
		"audioprojects_chapters", mockserver.ListChapters, `chapters of project "audiobook"`,
		"GET /v1/projects/audiobook/chapters", `project_id = "audiobook"`, `
data "audioprojects_chapters" "book" {
  project_id = "audiobook"
}
`,
	},
	{
		"audioprojects_chapter", mockserver.ListChapters, `chapter "chapter-1" of project "audiobook"`,
		"GET /v1/projects/audiobook/chapters", `project_id = "audiobook"`, `
data "audioprojects_chapter" "first" {
  project_id = "audiobook"
  chapter_id = "chapter-1"
}
`,
	},
	{
		"audioprojects_chapter_snapshots", mockserver.ListChapterSnapshots, `snapshots of chapter "chapter-1" of project "audiobook"`,
		"GET /v1/projects/audiobook/chapters/chapter-1/snapshots", `data "audioprojects_chapter_snapshots" "book" {`, `
data "audioprojects_chapter_snapshots" "book" {
  project_id = "audiobook"
  chapter_id = "chapter-1"
}
`,
	},
}

// wantRequestsOfEach checks that each data source has sent so many requests. Two of them may use the same operation.
func wantRequestsOfEach(service *service, times int) {
	service.t.Helper()
	want := map[mockserver.Operation]int{}
	for _, source := range dataSources {
		want[source.operation] += times
	}
	for operation, count := range want {
		service.WantCount(operation, count)
	}
}

// everyDataSource is a configuration with all data sources.
func everyDataSource(address, key string) string {
	var blocks []string
	for _, source := range dataSources {
		blocks = append(blocks, source.block)
	}
	return clitest.ConfigFor(address, key, blocks...)
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

// sent checks how many requests have been sent when the plan is ready.
type sent struct {
	*service
	requests int
}

func (s sent) CheckPlan(_ context.Context, _ plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	if got := len(s.Journal()); got != s.requests {
		resp.Error = fmt.Errorf("requests: got %d, want %d", got, s.requests)
	}
}

// wantObject is an object with the named attributes: the given ones have these values, the others are null.
func wantObject(fields map[string]knownvalue.Check, names ...string) knownvalue.Check {
	all := map[string]knownvalue.Check{}
	for _, name := range names {
		all[name] = knownvalue.Null()
	}
	for name, field := range fields {
		all[name] = field
	}
	return knownvalue.ObjectExact(all)
}

// wantOutput checks all attributes of the output `all` of a configuration.
func wantOutput(want knownvalue.Check) []statecheck.StateCheck {
	return []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("all", want)}
}
