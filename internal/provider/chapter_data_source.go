package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"
)

type chapterDataSourceModel struct {
	ProjectID types.String `tfsdk:"project_id"`
	chapterModel
}

func newChapterDataSource() datasource.DataSource {
	attributes := chapterAttributes()
	maps.Copy(attributes, map[string]schema.Attribute{
		"project_id": requiredID("The identifier of the project."),
		"chapter_id": schema.StringAttribute{
			MarkdownDescription: "The identifier of the chapter. Give either this or `name`.",
			Optional:            true,
			Computed:            true,
			Validators:          []validator.String{identifier{}},
		},
		"name": schema.StringAttribute{
			MarkdownDescription: "The name of the chapter, in full. Give either this or `chapter_id`. No chapter with this name, or several, is an error.",
			Optional:            true,
			Computed:            true,
		},
	})
	return &dataSource[chapterDataSourceModel]{name: "_chapter", schema: schema.Schema{
		MarkdownDescription: "Reads one chapter of a project, by its identifier or by its name.",
		Attributes:          attributes,
	}, validate: chapterDataSourceModel.validate, read: readChapter}
}

func (m chapterDataSourceModel) validate(diags *diag.Diagnostics) {
	switch {
	case m.ChapterID.IsUnknown(), m.Name.IsUnknown():
	case m.ChapterID.IsNull() && m.Name.IsNull():
		diags.AddError("Missing chapter", "Set `chapter_id` or `name`: the provider does not know which chapter is meant.")
	case !m.ChapterID.IsNull() && !m.Name.IsNull():
		diags.AddAttributeError(path.Root("name"), "Chapter given twice", "Set `chapter_id` or `name`, and not both.")
	}
}

func readChapter(ctx context.Context, d *providerData, model *chapterDataSourceModel, diags *diag.Diagnostics) {
	chapters, err := d.client.ListChapters(ctx, model.ProjectID.ValueString())
	if err != nil {
		diags.Append(unable("read", model.wanted(), path.Root("project_id"), err))
		return
	}
	all := models(chapters, newChapterModel)
	found := slices.DeleteFunc(slices.Clone(all), func(chapter chapterModel) bool { return !model.wants(chapter) })
	if len(found) != 1 {
		diags.Append(model.notOne(found, all))
		return
	}
	model.chapterModel = found[0]
}

// wants reports whether a chapter is the one that the configuration means.
func (m chapterDataSourceModel) wants(chapter chapterModel) bool {
	if m.ChapterID.IsNull() {
		return sameText(chapter.Name, m.Name)
	}
	return sameText(chapter.ChapterID, m.ChapterID)
}

// sameText compares texts as Terraform does, which changes every text to Unicode's composed form (NFC). A service may
// spell them otherwise.
func sameText(a, b types.String) bool {
	return !a.IsNull() && !b.IsNull() && norm.NFC.String(a.ValueString()) == norm.NFC.String(b.ValueString())
}

// wanted names the chapter as the configuration does.
func (m chapterDataSourceModel) wanted() string {
	if m.ChapterID.IsNull() {
		return fmt.Sprintf("the chapter named %s of project %s", m.Name, m.ProjectID)
	}
	return fmt.Sprintf("chapter %s of project %s", m.ChapterID, m.ProjectID)
}

// notOne is the error if the project has no such chapter, or several. It names what there is.
func (m chapterDataSourceModel) notOne(found, all []chapterModel) diag.Diagnostic {
	at, by, next := path.Root("chapter_id"), "id", "Only the service can tell them apart:"
	if m.ChapterID.IsNull() {
		at, by, next = path.Root("name"), "name", "Set `chapter_id` to the one that is meant:"
	}
	var detail string
	switch {
	case len(all) == 0:
		detail = fmt.Sprintf("Project %s has no chapters. Check `project_id`.", m.ProjectID)
	case len(found) == 0:
		detail = quoting(fmt.Sprintf("Project %s has no chapter with this %s. It has these:", m.ProjectID, by)) + "\n" + namesOf(all)
	default:
		detail = quoting(fmt.Sprintf("Project %s has %d chapters with this %s. %s", m.ProjectID, len(found), by, next)) + "\n" + namesOf(found)
	}
	return diag.NewAttributeErrorDiagnostic(at, "Unable to read "+m.wanted(), detail)
}

// namesOf lists the ids and names of the first chapters, each in a line of its own.
func namesOf(chapters []chapterModel) string {
	const enough = 20
	var lines strings.Builder
	for _, chapter := range chapters[:min(enough, len(chapters))] {
		fmt.Fprintf(&lines, "\n  %q: %s", inOneLine(chapter.ChapterID), inOneLine(chapter.Name))
	}
	if more := len(chapters) - enough; more > 0 {
		fmt.Fprintf(&lines, "\n  and %d more", more)
	}
	return lines.String()
}

// inOneLine is what of an id or a name has room in a line of a list.
func inOneLine(text types.String) string {
	const width = 60
	characters := []rune(said(text.ValueString()))
	if len(characters) > width {
		return string(characters[:width-1]) + "…"
	}
	return string(characters)
}
