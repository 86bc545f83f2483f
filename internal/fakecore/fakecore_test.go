package fakecore_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
)

// thing is a resource type with three attributes: an argument whose change forces a replacement, one whose change does not,
// and a computed one.
var thing = &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
	{Name: "place", Type: tftypes.String, Required: true},
	{Name: "label", Type: tftypes.String, Optional: true},
	{Name: "id", Type: tftypes.String, Computed: true},
}}}

// stub is a provider of things. It keeps core's rules, except where a test makes it break one.
type stub struct {
	fakecore.Provider // nil: no other method is called
	plans             int
	plan              func(number int, planned map[string]tftypes.Value)
	apply             func(result map[string]tftypes.Value) (errors bool)
	destroyed         func() (errors bool)
	calls             []string
}

func text(value any) tftypes.Value { return tftypes.NewValue(tftypes.String, value) }

func decode(encoded *tfprotov6.DynamicValue) map[string]tftypes.Value {
	value, err := encoded.Unmarshal(thing.ValueType())
	if err != nil {
		panic(err)
	}
	if value.IsNull() {
		return nil
	}
	return maps.Clone(fakecore.AttributesOf(value))
}

func encode(attributes map[string]tftypes.Value) *tfprotov6.DynamicValue {
	var content any
	if attributes != nil {
		content = attributes
	}
	encoded, err := tfprotov6.NewDynamicValue(thing.ValueType(), tftypes.NewValue(thing.ValueType(), content))
	if err != nil {
		panic(err)
	}
	return &encoded
}

func (s *stub) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private}, nil
}

func (s *stub) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (s *stub) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	prior, planned := decode(req.PriorState), decode(req.ProposedNewState)
	response := &tfprotov6.PlanResourceChangeResponse{PlannedPrivate: append(slices.Clone(req.PriorPrivate), 'p')}
	if prior == nil {
		planned["id"] = text(tftypes.UnknownValue)
	} else if !prior["place"].Equal(planned["place"]) {
		response.RequiresReplace = []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("place")}
	}
	s.plans++
	s.plan(s.plans, planned)
	response.PlannedState = encode(planned)
	return response, nil
}

func (s *stub) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	var failure []*tfprotov6.Diagnostic
	fails := func(does bool) {
		if does {
			failure = []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: "No"}}
		}
	}
	result, prior := decode(req.PlannedState), decode(req.PriorState)
	if result == nil {
		s.calls = append(s.calls, fmt.Sprintf("destroy %s", req.PlannedPrivate))
		if fails(s.destroyed()); failure != nil {
			return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PriorState, Diagnostics: failure}, nil
		}
		return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PlannedState}, nil
	}
	if prior == nil {
		s.calls = append(s.calls, fmt.Sprintf("create %s", req.PlannedPrivate))
		result["id"] = text("new")
	} else {
		s.calls = append(s.calls, "update")
	}
	fails(s.apply(result))
	return &tfprotov6.ApplyResourceChangeResponse{NewState: encode(result), Private: []byte("kept "), Diagnostics: failure}, nil
}

func (s *stub) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

// complaints are the errors that the core reports about a provider.
type complaints struct {
	*testing.T
	of []string
}

func (c *complaints) Errorf(format string, arguments ...any) {
	c.of = append(c.of, fmt.Sprintf(format, arguments...))
}

func newWorkspace(t *testing.T) (*fakecore.Workspace, *stub, *complaints) {
	provider := &stub{
		plan:  func(int, map[string]tftypes.Value) {},
		apply: func(map[string]tftypes.Value) bool { return false }, destroyed: func() bool { return false },
	}
	told := &complaints{T: t}
	schemas := &tfprotov6.GetProviderSchemaResponse{ResourceSchemas: map[string]*tfprotov6.Schema{"thing": thing}}
	return &fakecore.Workspace{
		Core:      fakecore.New(told, schemas, "thing"),
		Start:     func() *fakecore.Process { return &fakecore.Process{Provider: provider, End: func() {}} },
		Arguments: map[string]any{"place": "here"},
	}, provider, told
}

