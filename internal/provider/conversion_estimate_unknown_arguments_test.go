package provider_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// twoValues are two values of each argument that a resource or an action may have. An argument within an object is named with the object.
var twoValues = map[string][2]any{
	"project_id":          {"book", "other"},
	"chapter_id":          {"one", "two"},
	"chapter_ids":         {[]string{"one"}, []string{"two"}},
	"exclude_chapter_ids": {[]string{"two"}, []string{"one"}},
	"triggers":            {map[string]any{"voice": "a"}, map[string]any{"voice": "b"}},
	"keep_up_to_date":     {false, true},
	"all":                 {false, true},
	"converted_after":     {"1990-01-01T00:00:00Z", "1999-12-31T23:59:00Z"},
	"on_failure":          {"error", "warn"},
	"timeout":             {"1h", "2h"},
	"chapter_timeout":     {"1h", "2h"},
	"timeouts":            {map[string]any{"create": "1h"}, map[string]any{"update": "2h"}},
	"timeouts.create":     {"1h", "2h"},
	"timeouts.update":     {"1h", "2h"},
	"project_snapshot_id": {"new", "old"},
	"convert_to_mpeg":     {false, true},
	"filename":            {"book.wav", "other.wav"},
	"overwrite":           {false, true},
	"file_permission":     {"0600", "0640"},
	"when_missing":        {"download", "keep"},
}

// argumentsOf are the arguments of a block, and those within its objects.
func argumentsOf(attributes []*tfprotov6.SchemaAttribute, within string) (names []string) {
	for _, attribute := range attributes {
		if !attribute.Required && !attribute.Optional {
			continue
		}
		names = append(names, within+attribute.Name)
		if attribute.NestedType != nil {
			names = append(names, argumentsOf(attribute.NestedType.Attributes, attribute.Name+".")...)
		}
	}
	return names
}

// withArgument is a configuration with one more argument.
func withArgument(given map[string]any, name string, value any) map[string]any {
	all := maps.Clone(given)
	if all == nil {
		all = map[string]any{}
	}
	object, within, nested := strings.Cut(name, ".")
	if nested {
		all[object] = map[string]any{within: value}
	} else {
		all[name] = value
	}
	return all
}

// unknownCase is an argument that is unknown in the plan.
type unknownCase struct {
	argument     string
	before, then any // its value in the state, and what it turns out to be
	isNew        bool
	chapter      string // its state at the plan: settled, open, or pending
}

func (u unknownCase) String() string {
	if u.isNew {
		return fmt.Sprintf("%s is %v, new, %s", u.argument, u.then, u.chapter)
	}
	return fmt.Sprintf("%s from %v to %v, %s", u.argument, u.before, u.then, u.chapter)
}

// unknownCases are those for the arguments of a block. A plan that waits, or has nothing to do, is asked with another value: the same one
// asks for less. A duration is long enough whatever it is, and only the conversions of a block depend on the chapter.
func unknownCases(t *testing.T, attributes []*tfprotov6.SchemaAttribute, converts bool) (cases []unknownCase) {
	t.Helper()
	for _, name := range argumentsOf(attributes, "") {
		values, told := twoValues[name]
		if !told {
			t.Fatalf("tell two values of the argument %s", name)
		}
		for i, then := range values {
			other := values[1-i]
			cases = append(cases, unknownCase{name, nil, then, true, "settled"}, unknownCase{name, other, then, false, "settled"})
			if converts {
				cases = append(cases, unknownCase{name, nil, then, true, "open"},
					unknownCase{name, other, then, false, "open"}, unknownCase{name, then, then, false, "open"}, unknownCase{name, other, then, false, "pending"})
			}
			if strings.HasPrefix(name, "timeout") {
				break
			}
		}
	}
	return cases
}

