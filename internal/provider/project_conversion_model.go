package provider

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// book is what the engine needs to convert the chapters of the object. before is the object in the state; nil for a new one.
// The state has no date for each chapter, so that an edit is confirmed by a second look.
func (m *projectConversionModel) book(memory objectMemory, before *projectConversionModel) conversion.Project {
	every := conversion.Demand{UpToDate: true, ConvertedAfter: m.convertedAfter(), DateSuffices: true}
	book := conversion.Project{ProjectID: m.ProjectID.ValueString(), ChapterTimeout: m.chapterTimeout()}
	if before != nil {
		every.Known = true
		every.Date = (*audioprojects.Integer)(before.OldestConversionDateUnix.ValueInt64Pointer())
	}
	ids := slices.Sorted(maps.Keys(memory.Kept))
	if m.ofAllChapters() {
		book.Others, book.Known, book.Except = &every, memory.Known, idsOf(m.ExcludeChapterIDs)
	} else {
		ids = idsOf(m.ChapterIDs)
	}
	for _, id := range ids {
		wish := every
		wish.ProjectID, wish.ChapterID = book.ProjectID, id
		wish.Memory = memory.Kept[id]
		book.Demands = append(book.Demands, wish)
	}
	return book
}

// ofAllChapters tells whether the object may be about every chapter of its project that it does not exclude.
func (m *projectConversionModel) ofAllChapters() bool {
	return m.ChapterIDs.IsNull() || m.ChapterIDs.IsUnknown()
}

func idsOf(set types.Set) []string {
	ids := make([]string, 0, len(set.Elements()))
	for _, element := range set.Elements() {
		if id, ok := element.(types.String); ok {
			ids = append(ids, id.ValueString())
		}
	}
	return ids
}

// convertedAfter is the time in seconds since 1970; nil if there is none. A creation that ends in the error of the validator has
// saved what is none.
func (m *projectConversionModel) convertedAfter() *int64 {
	parsed, err := time.Parse(time.RFC3339, m.ConvertedAfter.ValueString())
	if err != nil {
		return nil
	}
	seconds := parsed.Unix()
	return &seconds
}

func (m *projectConversionModel) chapterTimeout() time.Duration {
	return durationOr(m.ChapterTimeout, defaultTimeout)
}

// setTotals adds the chapters up.
func (m *projectConversionModel) setTotals(chapters []audioprojects.Chapter) {
	totals := newChapterTotals(append([]audioprojects.Chapter{}, chapters...)) // of no chapters, the sum is 0
	m.ChapterCount = types.Int64Value(int64(len(chapters)))
	m.CharactersConverted, m.CharactersUnconverted = totals.CharactersConverted, totals.CharactersUnconverted
	m.LastConversionDateUnix, m.OldestConversionDateUnix = types.Int64Null(), types.Int64Null()
	undated := false
	var last, oldest *audioprojects.Integer
	for _, chapter := range chapters {
		date := chapter.LastConversionDateUnix
		switch {
		case date == nil:
			undated = true
			continue
		case last == nil:
			last, oldest = date, date
		}
		if *date > *last {
			last = date
		}
		if *date < *oldest {
			oldest = date
		}
	}
	m.LastConversionDateUnix = types.Int64PointerValue((*int64)(last))
	if !undated {
		m.OldestConversionDateUnix = types.Int64PointerValue((*int64)(oldest))
	}
}

// setFailures sets failed_chapters.
func (m *projectConversionModel) setFailures(failed map[string]string) {
	elements := map[string]attr.Value{}
	for id, words := range failed {
		elements[id] = types.StringValue(words)
	}
	m.FailedChapters = types.MapValueMust(types.StringType, elements)
}

// keepFailures keeps the failures of chapters that are still open.
func (m *projectConversionModel) keepFailures(memory objectMemory) {
	failed := map[string]string{}
	for id, words := range m.FailedChapters.Elements() {
		still := slices.ContainsFunc(memory.Open, func(open openChapter) bool { return open.ChapterID == id })
		if text, isText := words.(types.String); isText && still {
			failed[id] = text.ValueString()
		}
	}
	m.setFailures(failed)
}

// planConversion marks as unknown what only an apply decides.
func (m *projectConversionModel) planConversion() {
	m.ChapterCount, m.CharactersConverted, m.CharactersUnconverted = types.Int64Unknown(), types.Int64Unknown(), types.Int64Unknown()
	m.LastConversionDateUnix, m.OldestConversionDateUnix = types.Int64Unknown(), types.Int64Unknown()
	m.FailedChapters, m.PendingChapters = types.MapUnknown(types.StringType), types.Int64Unknown()
}

// conversionPlanned tells whether the apply of the plan converts, or waits for conversions.
func (m *projectConversionModel) conversionPlanned() bool { return m.PendingChapters.IsUnknown() }

// keepComputed takes over what an object has that converts nothing.
func (m *projectConversionModel) keepComputed(state projectConversionModel) {
	m.ID = state.ID
	m.ChapterCount, m.CharactersConverted, m.CharactersUnconverted = state.ChapterCount, state.CharactersConverted, state.CharactersUnconverted
	m.LastConversionDateUnix, m.OldestConversionDateUnix = state.LastConversionDateUnix, state.OldestConversionDateUnix
	m.FailedChapters, m.PendingChapters = state.FailedChapters, state.PendingChapters
}

// thing names the object's project in messages.
func (m *projectConversionModel) thing() string {
	return "project " + strconv.Quote(m.ProjectID.ValueString())
}

func (m *projectConversionModel) identity() projectConversionIdentity {
	return projectConversionIdentity{ProjectID: m.ProjectID}
}
