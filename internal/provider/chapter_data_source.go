package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

type chapterArguments struct {
	ProjectID types.String `tfsdk:"project_id"`
	ChapterID types.String `tfsdk:"chapter_id"`
	Name      types.String `tfsdk:"name"`
}

func newChapterDataSource() datasource.DataSource {
	attributes := chapterAttributes()
	maps.Copy(attributes, map[string]schema.Attribute{
		"id":         computedString("The ids in the form `project_id/chapter_id`, each path-escaped. Terraform prints this id when it has read the chapter."),
		"project_id": requiredID("The identifier of the project."),
		"chapter_id": optionalComputedString("The identifier of the chapter. Set either this or `name`.", identifier),
		"name":       optionalComputedString("The exact name of the chapter. Set either this or `chapter_id`. It is an error if no chapter, or more than one, has this name."),
		"json": computedJSON(recordDescription + " It includes fields that this provider does not know: " +
			"if the service adds `credits` to chapters, for example, `jsondecode(data.audioprojects_chapter.crossing.json).credits` reads them."),
	})
	return &dataSource[chapterArguments]{name: "_chapter", schema: schema.Schema{
		MarkdownDescription: "Reads one chapter of a project, by its identifier or by its name.",
		Attributes:          attributes,
	}, refuse: chapterArguments.refuse, read: readChapter}
}

func (m chapterArguments) refuse(diags *diag.Diagnostics) {
	switch {
	case m.ChapterID.IsNull() && m.Name.IsNull():
		diags.Append(combinationError("chapter_id", "The provider does not know which chapter to read. Set either `chapter_id` or `name`."))
	case isGiven(m.ChapterID) && isGiven(m.Name):
		diags.Append(combinationError("chapter_id", "Both `chapter_id` and `name` name the chapter. Set only one of them."))
	}
}

func readChapter(ctx context.Context, d *providerData, wanted chapterArguments, diags *diag.Diagnostics) any {
	chapters, err := d.client.WithRaw().ListChapters(ctx, wanted.ProjectID.ValueString())
	if err != nil {
		diags.Append(say.Unable("read", wanted.label(), path.Root("project_id"), err))
		return nil
	}
	found := slices.DeleteFunc(slices.Clone(chapters), func(chapter audioprojects.Chapter) bool { return !wanted.matches(chapter) })
	if len(found) != 1 {
		diags.Append(wanted.notUniqueError(found, chapters))
		return nil
	}
	return struct {
		ID string `json:"id"` // Without it, Terraform prints the name as it is.
		audioprojects.Chapter
		Record audioprojects.JSON `json:"json"`
	}{joinedID(wanted.ProjectID, types.StringValue(found[0].ChapterID)).ValueString(), found[0], d.client.SanitizedJSON(found[0].Raw)}
}

// matches compares names in Unicode's composed form, because Terraform composes all texts that a configuration has. An id is compared, and sent,
// as it is: services make ids of ASCII characters.
func (m chapterArguments) matches(chapter audioprojects.Chapter) bool {
	if m.ChapterID.IsNull() {
		return chapter.Name.Value != nil && norm.NFC.String(string(*chapter.Name.Value)) == norm.NFC.String(m.Name.ValueString())
	}
	return chapter.ChapterID == m.ChapterID.ValueString()
}

// label names the chapter as the configuration does.
func (m chapterArguments) label() string {
	if m.ChapterID.IsNull() {
		return fmt.Sprintf("the chapter named %s of project %s", m.Name, m.ProjectID)
	}
	return fmt.Sprintf("chapter %s of project %s", m.ChapterID, m.ProjectID)
}

// notUniqueError is the error if the project has no such chapter, or several. It names what there is.
func (m chapterArguments) notUniqueError(found, all []audioprojects.Chapter) diag.Diagnostic {
	at, by := path.Root("chapter_id"), "id"
	if m.ChapterID.IsNull() {
		at, by = path.Root("name"), "name"
	}
	problem := fmt.Sprintf("Project %s has %d chapters with this name. Set `chapter_id` to one of these instead:", m.ProjectID, len(found))
	switch {
	case len(all) == 0:
		problem = fmt.Sprintf("Project %s has no chapters. Check `project_id`.", m.ProjectID)
	case len(found) == 0:
		found, problem = all, fmt.Sprintf("Project %s has no chapter with this %s. It has these:", m.ProjectID, by)
	}
	var names []string
	for _, chapter := range found {
		names = append(names, say.Identified(chapter))
	}
	return diag.NewAttributeErrorDiagnostic(at, "Unable to read "+m.label(), problem+say.FirstDashed(names, "chapter"))
}
