package provider

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// memoryKey holds the [objectMemory] of an object in its private state.
const memoryKey = "memory"

// readMemory reads also what earlier versions have written: a book's memory under another name, and that of a single chapter, whose
// id is given, in parts.
func readMemory(ctx context.Context, private privateState, chapterID string, diags *diag.Diagnostics) (m objectMemory) {
	if text, _ := private.GetKey(ctx, memoryKey); len(text) > 0 {
		diags.Append(getPrivate(ctx, private, memoryKey, &m)...)
		return m
	}
	if chapterID == "" {
		diags.Append(getPrivate(ctx, private, "book", &m)...)
		return m
	}
	var left int64
	var once *int64
	diags.Append(getPrivate(ctx, private, "left_unconverted", &left)...)
	diags.Append(getPrivate(ctx, private, "left_once", &once)...)
	diags.Append(getPrivate(ctx, private, "tainted", &m.Tainted)...)
	m.remains(chapterID, left, once)
	return m
}

// objectMemory is what an object remembers of its chapters beside its attributes. It holds only chapters of which something must be
// remembered, so that a settled book takes no more room than a short one. What is pending for a single chapter is in its attribute
// pending_conversion instead: with -refresh=false, Terraform gives nobody the private state of a tainted object.
type objectMemory struct {
	Kept map[string]conversion.Memory `json:"kept,omitempty"`
	// Open are the chapters that the latest refresh or apply has found to need something, in the service's order. The plan
	// decides by them, and not by a newer look: Terraform plans once more in the apply, and both plans must agree.
	Open []openChapter `json:"open,omitempty"`
	// Missing are the chapters of chapter_ids or exclude_chapter_ids that the project does not have.
	Missing []string `json:"missing,omitempty"`
	// Known is the fingerprint of the chapters of a book that is about all.
	Known string `json:"known,omitempty"`
	// Tainted: the creation ended in an error, so Terraform will replace the object. A refresh keeps what is pending for a single
	// chapter, even if that has ended well: the new object takes it up, and without it would convert once more.
	Tainted bool `json:"tainted,omitempty"`
	// Successor is set in the plan of a creation: the new object's id. If Delete gets it, that object replaces the deleted one.
	// Otherwise Delete could not tell a replacement from a removal, and a later object would take up what was removed.
	Successor string `json:"successor,omitempty"`
	// Timeout is that of the successor's creation. Delete waits so long for what is pending for a single chapter.
	Timeout time.Duration `json:"timeout,omitempty"`
	// ByHand: a person has the object of a single chapter replaced, with -replace for example, and not Terraform a tainted one. What
	// is pending began before the person asked. So it is treated like somebody else's conversion, and another one follows it. It is
	// also true if the pending conversion is somebody else's, which makes no difference.
	ByHand bool `json:"by_hand,omitempty"`
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
func (m objectMemory) pending() int64 {
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
func (m objectMemory) needed(convertedAfter *int64) bool {
	for _, kept := range m.Kept {
		failed := kept.Pending != nil && kept.Pending.Failure != nil && convertedAfter == nil
		if kept.Pending = nil; !failed || kept != (conversion.Memory{}) {
			return true
		}
	}
	return false
}

// disown makes the pending conversions ones that somebody else requested: if text is open at their end, one more follows.
func (m objectMemory) disown() {
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
func (m *objectMemory) refresh(predicted conversion.ProjectPrediction, named []string) (chapters []audioprojects.Chapter, err error) {
	before := m.Open
	m.Open, m.Missing = nil, predicted.Missing
	for _, chapter := range predicted.Chapters {
		if chapter.Chapter.ChapterID != "" {
			chapters = append(chapters, chapter.Chapter)
		}
	}
	alike := namesakesAmong(chapters)
	for _, chapter := range predicted.Chapters {
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
func (m objectMemory) gone() (names []string) {
	for _, open := range m.Open {
		if open.Gone {
			names = append(names, open.Name)
		}
	}
	return names
}

// know notes which chapters a book has that is about all.
func (m *objectMemory) know(model *projectConversionModel, chapters []audioprojects.Chapter) {
	if m.Known = ""; model.ChapterIDs.IsNull() {
		m.Known = conversion.Fingerprint(chapters)
	}
}

// keep notes what has become of a chapter's conversion.
func (m *objectMemory) keep(chapter conversion.ChapterPrediction, kept conversion.Memory) {
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
	m.set(chapter.ChapterID, kept)
}

func (m *objectMemory) set(chapterID string, kept conversion.Memory) {
	if delete(m.Kept, chapterID); kept != (conversion.Memory{}) {
		if m.Kept == nil {
			m.Kept = map[string]conversion.Memory{}
		}
		m.Kept[chapterID] = kept
	}
}

// remains notes how much text a chapter's conversion has left, and tells whether that is another than before.
func (m *objectMemory) remains(chapterID string, left int64, once *int64) (other bool) {
	before := m.Kept[chapterID]
	m.set(chapterID, conversion.Memory{KnownRemainder: left, SuspectedRemainder: once})
	return left != before.KnownRemainder || once != nil || before.SuspectedRemainder != nil
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
