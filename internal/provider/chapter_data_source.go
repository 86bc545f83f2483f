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

var (
	_ datasource.DataSourceWithConfigure      = &chapterDataSource{}
	_ datasource.DataSourceWithValidateConfig = &chapterDataSource{}
)

func newChapterDataSource() datasource.DataSource { return &chapterDataSource{} }

type chapterDataSource struct{ *providerData }

type chapterDataSourceModel struct {
	ProjectID types.String `tfsdk:"project_id"`
	chapterModel
}

func (d *chapterDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_chapter"
}

func (d *chapterDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := chapterAttributes()
	maps.Copy(attributes, map[string]schema.Attribute{
		"project_id": schema.StringAttribute{
			MarkdownDescription: "The identifier of the project.",
			Required:            true,
			Validators:          []validator.String{identifier{}},
		},
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
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one chapter of a project, by its identifier or by its name.",
		Attributes:          attributes,
	}
}

func (d *chapterDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var model chapterDataSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	switch {
	case resp.Diagnostics.HasError(), model.ChapterID.IsUnknown(), model.Name.IsUnknown():
	case model.ChapterID.IsNull() && model.Name.IsNull():
		resp.Diagnostics.AddError("Missing chapter", "Set `chapter_id` or `name`: the provider does not know which chapter is meant.")
	case !model.ChapterID.IsNull() && !model.Name.IsNull():
		resp.Diagnostics.AddAttributeError(path.Root("name"), "Chapter given twice", "Set `chapter_id` or `name`, and not both.")
	}
}

func (d *chapterDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

func (d *chapterDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model chapterDataSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !d.ready() {
		resp.Diagnostics.Append(unknownProvider("read", "chapter"))
		return
	}
	chapters, err := d.client.ListChapters(ctx, model.ProjectID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(unable("read", model.wanted(), path.Root("project_id"), err))
		return
	}
	all := models(chapters, newChapterModel)
	found := slices.DeleteFunc(slices.Clone(all), func(chapter chapterModel) bool { return !model.wants(chapter) })
	if len(found) != 1 {
		resp.Diagnostics.Append(model.notOne(found, all))
		return
	}
	model.chapterModel = found[0]
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
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
