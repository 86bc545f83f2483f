package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// TestANameThatWasPlannedStays: Terraform refuses a result that differs from its plan.
func TestANameThatWasPlannedStays(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		planned, want types.String
	}{
		"not known yet": {types.StringUnknown(), types.StringValue("Renamed")},
		"known":         {types.StringValue("Crossing"), types.StringValue("Crossing")},
		"known as none": {types.StringNull(), types.StringNull()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned := chapterConversionModel{chapterModel: chapterModel{Name: test.planned}}
			renamed := audioprojects.Text("Renamed")
			applied := planned.after(conversion.Outcome{Chapter: audioprojects.Chapter{ChapterID: "one", Name: &renamed}})
			if !applied.Name.Equal(test.want) {
				t.Errorf("got name %s, want %s", applied.Name, test.want)
			}
			if !planned.Name.Equal(test.planned) {
				t.Errorf("the plan has changed to %s", planned.Name)
			}
		})
	}
}
