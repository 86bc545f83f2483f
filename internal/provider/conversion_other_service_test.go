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

// TestServiceURL_replacementAppliedWherePlanned: Delete runs before Terraform plans the creation once more, and would lose what is pending.
func TestServiceURL_replacementAppliedWherePlanned(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(mockserver.Conversion{Takes: 5 * time.Minute}), map[string]any{"timeouts": map[string]any{"create": "1m"}}, func(c *core) {
		start := c.Start
		c.Apply()
		c.Arguments = map[string]any{}
		plan := c.Plan()
		c.atAnotherPath()
		shown := c.ApplyPlan(plan)
		shown.Want(c, "replace", []string{willWait}, []string{"Planned for another service"})
		if c.Object == nil || c.pending() == "" {
			c.Fatal("what is pending is forgotten")
		}
		c.Start = start
		c.Apply().Want(c, "replace", []string{willWait}, nil)
		c.wantPaid(1)
	})
}
