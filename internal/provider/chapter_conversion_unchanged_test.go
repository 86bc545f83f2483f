package provider_test

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// countingFramework is the framework's server. It counts the calls that reach it.
type countingFramework struct {
	fakecore.Provider
	upgrades, validations, reads, plans atomic.Int32
}

func (f *countingFramework) wrap(framework tfprotov6.ProviderServer) tfprotov6.ProviderServer {
	f.Provider = framework.(fakecore.Provider)
	return f
}

func (f *countingFramework) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	f.upgrades.Add(1)
	return f.Provider.UpgradeResourceState(ctx, req)
}

func (f *countingFramework) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	f.validations.Add(1)
	return f.Provider.ValidateResourceConfig(ctx, req)
}

func (f *countingFramework) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	f.reads.Add(1)
	return f.Provider.ReadResource(ctx, req)
}

func (f *countingFramework) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	f.plans.Add(1)
	return f.Provider.PlanResourceChange(ctx, req)
}

// comparedWithFramework checks that an answer that was given without the framework is the same as the framework's.
// All tests that plan with a core use it.
type comparedWithFramework struct {
	fakecore.Provider
	c         *core
	framework *countingFramework
}

func (p *comparedWithFramework) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	left := p.framework.reads.Load()
	got, err := p.Provider.ReadResource(ctx, req)
	if err != nil || p.framework.reads.Load() > left {
		return got, err
	}
	c := p.c
	want, err := p.framework.Provider.ReadResource(ctx, req)
	c.Must(err, want.Diagnostics...)
	c.wantEqual("state that was read", c.Decode(got.NewState), c.Decode(want.NewState))
	c.wantSamePrivate(got.Private, want.Private)
	if !reflect.DeepEqual(got.NewIdentity, want.NewIdentity) {
		c.Errorf("identity: got %+v, the framework's %+v", got.NewIdentity, want.NewIdentity)
	}
	return got, nil
}

func (p *comparedWithFramework) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	left := p.framework.plans.Load()
	got, err := p.Provider.PlanResourceChange(ctx, req)
	if err != nil || p.framework.plans.Load() > left {
		return got, err
	}
	c := p.c
	want, err := p.framework.Provider.PlanResourceChange(ctx, req)
	c.Must(err, want.Diagnostics...)
	c.wantEqual("planned state", c.Decode(got.PlannedState), c.Decode(want.PlannedState))
	c.wantSamePrivate(got.PlannedPrivate, want.PlannedPrivate)
	if len(want.RequiresReplace) > 0 || want.Deferred != nil {
		c.Errorf("the framework wants to replace for %v, or to defer: %v", want.RequiresReplace, want.Deferred)
	}
	if got.PlannedIdentity != nil && !reflect.DeepEqual(got.PlannedIdentity, want.PlannedIdentity) {
		c.Errorf("planned identity: got %+v, the framework's %+v", got.PlannedIdentity, want.PlannedIdentity)
	}
	return got, nil
}

func (c *core) wantSamePrivate(got, want []byte) {
	c.Helper()
	if !reflect.DeepEqual(c.kept(got), c.kept(want)) {
		c.Errorf("private data: got %s, the framework's %s", got, want)
	}
}

// kept is the values of the private data, by key.
func (c *core) kept(private []byte) map[string][]byte {
	c.Helper()
	kept := map[string][]byte{}
	if len(private) > 0 {
		c.Must(json.Unmarshal(private, &kept))
	}
	return kept
}

// wantCalls refreshes and plans, and checks how many calls reach the framework.
func (c *core) wantCalls(wantRead, wantPlan bool) {
	c.Helper()
	p := c.begin()
	defer p.End()
	shown := &fakecore.Screen{}
	c.Refresh(p, shown)
	if got := p.framework.reads.Load() > 0; got != wantRead {
		c.Errorf("the refresh reaches the framework: got %t, want %t", got, wantRead)
	}
	if c.Object != nil {
		c.PlanChange(p, shown)
	}
	if got := p.framework.plans.Load() > 0; got != wantPlan {
		c.Errorf("the plan reaches the framework: got %t, want %t", got, wantPlan)
	}
}

