package provider_test

import (
	"context"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// beginUnknown starts a provider whose base_url is known only in the apply.
func (c *core) beginUnknown() *fakecore.Process {
	c.Helper()
	return c.beginWith(map[string]any{"base_url": tftypes.UnknownValue, "api_key": mockserver.Secret}, nil)
}

// planUnknown plans with such a provider.
func (c *core) planUnknown() *fakecore.Plan {
	c.Helper()
	start := c.Start
	defer func() { c.Start = start }()
	c.Start = c.beginUnknown
	return c.Plan()
}

const notAsked = "Service not asked"

// followsText are the arguments of a resource whose audio follows its text.
func followsText(kind resourceType) map[string]any {
	if kind.name == chapterConversion.name {
		return kept()
	}
	return map[string]any{}
}

// TestConversion_providerUnknown: the plan cannot look, so it does not know that text was edited. It says that, and
// requests nothing; the next plan names the text.
func TestConversion_providerUnknown(t *testing.T) {
	t.Parallel()
	for _, kind := range []resourceType{projectConversion, chapterConversion} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
				c = newCore(c.T, kind, c.service, followsText(kind))
				c.Apply()
				c.service.EditChapter("book", "one", acctest.LongerText)
				plan := c.planUnknown()
				plan.Want(c, fakecore.NoOp, []string{notAsked}, nil)
				c.ApplyPlan(plan)
				c.wantSent(1)
				c.Apply()
				c.wantSent(2)
			})
		})
	}
}

// TestConversion_importedWithProviderUnknown: an imported resource that nobody has looked at is no error. Its update looks first.
func TestConversion_importedWithProviderUnknown(t *testing.T) {
	t.Parallel()
	for _, kind := range []resourceType{projectConversion, chapterConversion} {
		for _, changes := range []bool{false, true} {
			inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
				c = newCore(c.T, kind, c.service, map[string]any{})
				id := "book"
				if kind.name == chapterConversion.name {
					id = "book/one"
				}
				start := c.Start
				c.Start = c.beginUnknown
				c.Import(id)
				c.Start = start
				if !changes {
					c.planUnknown().Want(c, fakecore.NoOp, []string{notAsked}, nil)
					return
				}
				c.Arguments["timeouts"] = map[string]any{"update": "2h"}
				plan := c.planUnknown()
				warnings := []string{notAsked}
				if kind.name == projectConversion.name { // A chapter does not follow its text.
					warnings = append(warnings, "Conversions of an unknown cost")
				}
				plan.Want(c, fakecore.Update, warnings, nil)
				c.ApplyPlan(plan)
				c.wantSent(len(warnings) - 1)
				c.Plan().Want(c, fakecore.NoOp, nil, nil)
			})
		}
	}
}

// forgetful is a driver of the protocol that keeps no private state: in all calls, or only of an update.
type forgetful struct {
	fakecore.Provider
	plans bool
}

func (f forgetful) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if f.plans {
		req.Private = nil
	}
	return f.Provider.ReadResource(ctx, req)
}

func (f forgetful) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if f.plans {
		req.PriorPrivate = nil
	}
	return f.Provider.PlanResourceChange(ctx, req)
}

func (f forgetful) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	req.PlannedPrivate = nil
	return f.Provider.ApplyResourceChange(ctx, req)
}

// TestConversion_privateStateIsMissing: a front end that keeps no private state loses what is pending, and what a plan has named. That must
// not pass for "nothing to do", and nothing is requested.
func TestConversion_privateStateIsMissing(t *testing.T) {
	t.Parallel()
	const missing = "Private state is missing"
	for _, kind := range []resourceType{projectConversion, chapterConversion} {
		for name, plans := range map[string]bool{"in all calls": true, "in the update": false} {
			t.Run(kind.name+", "+name, func(t *testing.T) {
				t.Parallel()
				inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
					c = newCore(c.T, kind, c.service, followsText(kind))
					start := c.Start
					c.Start = func() *fakecore.Process {
						p := start()
						p.Provider = forgetful{p.Provider, plans}
						return p
					}
					created := c.Apply()
					if len(created.Errors) > 0 {
						c.Fatalf("got %q", created.Errors)
					}
					c.service.EditChapter("book", "one", acctest.LongerText)
					time.Sleep(time.Minute)
					shown := c.Apply()
					if len(shown.Errors) != 1 || !shown.Says(missing) {
						c.Errorf("got %s, want %q", shown, missing)
					}
					c.wantSent(1)
				})
			})
		}
	}
}