// unknownWorld has two projects of two converted chapters. A chapter has 35 characters, 20 more after an edit; the second one has ten times more.
func unknownWorld() *mockserver.Server {
	service := mockserver.New()
	for _, id := range []string{"book", "other"} {
		service.AddProject(mockserver.Project{ID: id, Chapters: []mockserver.Chapter{
			{ID: "one", Text: acctest.ChapterText, Converted: true, ConvertedAt: time.Now().Add(-time.Hour), Conversions: []mockserver.Conversion{oneMinute}},
			{ID: "two", Text: strings.Repeat(acctest.ChapterText, 10), Converted: true, ConvertedAt: time.Now().Add(-time.Hour), Conversions: []mockserver.Conversion{oneMinute}},
		}})
		service.AddProjectSnapshot(id, mockserver.ProjectSnapshot{ID: "old", CreatedAt: time.Now().Add(-time.Hour)})
		service.AddProjectSnapshot(id, mockserver.ProjectSnapshot{ID: "new", CreatedAt: time.Now().Add(-time.Minute)})
	}
	return service
}

// spent is what the conversions since the given counts have cost at least.
func spent(service *mockserver.Server, before map[string]int, follows, open bool) (characters int) {
	for _, project := range []string{"book", "other"} {
		for id, text := range map[string]string{"one": acctest.ChapterText, "two": strings.Repeat(acctest.ChapterText, 10)} {
			cost, edited := counted(text), open && id == "one"
			switch {
			case edited && follows:
				cost = counted(acctest.LongerText) - counted(text)
			case edited:
				cost = counted(acctest.LongerText)
			}
			characters += cost * (service.Conversions(project, id) - before[project+id])
		}
	}
	return characters
}

// counted is how many characters the service counts in a text: it does not count what divides paragraphs.
func counted(text string) int { return len(strings.ReplaceAll(text, "\n\n", "")) }

func conversionsOf(service *mockserver.Server) map[string]int {
	counts := map[string]int{}
	for _, project := range []string{"book", "other"} {
		for _, id := range []string{"one", "two"} {
			counts[project+id] = service.Conversions(project, id)
		}
	}
	return counts
}

// Whatever an argument turns out to be that was unknown in the plan: the apply does what the plan has said (the stand-in for core complains
// otherwise), and costs no more than the plan has counted.
func TestAnUnknownArgumentIsEstimatedWithTheMost(t *testing.T) {
	t.Parallel()
	for typeName, resourceSchema := range schemas().ResourceSchemas {
		kind := resourceTypes[slices.IndexFunc(resourceTypes, func(r resourceType) bool { return r.name == typeName })]
		for _, keeps := range []bool{false, true} {
			if keeps && kind.name != chapterConversion.name {
				continue
			}
			for _, u := range unknownCases(t, resourceSchema.Block.Attributes, kind.name != projectSnapshotAudio.name) {
				t.Run(fmt.Sprintf("%s %s, keeps %t", typeName, u, keeps), func(t *testing.T) {
					t.Parallel()
					cost := planUnknown(t, kind, u, keeps, -1)
					if cost > 0 && u.argument != "project_id" {
						planUnknown(t, kind, u, keeps, cost-1)
					}
					if cost > 0 && u.argument == "keep_up_to_date" { // No characters is a limit, too.
						planUnknown(t, kind, u, keeps, 0)
					}
				})
			}
		}
	}
}