// TestUnchangedObjectsDoNotReachTheFramework: it would make a plan with a thousand chapters slow.
func TestUnchangedObjectsDoNotReachTheFramework(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		chapter   mockserver.Chapter
		habits    mockserver.Habits
		arguments map[string]any
	}{
		"converted":                  {chapter: chapterWithConversions(oneMinute)},
		"converted, and kept so":     {chapter: chapterWithConversions(oneMinute), arguments: map[string]any{keepUpToDate: true}},
		"not kept so, as it says":    {chapter: chapterWithConversions(oneMinute), arguments: map[string]any{keepUpToDate: false}},
		"never quite converted":      {chapter: chapterWithConversions(oneMinute), habits: mockserver.Habits{LeavesLast: true}, arguments: map[string]any{keepUpToDate: true}},
		"without statistics":         {chapter: chapterWithConversions(oneMinute), habits: mockserver.Habits{NoStatistics: true}},
		"adopted":                    {chapter: mockserver.Chapter{Converted: true}, arguments: map[string]any{keepUpToDate: true}},
		"with triggers and timeouts": {chapter: chapterWithConversions(oneMinute), arguments: map[string]any{"triggers": map[string]any{"text": "one"}, "timeouts": map[string]any{"create": "2h"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, test.chapter, test.arguments, func(c *core) {
				c.service.SetHabits(test.habits)
				c.Apply()
				time.Sleep(time.Hour)
				c.Plan() // saves what has been seen since
				c.wantCalls(false, false)
				c.Object.Identity = nil // Terraform before 1.12
				c.wantCalls(false, false)
			})
		})
	}
}

// TestChangedObjectsReachTheFramework changes the state, the plan or the configuration of a settled object.
func TestChangedObjectsReachTheFramework(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		alter      func(c *core)
		read, plan bool
	}{
		"something is pending": {func(c *core) {
			c.alter("pending_conversion", `{"requested_at_unix":1,"baseline":{},"seen_converting":false,"confirmed":true}`)
		}, true, false},
		"something unreadable is pending": {func(c *core) { c.alter("pending_conversion", "soon") }, true, true},
		"the chapter is renamed":          {func(c *core) { c.alter("name", "The Light") }, true, false},
		"it could not be downloaded":      {func(c *core) { c.alter("can_be_downloaded", false) }, true, false},
		"there was an error":              {func(c *core) { c.alter("last_conversion_error", "no credits") }, true, false},
		"the date is another":             {func(c *core) { c.alter("last_conversion_date_unix", 1) }, true, false},
		"nothing is known but the name": {func(c *core) {
			for _, name := range []string{"state", "can_be_downloaded", "conversion_progress", "last_conversion_date_unix", "statistics"} {
				c.alter(name, nil)
			}
		}, true, false},
		"the text has grown":               {func(c *core) { c.service.EditChapter("book", "one", chapterText+"\n\nMore.") }, true, false},
		"the text has grown, and is to be": {func(c *core) { c.setKeepUpToDate(true); c.service.EditChapter("book", "one", chapterText+"\n\nMore.") }, true, true},
		"more was left over than is now":   {func(c *core) { c.keep("left_unconverted", "3") }, true, false},
		"what was left over is unreadable": {func(c *core) { c.keep("left_unconverted", `"much"`) }, true, true},
		"the framework keeps something":    {func(c *core) { c.keep(".import_before_read", "true") }, true, false},
		"the default returns":              {func(c *core) { c.setKeepUpToDate(true); c.Arguments = nil }, false, true},
		"it is to be kept up to date":      {func(c *core) { c.Arguments = map[string]any{keepUpToDate: true} }, false, true},
		"keep_up_to_date was never set":    {func(c *core) { c.alter(keepUpToDate, nil) }, false, true},
		"triggers appear":                  {func(c *core) { c.Arguments = map[string]any{"triggers": map[string]any{"text": "one"}} }, false, true},
		"another chapter is wanted":        {func(c *core) { c.Arguments = map[string]any{"chapter_id": "two"} }, false, true},
		"it is tainted":                    {func(c *core) { c.Object.Tainted = true }, false, true},
		"the chapter is gone":              {func(c *core) { c.service.RemoveChapter("book", "one") }, true, false},
		"the service is down":              {func(c *core) { c.service.Inject(mockserver.Fault{Times: -1, Status: 500}) }, true, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
				c.Apply()
				time.Sleep(time.Hour)
				c.Plan().Want(c, "no-op", nil, nil)
				test.alter(c)
				c.wantCalls(test.read, test.plan)
			})
		})
	}
}

