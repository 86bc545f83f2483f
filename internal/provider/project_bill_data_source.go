package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

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

func newProjectBillDataSource() datasource.DataSource {
	return &dataSource[projectBillModel]{name: "_project_bill", schema: schema.Schema{
		MarkdownDescription: "Tells what an `audioprojects_project_conversion` with the same arguments would request now, and what that may cost. It requests no conversion. " +
			"What such a resource remembers, for example text that the service does not convert, is left out, so that the resource may request less.",
		Attributes: map[string]schema.Attribute{
			"project_id": requiredID("The identifier of the project."),
			"chapter_ids": schema.SetAttribute{
				MarkdownDescription: "The identifiers of the chapters that count. The default is all chapters of the project.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          meantChapters,
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
					"chapter_id": computedString("The identifier of the chapter."),
					"name":       computedString("The name of the chapter; null if it has none."),
					"characters": computedInt64("The most characters that the conversion may have; null if the service does not count them."),
					"reason":     computedString("Why the chapter would be converted: `edited`, `never converted`, `converted before the time` (of `converted_after`), or `failed before`; null if the service shows nothing that tells it."),
				}},
			},
			"chapter_count": computedInt64("The number of these chapters."),
			"characters":    computedInt64("The most characters that all these conversions may have together; null if the service does not count those of a chapter."),
		},
	}, read: readProjectBill}
}

// readProjectBill predicts as the plan of the resource does, from the same list.
func readProjectBill(ctx context.Context, d *providerData, model *projectBillModel, diags *diag.Diagnostics) {
	object := &projectConversionModel{
		ProjectID: model.ProjectID, ChapterIDs: model.ChapterIDs, ExcludeChapterIDs: model.ExcludeChapterIDs, ConvertedAfter: model.ConvertedAfter,
	}
	s := object.set(objectMemory{}, nil)
	predicted, err := d.predict(ctx, s)
	if err == nil {
		var memory objectMemory
		_, err = memory.refresh(s, predicted)
		memory.refuseMissing(s, diags)
		s.refuseUndated(predicted.Chapters, diags)
	}
	if err != nil {
		diags.Append(unable("read", s.thing, path.Root("project_id"), err))
	}
	warnOfRefusedRecord(s.thing, predicted.RecordRefused, diags)
	model.bill(predicted.Chapters)
}

// bill sets the computed attributes.
func (m *projectBillModel) bill(predicted []conversion.ChapterPrediction) {
	together, counted := int64(0), true
	m.Chapters = []billedChapterModel{}
	for _, chapter := range predicted {
		if chapter.Decision.Step != conversion.Request {
			continue
		}
		reason := types.StringNull()
		if why := causeOf(chapter); why != "" {
			reason = types.StringValue(string(why))
		}
		m.Chapters = append(m.Chapters, billedChapterModel{
			ChapterID: types.StringValue(chapter.ChapterID), Name: textValue(chapter.Chapter.Name),
			Characters: types.Int64PointerValue(chapter.Characters), Reason: reason,
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
