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

func newProjectDataSource() datasource.DataSource {
	return &dataSource[projectArguments]{name: "_project", schema: schema.Schema{
		MarkdownDescription: "Reads a project: its settings, the work it contains and its chapters. " +
			"A field that the service leaves out is null, and so is one whose type differs from the service's documentation, unless a conversion depends on it: then the read fails.",
		Attributes: withChapterTotals(map[string]schema.Attribute{
			"id":                                 computedString("The identifier of the project. Terraform prints it when it has read the project."),
			"project_id":                         requiredID("The identifier of the project."),
			"name":                               computedString("The name of the project."),
			"create_date_unix":                   computedInt64("The timestamp of the project's creation, in Unix seconds."),
			"default_title_voice_id":             computedString("The identifier of the voice that reads titles unless another is chosen."),
			"default_paragraph_voice_id":         computedString("The identifier of the voice that reads paragraphs unless another is chosen."),
			"default_model_id":                   computedString("The identifier of the model that is used unless another is chosen."),
			"can_be_downloaded":                  computedBool("Whether the project's audio can be downloaded."),
			"volume_normalization":               computedBool("Whether the volume of the audio is normalized."),
			"state":                              computedString("The state of the project, such as `creating`, `default`, `converting` or `in_queue`."),
			"access_level":                       computedString("What the account may do with the project, such as `admin`, `editor` or `viewer`."),
			"quality_check_on":                   computedBool("Whether the quality of the audio is checked."),
			"quality_check_on_when_bulk_convert": computedBool("Whether the quality of the audio is checked when everything is converted at once."),
			"quality_preset":                     computedString("The quality of the audio, such as `standard`, `high`, `highest`, `ultra` or `ultra_lossless`."),
			"chapters":                           computedList("The chapters of the project, in the service's order.", chapterAttributes()),
			"pronunciation_dictionary_versions": computedList("The versions of pronunciation dictionaries that the project uses.", map[string]schema.Attribute{
				"version_id":                  computedString("The identifier of the version."),
				"pronunciation_dictionary_id": computedString("The identifier of the dictionary."),
				"dictionary_name":             computedString("The name of the dictionary."),
				"version_name":                computedString("The name of the version."),
				"created_by":                  computedString("The creator of the version."),
				"creation_time_unix":          computedInt64("The timestamp of the version's creation, in Unix seconds."),
			}),
			"apply_text_normalization":  computedString("How text is normalized before it is read, such as `auto`, `on`, `off` or `apply_english`."),
			"experimental":              computedJSON("Experimental settings as JSON text. The service does not document their contents. Use `jsondecode` to read them."),
			"last_conversion_date_unix": computedInt64("The timestamp of the last conversion, in Unix seconds."),
			"title":                     computedString("The title of the work."),
			"author":                    computedString("The author of the work."),
			"description":               computedString("The description of the work."),
			"genres":                    computedStrings("The genres of the work."),
			"cover_image_url":           computedString("The address of the cover image."),
			"target_audience":           computedString("The target audience of the work, such as `children`, `young adult`, `adult` or `all ages`."),
			"language":                  computedString("The language of the work."),
			"content_type":              computedString("The type of the content."),
			"original_publication_date": computedString("The date of the work's first publication."),
			"mature_content":            computedBool("Whether the work has mature content."),
			"isbn_number":               computedString("The ISBN of the work."),
			"fiction":                   computedString("The kind of the work, such as `fiction` or `non-fiction`."),
			"creation_meta": computedObject("The progress of the project's creation.", map[string]schema.Attribute{
				"creation_progress": computedFloat64("The progress of the creation, as the service reports it."),
				"status":            computedString("The status of the creation, such as `pending`."),
				"type":              computedString("The type of the creation, such as `blank`."),
			}),
			"json": computedJSON(recordDescription + " It includes fields that this provider does not know: if the service adds `voices` to projects, for example, " +
				"`jsondecode(data.audioprojects_project.book.json).voices` reads them. It leaves out `chapters`, because a project can have thousands: " +
				"the data source `audioprojects_chapter` has the record of one chapter."),
		}),
	}, read: readProject}
}

func readProject(ctx context.Context, d *providerData, given projectArguments, diags *diag.Diagnostics) any {
	project, err := d.client.GetProject(ctx, given.ProjectID.ValueString())
	if err != nil {
		diags.Append(say.Unable("read", "project "+given.ProjectID.String(), path.Root("project_id"), err))
	}
	return struct {
		ID string `json:"id"` // Without it, Terraform prints the name as it is.
		audioprojects.Project
		audioprojects.ChapterTotals
		Record audioprojects.JSON `json:"json"`
	}{given.ProjectID.ValueString(), project, audioprojects.TotalsOf(project.Chapters), d.client.SanitizedJSON(project.Raw)}
}
