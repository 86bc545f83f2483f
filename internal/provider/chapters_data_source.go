package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/value"
)

func newChaptersDataSource() datasource.DataSource {
	return &dataSource[ofProject]{name: "_chapters", schema: schema.Schema{
		MarkdownDescription: "Lists the chapters of a project and adds up their characters. A field whose type differs from the service's documentation is null, with a warning.",
		Attributes: withChapterTotals(map[string]schema.Attribute{
			"project_id": value.RequiredID("The identifier of the project."),
			"chapters":   value.ComputedList("The chapters, in the service's order.", chapterAttributes()),
		}),
	}, read: readChapters}
}

func readChapters(ctx context.Context, d *providerData, given ofProject, diags *diag.Diagnostics) any {
	seen, err := d.engine.ReadChapters(ctx, given.ProjectID.ValueString(), "")
	if err != nil {
		diags.Append(say.Unable("read", "chapters of project "+given.ProjectID.String(), path.Root("project_id"), err))
	}
	thing := say.Project(given.ProjectID.ValueString())
	say.WarnOfRefusedRecord(thing, seen.Refused, diags)
	say.WarnOfIncomplete("chapters of "+thing, seen.Incomplete, diags)
	warnOfUnclearChapters(thing, seen, diags)
	warnOfOddFields(thing, "", seen.Chapters, diags)
	return struct {
		Chapters []audioprojects.Chapter `json:"chapters"`
		audioprojects.ChapterTotals
	}{seen.Chapters, audioprojects.TotalsOf(seen.Chapters)}
}

// warnOfUnclearChapters says what makes it unclear which chapters a project has.
func warnOfUnclearChapters(thing string, seen conversion.Reading, diags *diag.Diagnostics) {
	var differ string
	for _, part := range []struct {
		says     string
		chapters []audioprojects.Chapter
	}{
		{"Only in the list of chapters:", seen.Unrecorded},
		{"Only in the project's record:", seen.Unlisted},
		{"In different copies, and the provider uses the first:", seen.Unclear},
	} {
		var names []string
		for _, chapter := range part.chapters {
			names = append(names, say.Identified(chapter))
		}
		if len(names) > 0 {
			differ += "\n\n" + part.says + say.FirstDashed(names, "chapter")
		}
	}
	if differ != "" {
		diags.AddWarning("Unclear which chapters "+thing+" has",
			"The service's answers disagree about these chapters, even five seconds later. The provider includes all of them, because an answer may omit chapters for a while."+
				differ+"\n\nIf chapters have just been added or deleted, run again later.")
	}
}

// warnOfOddFields says which fields of a project or of its chapters have another type than in the service's document. They are null. One of
// them stops nobody who reads the others.
func warnOfOddFields(thing string, ofProject audioprojects.Text, chapters []audioprojects.Chapter, diags *diag.Diagnostics) {
	var lines []string
	if ofProject != "" {
		lines = append(lines, "the project: "+ofProject.Line())
	}
	for _, chapter := range chapters {
		if chapter.Odd != "" {
			lines = append(lines, "chapter "+say.Identified(chapter)+": "+chapter.Odd.Line())
		}
	}
	if len(lines) > 0 {
		diags.AddWarning("Fields of another type in "+thing,
			"The service sends these fields with a type that differs from its documentation. They are null here, so a condition on them may pass or fail wrongly."+
				say.FirstDashed(lines, "chapter")+"\n\n"+say.NewerVersion)
	}
}

// chapterAttributes are the computed attributes of a chapter.
func chapterAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"chapter_id":                value.ComputedString("The identifier of the chapter."),
		"name":                      value.ComputedString("The name of the chapter."),
		"state":                     value.ComputedString("The state of the chapter. The service does not document all states: `default` is one, and the provider takes `in_queue`, `creating` and `converting` for a conversion that is under way."),
		"conversion_progress":       value.ComputedFloat64("The progress of the conversion, as the service reports it."),
		"can_be_downloaded":         value.ComputedBool("Whether the chapter's audio can be downloaded."),
		"last_conversion_date_unix": value.ComputedInt64("The timestamp of the last conversion, in Unix seconds."),
		"last_conversion_error":     value.ComputedString("The error message of the last conversion."),
		"statistics": value.ComputedObject("The amounts of converted and unconverted text.", map[string]schema.Attribute{
			"characters_unconverted": value.ComputedInt64("The number of characters that have not been converted."),
			"characters_converted":   value.ComputedInt64("The number of characters that have been converted."),
			"paragraphs_converted":   value.ComputedInt64("The number of paragraphs that have been converted."),
			"paragraphs_unconverted": value.ComputedInt64("The number of paragraphs that have not been converted."),
		}),
	}
}