// TestWhatCoreForbids: the fake core reports everything that a provider must not do.
func TestWhatCoreForbids(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		does  func(*stub)
		wants string
	}{
		{func(*stub) {}, ""},
		{func(s *stub) {
			s.plan = func(_ int, planned map[string]tftypes.Value) { planned["place"] = text("there") }
		}, "planned place: "},
		{func(s *stub) {
			s.plan = func(_ int, planned map[string]tftypes.Value) { planned["label"] = text("mine") }
		}, "planned label: "},
		{func(s *stub) {
			s.plan = func(number int, planned map[string]tftypes.Value) { planned["id"] = text(fmt.Sprint(number)) }
		}, "the final plan is inconsistent: id: "},
		{func(s *stub) {
			s.apply = func(result map[string]tftypes.Value) bool { result["place"] = text("there"); return false }
		}, "the result is inconsistent with the plan: place: "},
		{func(s *stub) {
			s.apply = func(result map[string]tftypes.Value) bool { result["id"] = text(tftypes.UnknownValue); return false }
		}, "the result has unknown values: "},
	} {
		t.Run(test.wants, func(t *testing.T) {
			t.Parallel()
			w, provider, told := newWorkspace(t)
			test.does(provider)
			w.Apply()
			if test.wants == "" && len(told.of) > 0 || test.wants != "" && !slices.ContainsFunc(told.of, func(one string) bool { return strings.HasPrefix(one, test.wants) }) {
				t.Errorf("got %q, want %q", told.of, test.wants)
			}
		})
	}
}

// TestWhatTheStateHolds after a change that succeeds, fails, or is interrupted.
func TestWhatTheStateHolds(t *testing.T) {
	t.Parallel()
	move := func(w *fakecore.Workspace) { w.Arguments["place"] = "there" }
	label := func(w *fakecore.Workspace) { w.Arguments["label"] = "mine" }
	taint := func(w *fakecore.Workspace) { w.Object.Tainted = true }
	failing := func(s *stub) { s.apply = func(map[string]tftypes.Value) bool { return true } }
	for _, test := range []struct {
		name                string
		createBeforeDestroy bool
		meanwhile           func(*fakecore.Workspace)
		fails               func(*stub)
		calls               string
		action              string
		tainted, deposed    bool
	}{
		{"no change", false, func(*fakecore.Workspace) {}, nil, "", fakecore.NoOp, false, false},
		{"an update", false, label, nil, "update", fakecore.Update, false, false},
		{"an update that fails", false, label, failing, "update", fakecore.Update, false, false},
		{"a replacement", false, move, nil, "destroy kept pp, create p", fakecore.Replace, false, false},
		{"a replacement that creates first", true, move, nil, "create p, destroy kept pp", fakecore.Replace, false, false},
		{"a replacement that fails", false, move, failing, "destroy kept pp, create p", fakecore.Replace, true, false},
		{"a replacement that creates first and fails", true, move, failing, "create p", fakecore.Replace, true, true},
		{"a tainted object", false, taint, nil, "destroy p, create p", fakecore.Replace, false, false},
		{"a destruction that fails", false, taint, func(s *stub) { s.destroyed = func() bool { return true } }, "destroy p", fakecore.Replace, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w, provider, told := newWorkspace(t)
			w.CreateBeforeDestroy = test.createBeforeDestroy
			w.Apply().Want(t, fakecore.Create, nil, nil)
			provider.calls = nil
			test.meanwhile(w)
			if test.fails != nil {
				test.fails(provider)
			}
			shown := w.Apply()
			if got := strings.Join(provider.calls, ", "); got != test.calls || shown.Action != test.action {
				t.Errorf("got %q and calls %q, want %q and %q", shown.Action, got, test.action, test.calls)
			}
			if w.Object == nil || w.Object.Tainted != test.tainted || (w.Deposed != nil) != test.deposed {
				t.Errorf("got object %+v and deposed %+v, want tainted %t, deposed %t", w.Object, w.Deposed, test.tainted, test.deposed)
			}
			if len(told.of) > 0 {
				t.Errorf("got complaints %q", told.of)
			}
		})
	}
}
