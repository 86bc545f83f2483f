package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/value"
)

func newProjectEstimateDataSource() datasource.DataSource {
	return &dataSource[conversionModel]{name: "_project_estimate", schema: schema.Schema{
		MarkdownDescription: "Estimates what an `audioprojects_project_conversion` resource with the same arguments would request now, and what that may cost. It requests no conversion. " +
			"It ignores what the resource knows from earlier applies, for example text that the service does not convert, so the real cost may be lower.",
		Attributes: map[string]schema.Attribute{
			"project_id":          value.RequiredID("The identifier of the project."),
			"chapter_ids":         value.ArgumentIDs("The identifiers of the chapters to count. The default is all chapters of the project.", meantChapters),
			"exclude_chapter_ids": value.ArgumentIDs("The identifiers of the chapters to leave out. All others count. Conflicts with `chapter_ids`.", excludedChapters),
			"converted_after":     value.Argument("A timestamp such as `2026-11-22T08:00:00Z`. Chapters whose last conversion is older count with all their characters.", value.TimesPast...),
			"chapters": value.ComputedList("The chapters for which a conversion would be requested, in the service's order. Chapters that are already being converted are not included.", map[string]schema.Attribute{
				"chapter_id": value.ComputedString("The identifier of the chapter."),
				"name":       value.ComputedString("The name of the chapter; null if it has none."),
				"characters": value.ComputedInt64("The largest number of characters that the conversion may cost; null if the service does not count them."),
				"reason":     value.ComputedString("Why the chapter would be converted: `edited`, `never converted`, `converted before the time` (of `converted_after`), or `failed before`; null if the reason is unknown."),
			}),
			"chapter_count": value.ComputedInt64("The number of these chapters."),
			"characters":    value.ComputedInt64("The largest number of characters that all these conversions together may cost; null if the service does not count the characters of one of these chapters."),
		},
	}, read: readProjectEstimate}
}

// readProjectEstimate predicts as the plan of the resource does, from the same list.
func readProjectEstimate(ctx context.Context, d *providerData, book conversionModel, diags *diag.Diagnostics) any {
	s := book.scope(forecast.ResourceMemory{}, nil)
	s.LeftOut = s.Except // An estimate requests nothing, so a wrong id among them costs nothing.
	return d.conversions.EstimateAsData(ctx, s, diags)
}
