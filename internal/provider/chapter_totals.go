package provider

import (
	"maps"
	"math"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/value"
)

// chapterTotals are what a list of chapters has together, so that a configuration needs no splat and no sum of its own.
type chapterTotals struct {
	ChapterIDs            []string `json:"chapter_ids"`
	CharactersConverted   *int64   `json:"characters_converted"`
	CharactersUnconverted *int64   `json:"characters_unconverted"`
}

// withChapterTotals adds the attributes of [chapterTotals].
func withChapterTotals(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	maps.Copy(attributes, map[string]schema.Attribute{
		"chapter_ids":            value.ComputedStrings("The identifiers of the chapters, in the service's order. Use `toset` for `for_each`."),
		"characters_converted":   value.ComputedInt64("The number of characters that have been converted, in all chapters together; null if the number is not known for one chapter."),
		"characters_unconverted": value.ComputedInt64("The number of characters that have not been converted, in all chapters together; null if the number is not known for one chapter."),
	})
	return attributes
}

// newChapterTotals adds up chapters. Where there is no list, nothing is known; an empty list has the sum 0.
func newChapterTotals(chapters []audioprojects.Chapter) (totals chapterTotals) {
	if chapters == nil {
		return totals
	}
	totals = chapterTotals{ChapterIDs: []string{}, CharactersConverted: new(int64), CharactersUnconverted: new(int64)}
	for _, chapter := range chapters {
		counts := audioprojects.ChapterStatistics{}
		if chapter.Statistics != nil {
			counts = *chapter.Statistics
		}
		totals.ChapterIDs = append(totals.ChapterIDs, chapter.ChapterID)
		totals.CharactersConverted = sum(totals.CharactersConverted, counts.CharactersConverted)
		totals.CharactersUnconverted = sum(totals.CharactersUnconverted, counts.CharactersUnconverted)
	}
	return totals
}

// sum is nil if a chapter is not counted: what is left out of a sum would look like 0, and a condition on it would pass.
// The same goes for counts that no sum can hold.
func sum(total *int64, count *audioprojects.Integer) *int64 {
	isCounted := total != nil && count != nil && *count >= 0
	if !isCounted || int64(*count) > math.MaxInt64-*total {
		return nil
	}
	return new(*total + int64(*count))
}
