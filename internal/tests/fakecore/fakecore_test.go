package fakecore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
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
	core              *fakecore.Core
	plans             int
	plan              func(number int, planned map[string]tftypes.Value)
	apply             func(result map[string]tftypes.Value)
	fails, stays      bool // creations and updates; destructions
	calls             []string
}

func text(value any) tftypes.Value { return tftypes.NewValue(tftypes.String, value) }

func (s *stub) decode(encoded *tfprotov6.DynamicValue) map[string]tftypes.Value {
	return fakecore.AttributesOf(s.core.Decode(encoded))
}

func (s *stub) encode(attributes map[string]tftypes.Value) *tfprotov6.DynamicValue {
	return s.core.Encode(tftypes.NewValue(thing.ValueType(), attributes))
}

func (s *stub) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private}, nil
}

func (s *stub) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (s *stub) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	prior, planned := s.decode(req.PriorState), s.decode(req.ProposedNewState)
	response := &tfprotov6.PlanResourceChangeResponse{PlannedPrivate: append(slices.Clone(req.PriorPrivate), 'p')}
	if len(prior) == 0 {
		planned["id"] = text(tftypes.UnknownValue)
	} else if !prior["place"].Equal(planned["place"]) {
		response.RequiresReplace = []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("place")}
	}
	s.plans++
	if s.plan != nil {
		s.plan(s.plans, planned)
	}
	response.PlannedState = s.encode(planned)
	return response, nil
}

func (s *stub) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	response := &tfprotov6.ApplyResourceChangeResponse{NewState: req.PlannedState, Private: []byte("kept ")}
	result, prior := s.decode(req.PlannedState), s.decode(req.PriorState)
	failed := s.fails
	switch {
	case len(result) == 0:
		s.calls = append(s.calls, fmt.Sprintf("destroy %s", req.PlannedPrivate))
		failed = s.stays
		if failed {
			response.NewState = req.PriorState
		}
	case len(prior) == 0:
		s.calls = append(s.calls, fmt.Sprintf("create %s", req.PlannedPrivate))
		result["id"] = text("new")
	default:
		s.calls = append(s.calls, "update")
	}
	if len(result) > 0 {
		if s.apply != nil {
			s.apply(result)
		}
		response.NewState = s.encode(result)
	}
	if failed {
		response.Diagnostics = []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: "No"}}
	}
	return response, nil
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
	provider, told := &stub{}, &complaints{T: t}
	schemas := &tfprotov6.GetProviderSchemaResponse{ResourceSchemas: map[string]*tfprotov6.Schema{"thing": thing}}
	provider.core = fakecore.New(told, schemas, "thing")
	return &fakecore.Workspace{
		Core:      provider.core,
		Start:     func() *fakecore.Process { return &fakecore.Process{Provider: provider, End: func() {}} },
		Arguments: map[string]any{"place": "here"},
	}, provider, told
}

// TestCore_forbids: the fake core reports everything that a provider must not do.
func TestCore_forbids(t *testing.T) {
	t.Parallel()
	plans := func(name string, value any) *stub {
		return &stub{plan: func(_ int, planned map[string]tftypes.Value) { planned[name] = text(value) }}
	}
	applies := func(name string, value any) *stub {
		return &stub{apply: func(result map[string]tftypes.Value) { result[name] = text(value) }}
	}
	for wants, does := range map[string]*stub{
		"":                                     {},
		"planned place: ":                      plans("place", "there"),
		"planned label: ":                      plans("label", "mine"),
		"the final plan is inconsistent: id: ": {plan: func(number int, planned map[string]tftypes.Value) { planned["id"] = text(fmt.Sprint(number)) }},
		"the result is inconsistent with the plan: place: ": applies("place", "there"),
		"the result has unknown values: ":                   applies("id", tftypes.UnknownValue),
	} {
		w, provider, told := newWorkspace(t)
		provider.plan, provider.apply = does.plan, does.apply
		w.Apply()
		if wants == "" && len(told.of) > 0 || wants != "" && !slices.ContainsFunc(told.of, func(one string) bool { return strings.HasPrefix(one, wants) }) {
			t.Errorf("got %q, want %q", told.of, wants)
		}
	}
}

// TestCore_stateHolds after a change that succeeds, fails, or is interrupted.
func TestCore_stateHolds(t *testing.T) {
	t.Parallel()
	move := func(w *fakecore.Workspace) { w.Arguments["place"] = "there" }
	label := func(w *fakecore.Workspace) { w.Arguments["label"] = "mine" }
	forget := func(w *fakecore.Workspace) { move(w); w.Forgets = true }
	taint := func(w *fakecore.Workspace) { w.Object.Tainted = true }
	failing := func(s *stub) { s.fails = true }
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
		{"a replacement that forgets", false, forget, nil, "create p", fakecore.Replace, false, false},
		{"a replacement that forgets and fails", false, forget, failing, "create p", fakecore.Replace, true, false},
		{"a replacement that creates first and forgets", true, forget, nil, "create p", fakecore.Replace, false, false},
		{"a replacement that fails", false, move, failing, "destroy kept pp, create p", fakecore.Replace, true, false},
		{"a replacement that creates first and fails", true, move, failing, "create p", fakecore.Replace, true, true},
		{"a tainted object", false, taint, nil, "destroy p, create p", fakecore.Replace, false, false},
		{"a destruction that fails", false, taint, func(s *stub) { s.stays = true }, "destroy p", fakecore.Replace, true, false},
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
			got := strings.Join(provider.calls, ", ")
			if got != test.calls || shown.Action != test.action {
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
