package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

var _ datasource.DataSourceWithConfigure = &chapterSnapshotsDataSource{}

func newChapterSnapshotsDataSource() datasource.DataSource { return &chapterSnapshotsDataSource{} }

type chapterSnapshotsDataSource struct{ *providerData }

type chapterSnapshotsModel struct {
	ProjectID types.String           `tfsdk:"project_id"`
	ChapterID types.String           `tfsdk:"chapter_id"`
	Snapshots []chapterSnapshotModel `tfsdk:"snapshots"`
}

// chapterSnapshotModel is section 2.5 of the document.
type chapterSnapshotModel struct {
	ChapterSnapshotID types.String `tfsdk:"chapter_snapshot_id"`
	ProjectID         types.String `tfsdk:"project_id"`
	ChapterID         types.String `tfsdk:"chapter_id"`
	CreatedAtUnix     types.Int64  `tfsdk:"created_at_unix"`
	Name              types.String `tfsdk:"name"`
}

func (d *chapterSnapshotsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_chapter_snapshots"
}

func (d *chapterSnapshotsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the snapshots of a chapter. A snapshot keeps the audio of one conversion.",
		Attributes: map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the project.",
				Required:            true,
				Validators:          []validator.String{identifier{}},
			},
			"chapter_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the chapter.",
				Required:            true,
				Validators:          []validator.String{identifier{}},
			},
			"snapshots": schema.ListNestedAttribute{
				MarkdownDescription: "The snapshots, in the service's order.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"chapter_snapshot_id": schema.StringAttribute{
						MarkdownDescription: "The identifier of the snapshot.",
						Computed:            true,
					},
					"project_id": schema.StringAttribute{
						MarkdownDescription: "The identifier of the project, as the snapshot has it.",
						Computed:            true,
					},
					"chapter_id": schema.StringAttribute{
						MarkdownDescription: "The identifier of the chapter, as the snapshot has it.",
						Computed:            true,
					},
					"created_at_unix": schema.Int64Attribute{
						MarkdownDescription: "The time the snapshot was made, in seconds since 1970-01-01 00:00 UTC.",
						Computed:            true,
					},
					"name": schema.StringAttribute{
						MarkdownDescription: "The name of the snapshot.",
						Computed:            true,
					},
				}},
			},
		},
	}
}

func (d *chapterSnapshotsDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

func (d *chapterSnapshotsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model chapterSnapshotsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !d.ready() {
		resp.Diagnostics.Append(unknownProvider("read", "chapter snapshots"))
		return
	}
	snapshots, err := d.list(ctx, model.ProjectID.ValueString(), model.ChapterID)
	if err != nil {
		thing := fmt.Sprintf("snapshots of chapter %s of project %s", model.ChapterID, model.ProjectID)
		// A 404 may mean either of the two ids, so the error is at no attribute.
		resp.Diagnostics.Append(unable("read", thing, path.Empty(), err))
		return
	}
	model.Snapshots = models(snapshots, newChapterSnapshotModel)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// list asks for the snapshots by the id as Terraform spells it, and if the service does not know that, by the id that the
// service spells otherwise.
func (d *chapterSnapshotsDataSource) list(ctx context.Context, projectID string, chapterID types.String) ([]audioprojects.ChapterSnapshot, error) {
	snapshots, err := d.client.ListChapterSnapshots(ctx, projectID, chapterID.ValueString())
	if !errors.Is(err, audioprojects.NotFound) || norm.NFD.IsNormalString(chapterID.ValueString()) {
		return snapshots, err
	}
	chapters, failure := d.client.ListChapters(ctx, projectID)
	at := slices.IndexFunc(chapters, func(chapter audioprojects.Chapter) bool {
		return sameText(types.StringValue(chapter.ChapterID), chapterID)
	})
	if failure != nil || at < 0 {
		return nil, err
	}
	return d.client.ListChapterSnapshots(ctx, projectID, chapters[at].ChapterID)
}

func newChapterSnapshotModel(snapshot audioprojects.ChapterSnapshot) chapterSnapshotModel {
	return chapterSnapshotModel{
		ChapterSnapshotID: types.StringValue(snapshot.ChapterSnapshotID),
		ProjectID:         textValue(snapshot.ProjectID),
		ChapterID:         textValue(snapshot.ChapterID),
		CreatedAtUnix:     integerValue(snapshot.CreatedAtUnix),
		Name:              textValue(snapshot.Name),
	}
}
