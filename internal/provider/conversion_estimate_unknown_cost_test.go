package provider_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"maps"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// costlyPlans are all kinds of plans whose apply costs something.
var costlyPlans = map[string]struct {
	kind   resourceType
	exists map[string]any // the arguments of a resource that is in the state already; nil if there is none
	now    map[string]any
	action string // instead of a resource
}{
	"a new book":             {projectConversion, nil, nil, ""},
	"other chapters":         {projectConversion, map[string]any{"chapter_ids": []string{"two"}}, nil, ""},
	"a new chapter":          {chapterConversion, nil, nil, ""},
	"changed triggers":       {chapterConversion, map[string]any{"triggers": map[string]any{"voice": "a"}}, map[string]any{"triggers": map[string]any{"voice": "b"}}, ""},
	"another chapter":        {chapterConversion, map[string]any{}, map[string]any{"chapter_id": "two"}, ""},
	"an action, a chapter":   {chapterConversion, nil, map[string]any{"project_id": "book", "chapter_id": "one"}, convertChapter},
	"an action, the project": {chapterConversion, nil, map[string]any{"project_id": "book"}, convertProject},
}

// unknownCosts are why a plan may not know what it costs: what happens before it, and the settings of its provider block.
var unknownCosts = map[string]struct {
	happens  func(*mockserver.Server)
	settings map[string]any
	says     string
	// limits: the limit itself is not what is unknown.
	limits, isError bool
}{
	"the address is unknown": {nil, map[string]any{"base_url": tftypes.UnknownValue}, "The provider block depends on values that are known only when the plan is applied", true, false},
	"the limit is unknown":   {nil, map[string]any{"max_characters": tftypes.UnknownValue}, "The provider block depends on values", false, false},
	"nothing answers": {func(s *mockserver.Server) { s.Inject(mockserver.Fault{Status: 503, Times: -1}) },
		map[string]any{"max_retries": 0}, "503 Service Unavailable", true, false},
	"a sign-in page": {func(s *mockserver.Server) { s.Inject(mockserver.Fault{Body: "<html>Sign in</html>", Times: -1}) },
		nil, "200 OK", true, true},
	"nobody trusts its certificate": {nil, map[string]any{}, distrust.Error(), true, true},
}

// distrust is why there is no connection to a service whose certificate nobody trusts.
var distrust = &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}

// TestEstimate_unknownCost: it says so, and with a limit it fails, because a limit that cannot be checked is not kept.
func TestEstimate_unknownCost(t *testing.T) {
	t.Parallel()
	for planName, test := range costlyPlans {
		for why, unknown := range unknownCosts {
			for _, limited := range []bool{false, true} {
				if limited && !unknown.limits {
					continue
				}
				name := planName + ", " + why
				if limited {
					name += ", limited"
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						c := newCore(t, test.kind, unknownWorld(), test.exists)
						if test.kind.name == projectConversion.name {
							c.service.EditChapter("book", "one", acctest.LongerText)
						}
						if test.exists != nil {
							c.Apply().Want(c, fakecore.Create, nil, nil)
							c.Unrefreshed = true // A refresh of a service that does not answer fails without a plan.
						}
						if unknown.happens != nil {
							unknown.happens(c.service)
						}
						settings := atTheService()
						maps.Copy(settings, unknown.settings)
						if limited {
							settings["max_characters"] = 3000
						}
						c.Start = func() *fakecore.Process { return c.beginWith(settings, nil) }
						if unknown.says == distrust.Error() {
							c.Start = func() *fakecore.Process {
								p := process(func(context.Context, string, string) (net.Conn, error) { return nil, distrust }, func() {})
								c.Configure(p, settings, nil)
								return p
							}
						}
						c.Arguments = test.now
						shown := costlyPlan(c, test.action)
						fails := limited || unknown.isError
						boxes := shown.Warnings
						if fails {
							boxes = shown.Errors
						}
						if len(boxes) != 1 || (len(shown.Errors) > 0) != fails || !shown.Says(unknown.says) {
							t.Errorf("got %s, want one box that says %q, and an error: %t", shown, unknown.says, fails)
						}
						if limited && !unknown.isError && !strings.Contains(strings.Join(shown.Errors, ""), "limit of 3,000 characters (`max_characters`)") {
							t.Errorf("got %s, want the limit", shown)
						}
					})
				})
			}
		}
	}
}

func costlyPlan(c *core, action string) *fakecore.Screen {
	c.Helper()
	if action == "" {
		return c.Plan().Screen
	}
	p := c.Start()
	defer p.End()
	return c.PlanAction(p, action, c.ActionConfig(action, c.Arguments))
}

// TestEstimate_oddAnswerFailsNoPlan: the plan asks again.
func TestEstimate_oddAnswerFailsNoPlan(t *testing.T) {
	t.Parallel()
	for planName, test := range costlyPlans {
		t.Run(planName, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newCore(t, test.kind, unknownWorld(), test.exists)
				if test.exists != nil {
					c.Apply().Want(c, fakecore.Create, nil, nil)
				}
				if test.kind.name == projectConversion.name {
					c.service.EditChapter("book", "one", acctest.LongerText)
				}
				c.Unrefreshed, c.Arguments = true, test.now
				c.service.Inject(mockserver.Fault{Body: "<html>Sign in</html>", Times: 2})
				shown := costlyPlan(c, test.action)
				if len(shown.Errors)+len(shown.Warnings) > 0 || len(shown.Estimate) != 1 {
					t.Errorf("got %s, want an estimate", shown)
				}
			})
		})
	}
}