// planUnknown plans and applies, and returns what that has cost. With a limit of characters it only checks that the plan is refused.
func planUnknown(t *testing.T, kind resourceType, u unknownCase, keeps bool, most int) (cost int) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		service := unknownWorld()
		c := newCore(t, kind, service, nil)
		path := func(value any) any {
			name, known := value.(string)
			if u.argument == "filename" && known {
				return filepath.Join(folder, name)
			}
			return value
		}
		base := map[string]any{}
		switch kind.name {
		case projectSnapshotAudio.name:
			base["filename"] = filepath.Join(folder, "book.wav")
		case chapterConversion.name:
			base[keepUpToDate] = keeps
		}
		set := func(value any) { c.Arguments = withArgument(base, u.argument, path(value)) }
		set(u.before)
		switch {
		case u.isNew:
		case u.chapter == "pending":
			service.EditChapter("book", "one", acctest.ChapterText+"\n\nNobody.")
			c.Apply(fakecore.InterruptedAfter(30 * time.Second))
		default:
			c.Apply()
		}
		if u.chapter != "settled" {
			service.EditChapter("book", "one", acctest.LongerText)
		}
		set(tftypes.UnknownValue)
		paid := conversionsOf(service)
		if most >= 0 {
			c.limitTo(most)
			shown := c.Plan()
			if !shown.Says("`max_characters`") || len(shown.Errors) == 0 {
				t.Errorf("got %s, although the apply costs %d characters", shown, most+1)
			}
			return
		}
		plan := c.Plan()
		if len(plan.Errors) > 0 {
			t.Fatalf("got %s", plan.Screen)
		}
		set(u.then)
		shown := c.ApplyPlan(plan)
		if len(shown.Errors) > 0 {
			t.Errorf("got %s", shown)
		}
		follows := kind.name == projectConversion.name && c.Arguments["converted_after"] == nil || c.Arguments[keepUpToDate] == true
		cost = spent(service, paid, follows, u.chapter != "settled")
		if cost > 0 && u.argument == "project_id" && !plan.Says("known only when the plan is applied") {
			t.Errorf("got %s, and the apply costs %d characters", plan.Screen, cost)
		}
		again := c.Plan()
		if again.Action != fakecore.NoOp {
			t.Errorf("got %s after the apply, want nothing to do", again)
		}
	})
	return cost
}

// The same for actions.
func TestAnUnknownArgumentOfAnActionIsEstimatedWithTheMost(t *testing.T) {
	t.Parallel()
	for typeName, actionSchema := range schemas().ActionSchemas {
		for _, u := range unknownCases(t, actionSchema.Schema.Block.Attributes, true) {
			if !u.isNew {
				continue // An action has no state.
			}
			t.Run(fmt.Sprintf("%s %s", typeName, u), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					service := unknownWorld()
					c := newCore(t, chapterConversion, service, nil)
					base := map[string]any{"project_id": "book"}
					if typeName == convertChapter {
						base["chapter_id"] = "one"
					}
					config := func(value any) tftypes.Value { return c.ActionConfig(typeName, withArgument(base, u.argument, value)) }
					if u.chapter == "open" {
						service.EditChapter("book", "one", acctest.LongerText)
					}
					invoked := c.begin()
					defer invoked.End()
					paid := conversionsOf(service)
					free := c.boundPlan(typeName, config(tftypes.UnknownValue), 0)
					unbound := c.boundPlan(typeName, config(tftypes.UnknownValue), 1_000_000)
					c.Invoke(invoked, typeName, config(u.then))
					given := withArgument(base, u.argument, u.then)
					follows := typeName == convertProject && given["all"] != true || given[keepUpToDate] == true
					cost := spent(service, paid, follows, u.chapter != "settled")
					isCountable := u.argument != "project_id" // A limit that cannot be checked is not kept.
					if (len(unbound.Errors) == 0) != isCountable || unbound.Says("at no cost") && cost > 0 {
						t.Errorf("got %s, and it costs %d characters", unbound, cost)
					}
					if cost > 0 && len(free.Errors) == 0 {
						t.Errorf("got %s, with no characters allowed, and it costs %d", free, cost)
					}
				})
			})
		}
	}
}

// boundPlan plans an action with a max_characters.
func (c *core) boundPlan(actionType string, config tftypes.Value, most int) *fakecore.Screen {
	c.Helper()
	c.limitTo(most)
	p := c.Start()
	defer p.End()
	return c.PlanAction(p, actionType, config)
}
