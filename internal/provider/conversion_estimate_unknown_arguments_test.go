package provider_test

import (
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// unknownWorld has a project of two converted chapters. A chapter has 35 characters, 20 more after an edit; the second one has ten times
// more.
func unknownWorld() *mockserver.Server {
	service := mockserver.New()
	service.AddProject(mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{
		{ID: "one", Text: acctest.ChapterText, Converted: true, ConvertedAt: time.Now().Add(-time.Hour), Conversions: []mockserver.Conversion{oneMinute}},
		{ID: "two", Text: strings.Repeat(acctest.ChapterText, 10), Converted: true, ConvertedAt: time.Now().Add(-time.Hour), Conversions: []mockserver.Conversion{oneMinute}},
	}})
	return service
}

// TestEstimate_unknownArgumentCountsTheMost that the known chapter or project can cost. If that is not known, neither is the cost, and
// with a limit that is an error.
func TestEstimate_unknownArgumentCountsTheMost(t *testing.T) {
	t.Parallel()
	chapter := map[string]any{"project_id": "book", "chapter_id": "one"}
	const unknownCost = -1
	for name, test := range map[string]struct {
		kind     resourceType
		exists   map[string]any // the arguments of a resource that is in the state already; nil if there is none
		action   string         // instead of a resource
		argument string         // the one that is unknown, or has an unknown element
		then     any            // what it is in the apply
		most     int            // characters
	}{
		"chapters of a new book":      {projectConversion, nil, "", "chapter_ids", []string{"one"}, 20},
		"a chapter of a new book":     {projectConversion, nil, "", "chapter_ids", []string{"one", "two"}, 20},
		"exceptions of a new book":    {projectConversion, nil, "", "exclude_chapter_ids", []string{"two"}, 20},
		"triggers of a book":          {projectConversion, map[string]any{"triggers": map[string]any{"voice": "a"}}, "", "triggers", map[string]any{"voice": "b"}, 55 + 350},
		"triggers of a new chapter":   {chapterConversion, nil, "", "triggers", map[string]any{"voice": "a"}, 55},
		"triggers of a chapter":       {chapterConversion, map[string]any{"triggers": map[string]any{"voice": "a"}}, "", "triggers", map[string]any{"voice": "b"}, 55},
		"a new chapter may follow":    {chapterConversion, nil, "", keepUpToDate, false, 55},
		"a chapter may follow":        {chapterConversion, map[string]any{}, "", keepUpToDate, true, 20},
		"all of a project, by action": {chapterConversion, nil, convertProject, "all", true, 55 + 350},
		"only unconverted, by action": {chapterConversion, nil, convertChapter, "only_unconverted", false, 55},
		"a new chapter":               {chapterConversion, nil, "", "chapter_id", "two", unknownCost},
		"a new project":               {projectConversion, nil, "", "project_id", "book", unknownCost},
		"a project, by action":        {chapterConversion, nil, convertProject, "project_id", "book", unknownCost},
		"a chapter, by action":        {chapterConversion, nil, convertChapter, "chapter_id", "two", unknownCost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newCore(t, test.kind, unknownWorld(), test.exists)
				if test.exists != nil {
					c.Apply()
				}
				c.service.EditChapter("book", "one", acctest.LongerText)
				base := maps.Clone(c.Arguments)
				switch test.action {
				case convertChapter:
					base = maps.Clone(chapter)
				case convertProject:
					base = map[string]any{"project_id": "book"}
				}
				set := func(value any) {
					c.Arguments = maps.Clone(base)
					if c.Arguments == nil {
						c.Arguments = map[string]any{}
					}
					c.Arguments[test.argument] = value
				}
				set(tftypes.UnknownValue)
				if name == "a chapter of a new book" {
					set([]tftypes.Value{tftypes.NewValue(tftypes.String, "two"), tftypes.NewValue(tftypes.String, tftypes.UnknownValue)})
				}
				time.Sleep(time.Minute)

				c.limitTo(max(test.most, 1) - 1)
				refused := costlyPlan(c, test.action)
				if len(refused.Errors) != 1 || !refused.Says("`max_characters`") {
					t.Errorf("with a limit of one character less, got %s", refused)
				}
				if test.most == unknownCost {
					c.limitTo(1_000_000)
					refused = costlyPlan(c, test.action)
					if len(refused.Errors) != 1 || !refused.Says("so it cannot check the limit") {
						t.Errorf("with a limit, got %s", refused)
					}
					return
				}
				c.limitTo(test.most)
				planned := costlyPlan(c, test.action)
				if len(planned.Errors) > 0 || !planned.Says("Known only when the plan is applied: `"+test.argument+"`. The estimate counts the most that this can cost.") {
					t.Errorf("got %s", planned)
				}
				if test.action != "" {
					return
				}
				plan := c.Plan()
				set(test.then)
				c.ApplyPlan(plan).Want(c, plan.Action, nil, nil)
				c.Plan().Want(c, "no-op", nil, nil)
			})
		})
	}
}
