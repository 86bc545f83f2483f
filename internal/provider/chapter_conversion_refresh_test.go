package provider_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestRefresh_correctsEveryAttribute that the service has.
func TestRefresh_correctsEveryAttribute(t *testing.T) {
	t.Parallel()
	chapters := manyChapters(1, oneMinute)
	for kind, with := range map[string]func(*testing.T, func(*core)){
		chapterConversion.name: func(t *testing.T, test func(*core)) { inFakeTime(t, chapterWithConversions(oneMinute), nil, test) },
		projectConversion.name: func(t *testing.T, test func(*core)) { withBook(t, chapters, test) },
	} {
		for _, attribute := range schemas().ResourceSchemas[kind].Block.Attributes {
			isOnlyInState := strings.HasPrefix(attribute.Name, "pending_conversion") || attribute.Name == "characters_requested"
			if !attribute.Computed || attribute.Optional || isOnlyInState {
				continue
			}
			t.Run(kind+"."+attribute.Name, func(t *testing.T) {
				t.Parallel()
				with(t, func(c *core) {
					c.Apply()
					time.Sleep(time.Hour)
					c.Plan().Want(c, "no-op", nil, nil)
					c.alterTo(attribute.Name, another(fakecore.AttributesOf(c.Object.Value)[attribute.Name]))
					altered := c.Object.Value
					p := c.begin()
					defer p.End()
					c.Refresh(p, &fakecore.Screen{})
					if c.Object.Value.Equal(altered) {
						c.Errorf("a refresh does not correct %s", attribute.Name)
					}
				})
			})
		}
	}
}

// TestChapterConversion_plannedNameStays: Terraform refuses a result that differs from its plan.
func TestChapterConversion_plannedNameStays(t *testing.T) {
	t.Parallel()
	inFakeTime(t, mockserver.Chapter{}, kept(), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "one", acctest.LongerText)
		plan := c.Plan()
		c.service.AddProject(acctest.BookOf([]mockserver.Chapter{{ID: "one", Name: "Renamed", Text: "Short."}}))
		c.ApplyPlan(plan).Want(c, "update", nil, nil)
		c.wantEqual("name", fakecore.AttributesOf(c.Object.Value)["name"], tftypes.NewValue(tftypes.String, acctest.ChapterName))
		c.Plan()
		c.wantEqual("name", fakecore.AttributesOf(c.Object.Value)["name"], tftypes.NewValue(tftypes.String, "Renamed"))
	})
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

// TestChapterConversion_stopsFollowing: what a refresh has noted about the text is not wanted any more, and a plan without a refresh
// knows that.
func TestChapterConversion_stopsFollowing(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), kept(), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "one", acctest.LongerText)
		c.Arguments = map[string]any{}
		c.Apply()
		c.Unrefreshed = true
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantPaid(1)
	})
}
