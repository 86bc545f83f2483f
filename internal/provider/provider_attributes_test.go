package provider_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// The tests in this file go by the schema, so that a new attribute is in none of them without being named.

// TestChapterConversion_planSetsEveryAttribute: what a conversion may change is unknown in its plan, because Terraform refuses a
// result that differs from the plan. What is known is kept on purpose.
func TestChapterConversion_planSetsEveryAttribute(t *testing.T) {
	t.Parallel()
	check := func(c *core, plan *fakecore.Plan, kept ...string) {
		c.Helper()
		if plan.Action != "update" {
			c.Fatalf("got %s", plan.Screen)
		}
		planned := fakecore.AttributesOf(plan.Value)
		var known []string
		for _, attribute := range c.Schema().Block.Attributes {
			if attribute.Computed && planned[attribute.Name].IsKnown() {
				known = append(known, attribute.Name)
			}
		}
		slices.Sort(known)
		if !slices.Equal(known, kept) {
			c.Errorf("known in a planned conversion: got %q, want %q: see planConversion", known, kept)
		}
	}
	inFakeTime(t, mockserver.Chapter{}, map[string]any{"triggers": map[string]any{"voice": "Ada"}}, func(c *core) {
		c.Apply()
		c.Arguments["triggers"] = map[string]any{"voice": "Bela"}
		// The name of a chapter does not change by a conversion, and a plan should say what is converted.
		check(c, c.Plan(), "id", keepUpToDate, "name", "service_url")
	})
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "chapter-1", acctest.LongerText)
		check(c, c.Plan(), "chapter_count", "id", "service_url")
	})
}

// ofTheService are the texts that the mock server makes itself, ids and the states of chapters, those that are ours, and an argument.
var ofTheService = regexp.MustCompile(`[._]ids?$|snapshot\.(created_at|not_before)$|chapter(s\.chapters)?\.state$|project\.chapters\.state$`)

// TestDataSources_keepEveryText: the project has a value for every attribute, and a hostile text for every one that is a text, but for
// ids. So is the one that the state keeps of a chapter.
func TestDataSources_keepEveryText(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		project := projectThatSays(hostile)
		project.MatureContent, project.Chapters[0].ConvertedAt = new(true), time.Now()
		project.Snapshots[0].CreatedAt, project.Chapters[0].Snapshots[0].CreatedAt = time.Now(), time.Now()
		c.service.AddProject(project)
		c.service.SetField("book", "one", "conversion_progress", "40")
		c.Import("book/one")
		c.wantEqual("last_conversion_error", fakecore.AttributesOf(c.Object.Value)["last_conversion_error"], tftypes.NewValue(tftypes.String, inState))
		for name, schema := range schemas().DataSourceSchemas {
			attributes, shown := c.readData(p, name, dataSourceArguments(name, "book", "one"))
			shown.Want(c, "", nil, nil)
			if attributes == nil {
				continue
			}
			read := tftypes.NewValue(schema.ValueType(), attributes)
			texts := map[string]bool{} // whether the text is hostile
			given := map[string]bool{} // whether the attribute has a value
			c.Must(tftypes.Walk(read, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
				given[attributeAt(at)] = given[attributeAt(at)] || !value.IsNull()
				var text *string
				if !value.Type().Is(tftypes.String) || value.As(&text) != nil {
					return true, nil
				}
				where := attributeAt(at)
				texts[where] = texts[where] || text != nil && strings.Contains(*text, "breath")
				switch {
				case text == nil:
				case !texts[where], strings.HasPrefix(*text, "{"):
					wantNothingToObey(c.T, *text)
				case *text != inState:
					c.Errorf("%s: %s: got %q", name, where, *text)
				}
				return true, nil
			}))
			for _, argument := range schema.Block.Attributes {
				if argument.Optional {
					delete(given, argument.Name)
				}
			}
			for attribute, is := range given {
				if !is {
					c.Errorf("%s: the mock server gives no %s", name, attribute)
				}
			}
			for attribute, hostile := range texts {
				if !hostile && !ofTheService.MatchString(name+"."+attribute) {
					c.Errorf("%s: %s is not hostile in projectThatSays", name, attribute)
				}
			}
		}
	})
}

// everyDataSourceRead are blocks with the label for all data sources of the schema, and an output of all of them.
func everyDataSourceRead(label, snapshot string) string {
	var blocks, addresses strings.Builder
	for name := range schemas().DataSourceSchemas {
		fmt.Fprintf(&blocks, "data %q %q {\n", name, label)
		for argument, value := range dataSourceArguments(name, "book", "one") {
			if argument == "project_snapshot_id" {
				value = snapshot
			}
			fmt.Fprintf(&blocks, "  %s = %q\n", argument, value)
		}
		blocks.WriteString("}\n")
		fmt.Fprintf(&addresses, "data.%s.%s, ", name, label)
	}
	return blocks.String() + "\noutput \"everything\" {\n  value = [" + addresses.String() + "]\n}\n"
}

// attributeAt is a path without positions in lists.
func attributeAt(at *tftypes.AttributePath) string {
	var names []string
	for _, step := range at.Steps() {
		name, is := step.(tftypes.AttributeName)
		if is {
			names = append(names, string(name))
		}
	}
	return strings.Join(names, ".")
}

// TestProviderSettings_haveAnEffect: a new setting of the provider needs a value here with which the same apply goes another way.
func TestProviderSettings_haveAnEffect(t *testing.T) {
	t.Parallel()
	other := map[string]any{
		"api_key": "another-key", "base_url": "http://audio.example.com/elsewhere", "api_path": "/v2", "request_timeout": "1s",
		"max_retries": 0, "parallel_conversions": 1, "max_characters": 1, "allow_http": false,
	}
	usual := applyWith(t, nil)
	for _, setting := range schemas().Provider.Block.Attributes {
		value, found := other[setting.Name]
		if !found {
			t.Errorf("%s: no other value is tested", setting.Name)
			continue
		}
		got := applyWith(t, map[string]any{setting.Name: value})
		if got == usual {
			t.Errorf("%s = %v: got %s, as without it", setting.Name, value, got)
		}
	}
}

// applyWith applies a project of two chapters at a service that is slow once, and fails once. It returns what could be seen: the
// errors, the requests and the time that it took.
func applyWith(t *testing.T, settings map[string]any) (seen string) {
	t.Helper()
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		given := map[string]any{"base_url": "http://audio.example.com", "api_key": mockserver.Secret, "allow_http": true}
		maps.Copy(given, settings)
		if given["allow_http"] == false {
			seen = strings.Join(refused(c.T, given, nil), " ")
			return
		}
		c.Start = func() *fakecore.Process { return c.beginWith(given, nil) }
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Hang: 5 * time.Second})
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Status: 503})
		began := time.Now()
		shown := c.Apply()
		before := map[string]int{} // the first request for a conversion: how often that is looked at later is a matter of chance
		for _, entry := range c.service.Journal() {
			if entry.Operation == mockserver.ConvertChapter {
				break
			}
			before[entry.Path]++
		}
		seen = fmt.Sprintf("%q after %s and %v", shown.Errors, time.Since(began).Round(30*time.Second), before)
	})
	return seen
}
