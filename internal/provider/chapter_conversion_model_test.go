package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestANameThatWasPlannedStays: Terraform refuses a result that differs from its plan.
func TestANameThatWasPlannedStays(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ planned, want any }{
		"not known yet": {tftypes.UnknownValue, "Renamed"},
		"known":         {"Crossing", "Crossing"},
		"known as none": {nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := chapterConversionSchema()
			attributes := map[string]tftypes.Value{}
			for name, attribute := range schema.Attributes {
				attributes[name] = tftypes.NewValue(attribute.GetType().TerraformType(t.Context()), tftypes.UnknownValue)
			}
			attributes["name"] = tftypes.NewValue(tftypes.String, test.planned)
			planned := tfsdk.Config{Raw: tftypes.NewValue(schema.Type().TerraformType(t.Context()), attributes), Schema: schema}
			var applied map[string]tftypes.Value
			if err := withShown(planned, map[string]any{"name": "Renamed"}).As(&applied); err != nil {
				t.Fatal(err)
			}
			if want := tftypes.NewValue(tftypes.String, test.want); !applied["name"].Equal(want) {
				t.Errorf("got name %s, want %s", applied["name"], want)
			}
		})
	}
}
