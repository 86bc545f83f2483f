package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

func newChaptersDataSource() datasource.DataSource {
	return &dataSource[projectArguments]{name: "_chapters", schema: schema.Schema{
		MarkdownDescription: "Lists the chapters of a project and adds up their characters.",
		Attributes: withChapterTotals(map[string]schema.Attribute{
			"project_id": requiredID("The identifier of the project."),
			"chapters":   computedList("The chapters, in the service's order.", chapterAttributes()),
		}),
	}, read: readChapters}
}

func readChapters(ctx context.Context, d *providerData, given projectArguments, diags *diag.Diagnostics) any {
	chapters, err := d.client.ListChapters(ctx, given.ProjectID.ValueString())
	if err != nil {
		diags.Append(say.Unable("read", "chapters of project "+given.ProjectID.String(), path.Root("project_id"), err))
	}
	return struct {
		Chapters []audioprojects.Chapter `json:"chapters"`
		audioprojects.ChapterTotals
	}{chapters, audioprojects.TotalsOf(chapters)}
}

// chapterAttributes are the computed attributes of a chapter.
func chapterAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"chapter_id":                computedString("The identifier of the chapter."),
		"name":                      computedString("The name of the chapter."),
		"state":                     computedString("The state of the chapter. The service does not document all states: `default` is one, and the provider takes `in_queue`, `creating` and `converting` for a conversion that is under way."),
		"conversion_progress":       computedFloat64("The progress of the conversion, as the service reports it."),
		"can_be_downloaded":         computedBool("Whether the chapter's audio can be downloaded."),
		"last_conversion_date_unix": computedInt64("The timestamp of the last conversion, in Unix seconds."),
		"last_conversion_error":     computedString("The error message of the last conversion."),
		"statistics": computedObject("The amounts of converted and unconverted text.", map[string]schema.Attribute{
			"characters_unconverted": computedInt64("The number of characters that have not been converted."),
			"characters_converted":   computedInt64("The number of characters that have been converted."),
			"paragraphs_converted":   computedInt64("The number of paragraphs that have been converted."),
			"paragraphs_unconverted": computedInt64("The number of paragraphs that have not been converted."),
		}),
	}
}
