package provider

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// bookKey holds the [bookMemory] in the private state.
const bookKey = "book"

// bookMemory is what is remembered of a book's chapters, by their ids. It holds only chapters of which something must be
// remembered, so that a settled book takes no more room than a short one.
type bookMemory struct {
	Kept map[string]conversion.Memory `json:"kept,omitempty"`
	// Open are the chapters that the latest refresh or apply has found to need something, in the service's order. The plan
	// decides by them, and not by a newer look: Terraform plans once more in the apply, and both plans must agree.
	Open []openChapter `json:"open,omitempty"`
	// Missing are the chapters of chapter_ids that the project does not have.
	Missing []string `json:"missing,omitempty"`
	// Known is the fingerprint of the chapters of a book that is about all.
	Known string `json:"known,omitempty"`
	// Successor: this is the memory of a plan that creates an object. If Delete gets it, that object replaces the deleted one.
	Successor bool `json:"successor,omitempty"`
}

// remembered is what the objects of books have left in this process, by project and chapter, for the plan of another object that
// replaces one: Terraform gives that plan no private state of a tainted object. The refresh fills it also while the provider block
// is unknown. No conversion gets it, because that may be another block's, and about text that was written later.
type remembered struct {
	mu    sync.Mutex
	books map[string]map[string]conversion.Memory
}

func (r *remembered) remember(projectID string, kept map[string]conversion.Memory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := maps.Clone(r.books[projectID])
	if all == nil {
		all = map[string]conversion.Memory{}
	}
	maps.Copy(all, kept)
	if r.books == nil {
		r.books = map[string]map[string]conversion.Memory{}
	}
	r.books[projectID] = all
}

// of returns what is remembered of a project. It does not change any more.
func (r *remembered) of(projectID string) map[string]conversion.Memory {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.books[projectID]
}

// openChapter is a chapter of the bill.
type openChapter struct {
	ChapterID string `json:"chapter_id"`
	Name      string `json:"name"` // as messages name it
	// Waits: a conversion is under way or pending, so nothing is requested, as far as is known.
	Waits bool `json:"waits,omitempty"`
	// Gone: the project does not have the chapter. The apply forgets the pending conversion.
	Gone bool `json:"gone,omitempty"`
	// Characters are the most that its conversion may cost; null if the service does not count them.
	Characters *int64 `json:"characters,omitempty"`
}

// pending is how many conversions have no known end.
func (m bookMemory) pending() int64 {
	count := int64(0)
	for _, kept := range m.Kept {
		if kept.Pending != nil && kept.Pending.Failure == nil {
			count++
		}
	}
	return count
}

// needed tells whether the next apply must know any of it. A failure in the service's own words needs nothing, because the
// next apply converts what has text left; but not if there is a converted_after, and the chapter may have none.
func (m bookMemory) needed(convertedAfter *int64) bool {
	for _, kept := range m.Kept {
		failed := kept.Pending != nil && kept.Pending.Failure != nil && convertedAfter == nil
		if kept.Pending = nil; !failed || kept != (conversion.Memory{}) {
			return true
		}
	}
	return false
}

// disown makes the pending conversions ones that somebody else requested: if text is open at their end, one more follows.
func (m bookMemory) disown() {
	for chapter, kept := range m.Kept {
		if kept.Pending != nil {
			pending := *kept.Pending
			pending.RequestedAtUnix, kept.Pending = nil, &pending
			m.Kept[chapter] = kept
		}
	}
}

// refresh brings the memory up to date with what the chapters show now, and returns the chapters. The error is why one of them
// could not be seen.
func (m *bookMemory) refresh(predicted []conversion.ChapterPrediction, named []string) (chapters []audioprojects.Chapter, err error) {
	before := m.Open
	m.Open, m.Missing = nil, nil
	for _, chapter := range predicted {
		if chapter.Chapter.ChapterID != "" {
			chapters = append(chapters, chapter.Chapter)
		}
	}
	alike := namesakesAmong(chapters)
	for _, chapter := range predicted {
		kept := m.Kept[chapter.ChapterID]
		if chapter.Chapter.ChapterID == "" {
			switch gone := isGone(chapter.Err); {
			case chapter.Err != nil && !gone:
				err = chapter.Err
			case gone && slices.Contains(named, chapter.ChapterID):
				m.Missing = append(m.Missing, chapter.ChapterID)
			case gone && kept.Pending != nil:
				m.Open = append(m.Open, openChapter{ChapterID: chapter.ChapterID, Name: nameAmong(before, chapter.ChapterID), Gone: true})
			case gone:
				delete(m.Kept, chapter.ChapterID)
			}
			continue
		}
		if m.keep(chapter, kept); chapter.Decision.Step != conversion.Done && chapter.Decision.Step != conversion.Look {
			m.Open = append(m.Open, newOpenChapter(chapter, alike))
		}
	}
	return chapters, err
}

