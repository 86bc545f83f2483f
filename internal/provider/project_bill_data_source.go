package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

var _ datasource.DataSourceWithConfigure = &projectBillDataSource{}

func newProjectBillDataSource() datasource.DataSource { return &projectBillDataSource{} }

// projectBillDataSource is the bill of a plan as data, for conditions, policies and pull requests.
type projectBillDataSource struct{ *providerData }

type projectBillModel struct {
	ProjectID         types.String         `tfsdk:"project_id"`
	ChapterIDs        types.Set            `tfsdk:"chapter_ids"`
	ExcludeChapterIDs types.Set            `tfsdk:"exclude_chapter_ids"`
	ConvertedAfter    types.String         `tfsdk:"converted_after"`
	Chapters          []billedChapterModel `tfsdk:"chapters"`
	ChapterCount      types.Int64          `tfsdk:"chapter_count"`
	Characters        types.Int64          `tfsdk:"characters"`
}

type billedChapterModel struct {
	ChapterID  types.String `tfsdk:"chapter_id"`
	Name       types.String `tfsdk:"name"`
	Characters types.Int64  `tfsdk:"characters"`
	Reason     types.String `tfsdk:"reason"`
}

func (d *projectBillDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_project_bill"
}

func (d *projectBillDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Tells what an `audioprojects_project_conversion` with the same arguments would request now, and what that may cost. It requests no conversion. " +
			"What such a resource remembers, for example text that the service does not convert, is left out, so that the resource may request less.",
		Attributes: map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the project.",
				Required:            true,
				Validators:          []validator.String{identifier{}},
			},
			"chapter_ids": schema.SetAttribute{
				MarkdownDescription: "The identifiers of the chapters that count. The default is all chapters of the project.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(identifier{})},
			},
			"exclude_chapter_ids": schema.SetAttribute{
				MarkdownDescription: "The identifiers of chapters that do not count; all others do. Not together with `chapter_ids`.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          excludedChapters,
			},
			"converted_after": schema.StringAttribute{
				MarkdownDescription: "A time such as `2026-11-22T08:00:00Z`. Chapters whose last conversion is older count with all their characters.",
				Optional:            true,
				Validators:          []validator.String{pointInTime{}},
			},
			"chapters": schema.ListNestedAttribute{
				MarkdownDescription: "The chapters for which a conversion would be requested, in the service's order. Those that are being converted already are not among them.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"chapter_id": schema.StringAttribute{
						MarkdownDescription: "The identifier of the chapter.",
						Computed:            true,
					},
					"name": schema.StringAttribute{
						MarkdownDescription: "The name of the chapter; null if it has none.",
						Computed:            true,
					},
					"characters": schema.Int64Attribute{
						MarkdownDescription: "The most characters that the conversion may have; null if the service does not count them.",
						Computed:            true,
					},
					"reason": schema.StringAttribute{
						MarkdownDescription: "Why the chapter would be converted: `edited`, `never converted`, `converted before the time` (of `converted_after`), or `failed before`.",
						Computed:            true,
					},
				}},
			},
			"chapter_count": schema.Int64Attribute{
				MarkdownDescription: "The number of these chapters.",
				Computed:            true,
			},
			"characters": schema.Int64Attribute{
				MarkdownDescription: "The most characters that all these conversions may have together; null if the service does not count those of a chapter.",
				Computed:            true,
			},
		},
	}
}

func (d *projectBillDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

// Read predicts as the plan of the resource does, from the same list.
func (d *projectBillDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model projectBillModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !d.ready() {
		resp.Diagnostics.Append(unknownProvider("read", "project bill"))
		return
	}
	object := &projectConversionModel{
		ProjectID: model.ProjectID, ChapterIDs: model.ChapterIDs, ExcludeChapterIDs: model.ExcludeChapterIDs, ConvertedAfter: model.ConvertedAfter,
	}
	s := object.set(objectMemory{}, nil)
	predicted, err := d.predict(ctx, s)
	if err == nil {
		var memory objectMemory
		_, err = memory.refresh(s, predicted)
		memory.refuseMissing(s, &resp.Diagnostics)
		s.refuseUndated(predicted.Chapters, &resp.Diagnostics)
	}
	if err != nil {
		resp.Diagnostics.Append(unable("read", s.thing, path.Root("project_id"), err))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	warnOfRefusedRecord(s.thing, predicted.RecordRefused, &resp.Diagnostics)
	model.bill(predicted.Chapters)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// bill sets the computed attributes.
func (m *projectBillModel) bill(predicted []conversion.ChapterPrediction) {
	together, counted := int64(0), true
	m.Chapters = []billedChapterModel{}
	for _, chapter := range predicted {
		if chapter.Decision.Step != conversion.Request {
			continue
		}
		m.Chapters = append(m.Chapters, billedChapterModel{
			ChapterID: types.StringValue(chapter.ChapterID), Name: textValue(chapter.Chapter.Name),
			Characters: types.Int64PointerValue(chapter.Characters), Reason: types.StringValue(string(causeOf(chapter))),
		})
		if chapter.Characters == nil {
			counted = false
			continue
		}
		together = conversion.Sum(together, *chapter.Characters)
	}
	m.ChapterCount, m.Characters = types.Int64Value(int64(len(m.Chapters))), types.Int64Null()
	if counted {
		m.Characters = types.Int64Value(together)
	}
}
