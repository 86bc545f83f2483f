package provider

import (
	"maps"
	"math"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// chapterTotals are what a list of chapters has together, so that a configuration needs no splat and no sum of its own.
type chapterTotals struct {
	ChapterIDs            []types.String `tfsdk:"chapter_ids"`
	CharactersConverted   types.Int64    `tfsdk:"characters_converted"`
	CharactersUnconverted types.Int64    `tfsdk:"characters_unconverted"`
}

// newChapterTotals adds up chapters. Where there is no list, nothing is known; an empty list has the sum 0.
func newChapterTotals(chapters []audioprojects.Chapter) chapterTotals {
	return chapterTotals{
		ChapterIDs:          models(chapters, func(chapter audioprojects.Chapter) types.String { return types.StringValue(chapter.ChapterID) }),
		CharactersConverted: sum(chapters, func(counts audioprojects.ChapterStatistics) *audioprojects.Integer { return counts.CharactersConverted }),
		CharactersUnconverted: sum(chapters, func(counts audioprojects.ChapterStatistics) *audioprojects.Integer {
			return counts.CharactersUnconverted
		}),
	}
}

// sum is null if a chapter is not counted: what is left out of a sum would look like 0, and a condition on it would pass.
// The same goes for counts that no sum can hold.
func sum(chapters []audioprojects.Chapter, count func(audioprojects.ChapterStatistics) *audioprojects.Integer) types.Int64 {
	if chapters == nil {
		return types.Int64Null()
	}
	var total int64
	for _, chapter := range chapters {
		if chapter.Statistics == nil {
			return types.Int64Null()
		}
		counted := (*int64)(count(*chapter.Statistics))
		if counted == nil || *counted < 0 || *counted > math.MaxInt64-total {
			return types.Int64Null()
		}
		total += *counted
	}
	return types.Int64Value(total)
}

// withChapterTotals adds the attributes of [chapterTotals].
func withChapterTotals(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	maps.Copy(attributes, map[string]schema.Attribute{
		"chapter_ids": schema.ListAttribute{
			MarkdownDescription: "The identifiers of the chapters, in the service's order. Use `toset` for `for_each`.",
			ElementType:         types.StringType,
			Computed:            true,
		},
		"characters_converted":   computedInt64("The number of characters that have been converted, in all chapters together; null if the number is not known for one chapter."),
		"characters_unconverted": computedInt64("The number of characters that have not been converted, in all chapters together; null if the number is not known for one chapter."),
	})
	return attributes
}
