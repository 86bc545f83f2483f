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
			model := chapterConversionModel{chapterModel: chapterModel{Name: test.planned}}
			renamed := audioprojects.Text("Renamed")
			model.setChapter(audioprojects.Chapter{ChapterID: "one", Name: &renamed})
			if !model.Name.Equal(test.want) {
				t.Errorf("got name %s, want %s", model.Name, test.want)
			}
		})
	}
}
