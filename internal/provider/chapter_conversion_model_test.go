package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
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
			applied := chapterConversionModel{chapterModel: chapterModel{Name: test.planned, State: types.StringUnknown()}}
			renamed := audioprojects.Text("Renamed")
			applied.show([]audioprojects.Chapter{{ChapterID: "one", Name: &renamed}}, objectMemory{}, nil)
			if !applied.Name.Equal(test.want) {
				t.Errorf("got name %s, want %s", applied.Name, test.want)
			}
		})
	}
}