// TestNoAttributeIsForgotten changes each attribute of a settled object in the state. An answer that the server gives
// without the framework is compared with the framework's answer, as in every test. A refresh must correct the attributes
// that the service has.
func TestNoAttributeIsForgotten(t *testing.T) {
	t.Parallel()
	// These attributes come from the configuration; the service does not have them.
	ours := []string{"id", "project_id", "chapter_id", "triggers", "timeouts", keepUpToDate, "pending_conversion"}
	for _, attribute := range schemas().ResourceSchemas[chapterConversion.name].Block.Attributes {
		t.Run(attribute.Name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
				c.Apply()
				time.Sleep(time.Hour)
				c.Plan().Want(c, "no-op", nil, nil)
				c.alterTo(attribute.Name, another(fakecore.AttributesOf(c.Object.Value)[attribute.Name]))
				altered := c.Object.Value
				p := c.begin()
				defer p.End()
				shown := &fakecore.Screen{}
				c.Refresh(p, shown)
				if c.Object != nil {
					c.PlanChange(p, shown)
				}
				if !slices.Contains(ours, attribute.Name) && c.Object.Value.Equal(altered) {
					c.Errorf("a refresh does not correct %s", attribute.Name)
				}
			})
		})
	}
}

// another is another value of the same type.
func another(value tftypes.Value) tftypes.Value {
	kind := value.Type()
	switch {
	case kind.Is(tftypes.Object{}):
		attributes := map[string]tftypes.Value{}
		for name, kind := range kind.(tftypes.Object).AttributeTypes {
			attributes[name] = another(tftypes.NewValue(kind, nil))
		}
		return tftypes.NewValue(kind, attributes)
	case kind.Is(tftypes.Map{}):
		return tftypes.NewValue(kind, map[string]tftypes.Value{"another": tftypes.NewValue(tftypes.String, "7m")})
	case kind.Is(tftypes.String):
		return tftypes.NewValue(kind, "7m") // also a valid duration
	case kind.Is(tftypes.Number):
		return tftypes.NewValue(kind, 7)
	default:
		var is *bool
		if value.As(&is) != nil || is == nil {
			return tftypes.NewValue(kind, true)
		}
		return tftypes.NewValue(kind, !*is)
	}
}

// TestAPlainConfigurationDoesNotReachTheFramework for validation, but any other does.
func TestAPlainConfigurationDoesNotReachTheFramework(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arguments map[string]any
		left      bool
	}{
		"a chapter":                       {nil, false},
		"kept up to date, with triggers":  {map[string]any{keepUpToDate: true, "triggers": map[string]any{"text": tftypes.UnknownValue}}, false},
		"a chapter that is not known yet": {map[string]any{"chapter_id": tftypes.UnknownValue}, true},
		"no project":                      {map[string]any{"project_id": ""}, true},
		"a way out of the project":        {map[string]any{"chapter_id": ".."}, true},
		"timeouts":                        {map[string]any{"timeouts": map[string]any{"create": "2h"}}, true},
		"a timeout that is none":          {map[string]any{"timeouts": map[string]any{"create": "soon"}}, true},
		"timeouts that are not known yet": {map[string]any{"timeouts": tftypes.UnknownValue}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(), test.arguments, func(c *core) {
				p := c.begin()
				defer p.End()
				request := &tfprotov6.ValidateResourceConfigRequest{TypeName: c.TypeName, Config: c.Encode(c.Config())}
				got, err := p.ValidateResourceConfig(c.Context(), request)
				c.Must(err)
				if left := p.framework.validations.Load() > 0; left != test.left {
					t.Errorf("the call reaches the framework: got %t, want %t", left, test.left)
				}
				want, err := p.framework.Provider.ValidateResourceConfig(c.Context(), request)
				c.Must(err)
				if len(got.Diagnostics) != len(want.Diagnostics) {
					t.Errorf("got %d diagnostics, the framework gives %d", len(got.Diagnostics), len(want.Diagnostics))
				}
			})
		})
	}
}

