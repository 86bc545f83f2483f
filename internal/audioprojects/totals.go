package audioprojects

import "math"

// ChapterTotals are what a list of chapters has together, so that a configuration needs no splat and no sum of its own. A number of
// characters is nil if it is not known for one chapter.
type ChapterTotals struct {
	ChapterIDs            []string `json:"chapter_ids"`
	CharactersConverted   *int64   `json:"characters_converted"`
	CharactersUnconverted *int64   `json:"characters_unconverted"`
}

// TotalsOf adds up chapters (section 2.3). Where there is no list, nothing is known; an empty list has the sum 0.
func TotalsOf(chapters []Chapter) (totals ChapterTotals) {
	if chapters == nil {
		return totals
	}
	totals = ChapterTotals{ChapterIDs: []string{}, CharactersConverted: new(int64), CharactersUnconverted: new(int64)}
	for _, chapter := range chapters {
		counts := ChapterStatistics{}
		if chapter.Statistics != nil {
			counts = *chapter.Statistics
		}
		totals.ChapterIDs = append(totals.ChapterIDs, chapter.ChapterID)
		totals.CharactersConverted = addCount(totals.CharactersConverted, counts.CharactersConverted)
		totals.CharactersUnconverted = addCount(totals.CharactersUnconverted, counts.CharactersUnconverted)
	}
	return totals
}

// addCount is nil if a chapter is not counted: what is left out of a sum would look like 0, and a condition on it would pass.
// The same goes for counts that no sum can hold.
func addCount(total *int64, count *Integer) *int64 {
	isCounted := total != nil && count != nil
	if !isCounted || int64(*count) > math.MaxInt64-*total {
		return nil
	}
	return new(*total + int64(*count))
}

// ConversionDates are the dates of the last conversions of chapters that have one.
func ConversionDates(chapters []Chapter) (dates []Integer) {
	for _, chapter := range chapters {
		if chapter.LastConversionDateUnix != nil {
			dates = append(dates, *chapter.LastConversionDateUnix)
		}
	}
	return dates
}
