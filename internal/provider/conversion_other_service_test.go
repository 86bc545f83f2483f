package provider_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// atAnotherPath has the provider use the same mock server at an address that it was not planned for.
func (c *core) atAnotherPath() {
	c.Start = func() *fakecore.Process {
		settings := atTheService()
		settings["base_url"] = "http://127.0.0.1"
		return c.beginWith(settings, nil)
	}
}

// TestServiceURL_updateAppliedWherePlanned: what differs is the address, or the path under it. A service that has moved is planned again.
func TestServiceURL_updateAppliedWherePlanned(t *testing.T) {
	t.Parallel()
	for _, kind := range []resourceType{chapterConversion, projectConversion} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, mockserver.Chapter{}, nil, func(c *core) {
				c = newCore(c.T, kind, c.service, followsText(kind))
				c.Apply()
				c.service.EditChapter("book", "one", acctest.LongerText)
				time.Sleep(time.Minute)
				plan := c.Plan()
				c.atAnotherPath()
				sent := c.service.Count(mockserver.ConvertChapter)
				shown := c.ApplyPlan(plan)
				shown.Want(c, "update", nil, []string{"Planned for another service"})
				c.wantSent(sent)
				if !shown.Says(`about the service at http://localhost/v1, but the provider is configured for http://127.0.0.1/v1.`) {
					c.Errorf("got %s", shown)
				}

				// The service has moved: a plan with a refresh is about the new address.
				c.Apply().Want(c, "update", nil, nil)
				c.wantSent(sent + 1)
				c.wantEqual("service_url", fakecore.AttributesOf(c.Object.Value)["service_url"], tftypes.NewValue(tftypes.String, "http://127.0.0.1/v1"))
			})
		})
	}
}

// TestServiceURL_replacedElsewhere: what is pending is that of another service, if nobody has looked at this one.
// Delete hands over nothing then, and Create goes by what this one shows.
func TestServiceURL_replacedElsewhere(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		moves func(*core)
		sent  int
	}{
		"elsewhere":           {(*core).atAnotherPath, 2},
		"at the same address": {func(*core) {}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, kind := range []resourceType{chapterConversion, projectConversion} {
				inFakeTime(t, chapterWithConversions(mockserver.Conversion{Lag: 5 * time.Minute, Takes: time.Minute}), nil, func(c *core) {
					c = newCore(c.T, kind, c.service, map[string]any{"timeouts": creates("20s")})
					c.Apply()
					c.Arguments = map[string]any{}
					test.moves(c)
					c.Unrefreshed = true
					c.Apply().Want(c, "replace", nil, nil)
					c.wantSent(test.sent)
				})
			}
		})
	}
}