// TestAStateOfTheSchemaDoesNotReachTheFramework for an upgrade.
func TestAStateOfTheSchemaDoesNotReachTheFramework(t *testing.T) {
	t.Parallel()
	const state = `{"project_id":"book","chapter_id":"one","id":"book/one","name":null,"state":"default","conversion_progress":0.5,` +
		`"can_be_downloaded":true,"last_conversion_date_unix":1790000000,"last_conversion_error":null,` +
		`"statistics":{"characters_converted":1,"characters_unconverted":0,"paragraphs_converted":1,"paragraphs_unconverted":null},` +
		`"triggers":{"text":"one"},"keep_up_to_date":false,"timeouts":null,"pending_conversion":null`
	tests := map[string]struct {
		version int64
		text    string
		left    bool
	}{
		"as it was written":          {0, state + `}`, false},
		"by a later version":         {0, state + `,"mood":"good"}`, false},
		"by an earlier version":      {0, `{"project_id":"book","chapter_id":"one"}`, false},
		"of a later schema":          {1, state + `}`, true},
		"with a text for an object":  {0, strings.Replace(state, `"timeouts":null`, `"timeouts":"1h"`, 1) + `}`, true},
		"with a number that is none": {0, strings.Replace(state, `1790000000`, `"soon"`, 1) + `}`, true},
		"that is no JSON":            {0, state, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(), nil, func(c *core) {
				p := c.begin()
				defer p.End()
				request := &tfprotov6.UpgradeResourceStateRequest{TypeName: c.TypeName, Version: test.version, RawState: &tfprotov6.RawState{JSON: []byte(test.text)}}
				got, err := p.UpgradeResourceState(c.Context(), request)
				c.Must(err)
				if left := p.framework.upgrades.Load() > 0; left != test.left {
					t.Errorf("the call reaches the framework: got %t, want %t", left, test.left)
				}
				want, err := p.framework.Provider.UpgradeResourceState(c.Context(), request)
				c.Must(err)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("got %+v, the framework's %+v", got, want)
				}
			})
		})
	}
}

// TestRequestsOfAnotherFormReachTheFramework: the protocol also allows values in JSON, and missing values.
func TestRequestsOfAnotherFormReachTheFramework(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
		c.Apply()
		p := c.begin()
		defer p.End()
		inJSON := func(name string) *tfprotov6.DynamicValue {
			return &tfprotov6.DynamicValue{JSON: []byte(`{"project_id":"book","chapter_id":"one","keep_up_to_date":false,"name":"` + name + `"}`)}
		}
		requests := map[string]*tfprotov6.PlanResourceChangeRequest{
			"in JSON":         {PriorState: inJSON("Before"), ProposedNewState: inJSON("After"), Config: c.Encode(c.Config())},
			"without a state": {ProposedNewState: c.Encode(c.Object.Value), Config: c.Encode(c.Config())},
			"without a plan":  {PriorState: c.Encode(c.Object.Value), Config: c.Encode(c.Config())},
		}
		for name, request := range requests {
			request.TypeName = c.TypeName
			asked := p.framework.plans.Load()
			_, err := p.PlanResourceChange(c.Context(), request)
			c.Must(err)
			if p.framework.plans.Load() == asked {
				c.Errorf("a plan %s did not reach the framework", name)
			}
		}
		_, err := p.ReadResource(c.Context(), &tfprotov6.ReadResourceRequest{TypeName: c.TypeName})
		c.Must(err)
		_, err = p.ValidateResourceConfig(c.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: c.TypeName})
		c.Must(err)
		_, err = p.UpgradeResourceState(c.Context(), &tfprotov6.UpgradeResourceStateRequest{TypeName: c.TypeName})
		c.Must(err)
		if reads, validations, upgrades := p.framework.reads.Load(), p.framework.validations.Load(), p.framework.upgrades.Load(); reads != 1 || validations != 1 || upgrades != 1 {
			c.Errorf("empty requests that reach the framework: %d reads, %d validations, %d upgrades, want 1 each", reads, validations, upgrades)
		}
	})
}

// setKeepUpToDate sets keep_up_to_date in the object and in the configuration.
func (c *core) setKeepUpToDate(up bool) {
	c.alter(keepUpToDate, up)
	c.Arguments = map[string]any{keepUpToDate: up}
}

// alter changes an attribute in the state.
func (c *core) alter(name string, value any) {
	c.Helper()
	c.alterTo(name, tftypes.NewValue(fakecore.AttributesOf(c.Object.Value)[name].Type(), value))
}

func (c *core) alterTo(name string, value tftypes.Value) {
	attributes := maps.Clone(fakecore.AttributesOf(c.Object.Value))
	attributes[name] = value
	c.Object.Value = tftypes.NewValue(c.Object.Value.Type(), attributes)
}

// keep puts a JSON text into the object's private data.
func (c *core) keep(key, text string) {
	c.Helper()
	kept := c.kept(c.Object.Private)
	kept[key] = []byte(text)
	private, err := json.Marshal(kept)
	c.Must(err)
	c.Object.Private = private
}
