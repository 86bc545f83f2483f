package provider

import (
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// chapterModel is a chapter as every block shows it: section 2.3 of the document.
type chapterModel struct {
	ChapterID              types.String  `tfsdk:"chapter_id"`
	Name                   types.String  `tfsdk:"name"`
	State                  types.String  `tfsdk:"state"`
	ConversionProgress     types.Float64 `tfsdk:"conversion_progress"`
	CanBeDownloaded        types.Bool    `tfsdk:"can_be_downloaded"`
	LastConversionDateUnix types.Int64   `tfsdk:"last_conversion_date_unix"`
	LastConversionError    types.String  `tfsdk:"last_conversion_error"`
	Statistics             types.Object  `tfsdk:"statistics"`
}

func newChapterModel(chapter audioprojects.Chapter) chapterModel {
	return chapterModel{
		ChapterID:              types.StringValue(chapter.ChapterID),
		Name:                   textValue(chapter.Name),
		State:                  textValue(chapter.State),
		ConversionProgress:     types.Float64PointerValue(chapter.ConversionProgress),
		CanBeDownloaded:        types.BoolPointerValue(chapter.CanBeDownloaded),
		LastConversionDateUnix: integerValue(chapter.LastConversionDateUnix),
		LastConversionError:    textValue(chapter.LastConversionError),
		Statistics:             statisticsValue(chapter.Statistics),
	}
}

// fieldsOf lists the values of a model by reflection, so that a field that is added later is not forgotten.
func fieldsOf(model any) []attr.Value {
	var fields []attr.Value
	for _, field := range reflect.ValueOf(model).Fields() {
		if value, ok := field.Interface().(attr.Value); ok {
			fields = append(fields, value)
		}
	}
	return fields
}

// unconverted is how many characters are not converted, as [conversion.Unconverted] counts: paragraphs if the service
// does not count characters, and 0 if it counts neither.
func (m chapterModel) unconverted() int64 {
	for _, unit := range []string{"characters_unconverted", "paragraphs_unconverted"} {
		if count, ok := m.Statistics.Attributes()[unit].(types.Int64); ok && !count.IsNull() {
			return count.ValueInt64()
		}
	}
	return 0
}

// chapterAttributes are the computed attributes of a chapter.
func chapterAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"chapter_id":                computedString("The identifier of the chapter."),
		"name":                      computedString("The name of the chapter."),
		"state":                     computedString("The state of the chapter. The service gives no list of states; `default` is one, and `in_queue`, `creating` and `converting` are taken to mean that a conversion is under way."),
		"conversion_progress":       computedFloat64("The progress of the conversion, as the service gives it."),
		"can_be_downloaded":         computedBool("Whether the chapter's audio can be downloaded."),
		"last_conversion_date_unix": computedInt64("The time of the last conversion, in seconds since 1970-01-01 00:00 UTC."),
		"last_conversion_error":     computedString("The error of the last conversion, in the service's words."),
		"statistics": schema.SingleNestedAttribute{
			MarkdownDescription: "The amount of text that has and has not been converted.",
			Computed:            true,
			Attributes: map[string]schema.Attribute{
				"characters_unconverted": computedInt64("The number of characters that have not been converted."),
				"characters_converted":   computedInt64("The number of characters that have been converted."),
				"paragraphs_converted":   computedInt64("The number of paragraphs that have been converted."),
				"paragraphs_unconverted": computedInt64("The number of paragraphs that have not been converted."),
			},
		},
	}
}

var statisticsTypes = map[string]attr.Type{
	"characters_unconverted": types.Int64Type,
	"characters_converted":   types.Int64Type,
	"paragraphs_converted":   types.Int64Type,
	"paragraphs_unconverted": types.Int64Type,
}

func statisticsValue(statistics *audioprojects.ChapterStatistics) types.Object {
	if statistics == nil {
		return types.ObjectNull(statisticsTypes)
	}
	return types.ObjectValueMust(statisticsTypes, map[string]attr.Value{
		"characters_unconverted": integerValue(statistics.CharactersUnconverted),
		"characters_converted":   integerValue(statistics.CharactersConverted),
		"paragraphs_converted":   integerValue(statistics.ParagraphsConverted),
		"paragraphs_unconverted": integerValue(statistics.ParagraphsUnconverted),
	})
}

func textValue(text *audioprojects.Text) types.String {
	return types.StringPointerValue((*string)(text))
}

func integerValue(integer *audioprojects.Integer) types.Int64 {
	return types.Int64PointerValue((*int64)(integer))
}
