package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/value"
)

func newProjectDataSource() datasource.DataSource {
	return &dataSource[ofProject]{name: "_project", schema: schema.Schema{
		MarkdownDescription: "Reads a project: its settings, the work it contains and its chapters. " +
			"A field that the service leaves out is null, and so is one whose type differs from the service's documentation, unless a conversion depends on it: then the read fails.",
		Attributes: withChapterTotals(map[string]schema.Attribute{
			"id":                                 value.ComputedString("The identifier of the project. Terraform prints it when it has read the project."),
			"project_id":                         value.RequiredID("The identifier of the project."),
			"name":                               value.ComputedString("The name of the project."),
			"create_date_unix":                   value.ComputedInt64("The timestamp of the project's creation, in Unix seconds."),
			"default_title_voice_id":             value.ComputedString("The identifier of the voice that reads titles unless another is chosen."),
			"default_paragraph_voice_id":         value.ComputedString("The identifier of the voice that reads paragraphs unless another is chosen."),
			"default_model_id":                   value.ComputedString("The identifier of the model that is used unless another is chosen."),
			"can_be_downloaded":                  value.ComputedBool("Whether the project's audio can be downloaded."),
			"volume_normalization":               value.ComputedBool("Whether the volume of the audio is normalized."),
			"state":                              value.ComputedString("The state of the project, such as `creating`, `default`, `converting` or `in_queue`."),
			"access_level":                       value.ComputedString("What the account may do with the project, such as `admin`, `editor` or `viewer`."),
			"quality_check_on":                   value.ComputedBool("Whether the quality of the audio is checked."),
			"quality_check_on_when_bulk_convert": value.ComputedBool("Whether the quality of the audio is checked when everything is converted at once."),
			"quality_preset":                     value.ComputedString("The quality of the audio, such as `standard`, `high`, `highest`, `ultra` or `ultra_lossless`."),
			"chapters":                           value.ComputedList("The chapters of the project, in the service's order.", chapterAttributes()),
			"pronunciation_dictionary_versions": value.ComputedList("The versions of pronunciation dictionaries that the project uses.", map[string]schema.Attribute{
				"version_id":                  value.ComputedString("The identifier of the version."),
				"pronunciation_dictionary_id": value.ComputedString("The identifier of the dictionary."),
				"dictionary_name":             value.ComputedString("The name of the dictionary."),
				"version_name":                value.ComputedString("The name of the version."),
				"created_by":                  value.ComputedString("The creator of the version."),
				"creation_time_unix":          value.ComputedInt64("The timestamp of the version's creation, in Unix seconds."),
			}),
			"apply_text_normalization":  value.ComputedString("How text is normalized before it is read, such as `auto`, `on`, `off` or `apply_english`."),
			"experimental":              value.ComputedJSON("Experimental settings as JSON text. The service does not document their contents. Use `jsondecode` to read them."),
			"last_conversion_date_unix": value.ComputedInt64("The timestamp of the last conversion, in Unix seconds."),
			"title":                     value.ComputedString("The title of the work."),
			"author":                    value.ComputedString("The author of the work."),
			"description":               value.ComputedString("The description of the work."),
			"genres":                    value.ComputedStrings("The genres of the work."),
			"cover_image_url":           value.ComputedString("The address of the cover image."),
			"target_audience":           value.ComputedString("The target audience of the work, such as `children`, `young adult`, `adult` or `all ages`."),
			"language":                  value.ComputedString("The language of the work."),
			"content_type":              value.ComputedString("The type of the content."),
			"original_publication_date": value.ComputedString("The date of the work's first publication."),
			"mature_content":            value.ComputedBool("Whether the work has mature content."),
			"isbn_number":               value.ComputedString("The ISBN of the work."),
			"fiction":                   value.ComputedString("The kind of the work, such as `fiction` or `non-fiction`."),
			"creation_meta": value.ComputedObject("The progress of the project's creation.", map[string]schema.Attribute{
				"creation_progress": value.ComputedFloat64("The progress of the creation, as the service reports it."),
				"status":            value.ComputedString("The status of the creation, such as `pending`."),
				"type":              value.ComputedString("The type of the creation, such as `blank`."),
			}),
			"json": value.ComputedJSON(recordDescription + " It includes fields that this provider does not know: if the service adds `voices` to projects, for example, " +
				"`jsondecode(data.audioprojects_project.book.json).voices` reads them. It leaves out `chapters`, because a project can have thousands: " +
				"the data source `audioprojects_chapter` has the record of one chapter."),
		}),
	}, read: readProject}
}

func readProject(ctx context.Context, d *providerData, given ofProject, diags *diag.Diagnostics) any {
	project, err := d.client.GetProject(ctx, given.ProjectID.ValueString())
	if err != nil {
		diags.Append(say.Unable("read", "project "+given.ProjectID.String(), path.Root("project_id"), err))
	}
	return struct {
		ID string `json:"id"` // Without it, Terraform prints the name as it is.
		audioprojects.Project
		audioprojects.ChapterTotals
		Record audioprojects.JSON `json:"json"`
	}{given.ProjectID.ValueString(), project, audioprojects.TotalsOf(project.Chapters), d.client.Shown(project.Raw)}
}