// isGone tells whether two lists and the project's own record lack a chapter.
func isGone(err error) bool {
	_, gone := errors.AsType[*conversion.MissingChapterError](err)
	return gone
}

// nameAmong is the name by which messages knew a chapter before; otherwise its id.
func nameAmong(known []openChapter, chapterID string) string {
	for _, open := range known {
		if open.ChapterID == chapterID {
			return open.Name
		}
	}
	return strconv.Quote(chapterID)
}

// gone are the names of the chapters of which a conversion is pending although the project does not have them.
func (m bookMemory) gone() (names []string) {
	for _, open := range m.Open {
		if open.Gone {
			names = append(names, open.Name)
		}
	}
	return names
}

// know notes which chapters a book has that is about all.
func (m *bookMemory) know(model *projectConversionModel, chapters []audioprojects.Chapter) {
	if m.Known = ""; model.ChapterIDs.IsNull() {
		m.Known = conversion.Fingerprint(chapters)
	}
}

// keep notes what has become of a chapter's conversion.
func (m *bookMemory) keep(chapter conversion.ChapterPrediction, kept conversion.Memory) {
	decided := chapter.Decision
	if date := chapter.Chapter.LastConversionDateUnix; kept.EarlyDate != nil && date != nil && int64(*date) >= kept.EarlyDate.ConvertedAfter {
		kept.EarlyDate = nil
	}
	switch left, _ := conversion.Unconverted(chapter.Chapter); {
	case kept.Pending != nil && decided.Reason == conversion.Error:
		// The failure is saved, because the service may not show it at the next look.
		pending := *kept.Pending
		pending.Failure = &decided.Words
		kept.Pending = &pending
	case kept.Pending != nil && decided.Step == conversion.Done:
		kept = chapter.Settled()
	case kept.Pending == nil && left < kept.KnownRemainder:
		// The text was edited, or somebody has converted it. What is unconverted later is new.
		kept.KnownRemainder = 0
	}
	delete(m.Kept, chapter.ChapterID)
	if kept != (conversion.Memory{}) {
		if m.Kept == nil {
			m.Kept = map[string]conversion.Memory{}
		}
		m.Kept[chapter.ChapterID] = kept
	}
}

func newOpenChapter(chapter conversion.ChapterPrediction, alike namesakes) openChapter {
	open := openChapter{ChapterID: chapter.ChapterID, Name: alike.billed(chapter.Chapter), Characters: chapter.Characters}
	open.Waits = chapter.Decision.Step == conversion.Join || chapter.Decision.Step == conversion.Wait
	return open
}

// leftOpen is a chapter that an apply has not brought to its end, for a plan that does not refresh.
func leftOpen(chapter conversion.ProjectChapter, convertedAfter *int64) openChapter {
	open := openChapter{ChapterID: chapter.ChapterID, Name: identified(chapter.Chapter), Waits: chapter.Pending != nil && chapter.Pending.Failure == nil}
	wish := conversion.Demand{UpToDate: true, ConvertedAfter: convertedAfter, Memory: conversion.Memory{KnownRemainder: chapter.KnownRemainder}}
	if characters, counted := wish.Characters(chapter.Chapter); counted {
		open.Characters = &characters
	}
	return open
}

func readBookMemory(ctx context.Context, private privateState, diags *diag.Diagnostics) (memory bookMemory) {
	diags.Append(getPrivate(ctx, private, bookKey, &memory)...)
	return memory
}

// book is what the engine needs to convert the chapters of the object. before is the object in the state; nil for a new one.
// The state has no date for each chapter, so that an edit is confirmed by a second look.
func (m *projectConversionModel) book(memory bookMemory, before *projectConversionModel) conversion.Project {
	every := conversion.Demand{UpToDate: true, ConvertedAfter: m.convertedAfter(), DateSuffices: true}
	book := conversion.Project{ProjectID: m.ProjectID.ValueString(), ChapterTimeout: m.chapterTimeout()}
	if before != nil {
		every.Known = true
		every.Date = (*audioprojects.Integer)(before.OldestConversionDateUnix.ValueInt64Pointer())
	}
	ids := slices.Sorted(maps.Keys(memory.Kept))
	if m.ChapterIDs.IsNull() {
		book.Others, book.Known = &every, memory.Known
	} else {
		ids = m.namedChapters()
	}
	for _, id := range ids {
		wish := every
		wish.ProjectID, wish.ChapterID = book.ProjectID, id
		wish.Memory = memory.Kept[id]
		book.Demands = append(book.Demands, wish)
	}
	return book
}

// namedChapters are the chapter_ids.
func (m *projectConversionModel) namedChapters() []string {
	ids := make([]string, 0, len(m.ChapterIDs.Elements()))
	for _, element := range m.ChapterIDs.Elements() {
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
func (m *projectConversionModel) keepFailures(memory bookMemory) {
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
