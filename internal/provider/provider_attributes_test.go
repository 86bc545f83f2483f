package provider_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// The tests in this file go by the schema, so that a new attribute is in none of them without being named.

// TestAPlannedConversionLeavesNoAttributeOut: what a conversion may change is unknown in its plan, because Terraform refuses a
// result that differs from the plan. What is known is kept on purpose.
func TestAPlannedConversionLeavesNoAttributeOut(t *testing.T) {
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
		if slices.Sort(known); !slices.Equal(known, kept) {
			c.Errorf("known in a planned conversion: got %q, want %q: see planConversion", known, kept)
		}
	}
	inFakeTime(t, mockserver.Chapter{}, map[string]any{"triggers": map[string]any{"voice": "Ada"}}, func(c *core) {
		c.Apply()
		c.Arguments["triggers"] = map[string]any{"voice": "Bela"}
		// The name of a chapter does not change by a conversion, and a plan should say what is converted.
		check(c, c.Plan(), "id", keepUpToDate, "name")
	})
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "chapter-1", longerText)
		check(c, c.Plan(), "id")
	})
}

// ofTheService are the texts that the mock server makes itself, ids and the states of chapters, and those that are ours.
var ofTheService = regexp.MustCompile(`[._]ids?$|chapter(s\.chapters)?\.state$|project\.chapters\.state$|bill\.(converted_after|chapters\.reason)$`)

// TestEveryTextOfADataSourceIsPlain: the hostile project has a hostile text for every attribute that is one, but for ids.
func TestEveryTextOfADataSourceIsPlain(t *testing.T) {
	t.Parallel()
	arguments := map[string]any{"project_id": "book", "chapter_id": "one", "project_snapshot_id": "old"}
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		c.service.AddProject(hostileProject())
		for name, schema := range schemas().DataSourceSchemas {
			kind := schema.ValueType().(tftypes.Object)
			given := maps.Clone(arguments)
			maps.DeleteFunc(given, func(argument string, _ any) bool { return kind.AttributeTypes[argument] == nil })
			response, err := p.ReadDataSource(c.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: c.Encode(fakecore.ValueOf(kind, given))})
			c.Must(err, response.Diagnostics...)
			read, err := response.State.Unmarshal(kind)
			c.Must(err)
			texts := map[string]bool{} // whether the text is hostile
			c.Must(tftypes.Walk(read, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
				var text *string
				if !value.Type().Is(tftypes.String) || value.As(&text) != nil {
					return true, nil
				}
				where := attributeAt(at)
				texts[where] = texts[where] || text != nil && strings.Contains(*text, "breath")
				switch {
				case text == nil:
				case !texts[where], strings.HasPrefix(*text, "{"):
					wantPlain(c.T, *text)
				case *text != readable:
					c.Errorf("%s: %s: got %q", name, where, *text)
				}
				return true, nil
			}))
			for attribute, hostile := range texts {
				if !hostile && !ofTheService.MatchString(name+"."+attribute) {
					c.Errorf("%s: %s is not hostile in hostileProject", name, attribute)
				}
			}
		}
	})
}

// everyDataSourceRead are blocks with the label for all data sources of the schema, and an output of all of them.
func everyDataSourceRead(label, snapshot string) string {
	var blocks, addresses []string
	for name, schema := range schemas().DataSourceSchemas {
		var arguments []string
		for _, argument := range []struct{ name, value string }{{"project_id", "book"}, {"chapter_id", "one"}, {"project_snapshot_id", snapshot}} {
			if slices.ContainsFunc(schema.Block.Attributes, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == argument.name }) {
				arguments = append(arguments, fmt.Sprintf("  %s = %q\n", argument.name, argument.value))
			}
		}
		blocks = append(blocks, fmt.Sprintf("data %q %q {\n%s}\n", name, label, strings.Join(arguments, "")))
		addresses = append(addresses, "data."+name+"."+label)
	}
	return strings.Join(blocks, "\n") + "\noutput \"everything\" {\n  value = [" + strings.Join(addresses, ", ") + "]\n}\n"
}

// attributeAt is a path without positions in lists.
func attributeAt(at *tftypes.AttributePath) string {
	var names []string
	for _, step := range at.Steps() {
		if name, is := step.(tftypes.AttributeName); is {
			names = append(names, string(name))
		}
	}
	return strings.Join(names, ".")
}

// TestEverySettingIsChecked: a new setting of the provider needs a value here that is refused, at the setting. allow_http is a bool,
// and every bool is valid.
func TestEverySettingIsChecked(t *testing.T) {
	t.Parallel()
	invalid := map[string]any{
		"api_key": "two\nlines", "base_url": "ftp://example.com", "api_path": "v1?", "request_timeout": "soon",
		"max_retries": -1, "parallel_conversions": 0, "max_characters": -1,
	}
	settings := schemas().Provider.Block.Attributes
	for _, setting := range settings {
		value, found := invalid[setting.Name]
		if !found {
			if setting.Name != "allow_http" {
				t.Errorf("%s: no invalid value is tested", setting.Name)
			}
			continue
		}
		kind := schemas().Provider.ValueType()
		given := map[string]any{"api_key": mockserver.Secret, "base_url": "https://audio.example.com"}
		given[setting.Name] = value
		encoded, err := tfprotov6.NewDynamicValue(kind, fakecore.ValueOf(kind, given))
		if err != nil {
			t.Fatal(err)
		}
		validated, err := provider.NewServer("test")().ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: &encoded})
		if err != nil {
			t.Fatal(err)
		}
		refused := slices.ContainsFunc(validated.Diagnostics, func(d *tfprotov6.Diagnostic) bool {
			return strings.Contains(d.Attribute.String(), setting.Name)
		})
		if !refused {
			t.Errorf("%s: %v is not refused at the setting", setting.Name, value)
		}
	}
}

// TestEverySettingHasAnEffect: a new setting of the provider needs a value here with which the same apply goes another way.
func TestEverySettingHasAnEffect(t *testing.T) {
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
		if got := applyWith(t, map[string]any{setting.Name: value}); got == usual {
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
			seen = c.refusal(given)
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

// refusal is why the provider's settings are refused.
func (c *core) refusal(settings map[string]any) string {
	c.Helper()
	encoded, err := tfprotov6.NewDynamicValue(schemas().Provider.ValueType(), fakecore.ValueOf(schemas().Provider.ValueType(), settings))
	c.Must(err)
	configured, err := provider.NewServer("test")().ConfigureProvider(c.Context(), &tfprotov6.ConfigureProviderRequest{Config: &encoded})
	c.Must(err)
	var problems []string
	for _, problem := range configured.Diagnostics {
		problems = append(problems, problem.Detail)
	}
	return strings.Join(problems, " ")
}
