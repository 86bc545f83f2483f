package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// memoryKey holds the [resourceMemory] of a resource in its private state.
const memoryKey = "memory"

// resourceMemory is what a resource remembers of its chapters beside its attributes. It holds only chapters of which something must be
// remembered, so that a settled book takes no more room than a short one.
type resourceMemory struct {
	Kept map[string]conversion.Memory `json:"kept,omitempty"`
	// Planned are the chapters that the latest refresh or apply has found to need something, in the service's order. The plan
	// decides by them, and not by a newer look: Terraform plans once more in the apply, and both plans must agree.
	Planned []plannedChapter `json:"open,omitempty"`
	// Missing are the chapters that the resource names, or leaves out, and that the project does not have.
	Missing []string `json:"missing,omitempty"`
	// Vanished are those that the resource in the state leaves out already. The latest look has found them gone, which costs nothing.
	Vanished []string `json:"-"`
	// Fingerprint is that of the chapters: with it, a settled book that is about all costs one request.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Converts is for the update alone, and each plan of one sets it: the update converts the chapters, and does not only change arguments.
	Converts bool `json:"converts,omitempty"`
	// Tainted: the creation ended in an error, so Terraform will replace the resource. A refresh keeps what is pending for a single
	// chapter, even if that has ended well: the new resource takes it up, and without it would convert once more
	// (TestWhatFollowsAnApplyThatWasCutShort).
	Tainted bool `json:"tainted,omitempty"`
	// Successor is set in the plan of a creation: the new resource's id. If Delete gets it, that resource replaces the deleted one.
	// Otherwise Delete could not tell a replacement from a removal, would wait (TestDestroyDoesNotWait), and a later resource would
	// continue with what was removed.
	Successor string `json:"successor,omitempty"`
	// Timeout is that of the successor's creation, which may have been raised after one that was too short. Delete waits so long for
	// what is pending for a single chapter (TestAReplacementThatDoesNotEndLosesNothing).
	Timeout time.Duration `json:"timeout,omitempty"`
	// ByHand: a person has the resource of a single chapter replaced, with -replace for example, and not Terraform a tainted one. What
	// is pending began before the person asked. So it is treated like somebody else's conversion, and another one follows it (the kept
	// story interrupted-replaced-appended). It is also true if the pending conversion is somebody else's, which makes no difference.
	ByHand bool `json:"by_hand,omitempty"`
}

// replacedResources is what the refreshes of this process saw, for the plan of a replacement, to which Terraform gives no private state
// of a tainted resource. A refresh fills it even while the provider block has unknown values. Create never reads it, because it may be
// about another resource with the same id, or older than the text.
type replacedResources struct {
	mu       sync.Mutex
	memories map[string]resourceMemory // by type and id, of which two resources may have the same
	reads    sync.Map                  // the keys of those that were refreshed in this process
}

// refreshed notes that a refresh in this process has asked the service about the resource. Not every plan has one: -refresh=false leaves it
// out, and -minimal-refresh does so until something is to be changed.
func (r *replacedResources) refreshed(key string) { r.reads.Store(key, true) }

func (r *replacedResources) isRefreshed(key string) bool {
	_, found := r.reads.Load(key)
	return found
}

func (r *replacedResources) remember(key string, memory resourceMemory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.memories[key]
	all := resourceMemory{Kept: maps.Clone(before.Kept), Tainted: before.Tainted || memory.Tainted}
	for chapterID, kept := range memory.Kept {
		other := before.Kept[chapterID].ConvertedFor
		if other != nil && (kept.ConvertedFor == nil || *other > *kept.ConvertedFor) {
			kept.ConvertedFor = other // That of another resource stays true (the kept story two-books-with-times-of-their-own).
		}
		all.put(chapterID, kept)
	}
	if r.memories == nil {
		r.memories = map[string]resourceMemory{}
	}
	r.memories[key] = all
}

// of returns what is remembered of a resource. It does not change any more.
func (r *replacedResources) of(key string) resourceMemory {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.memories[key]
}

// pending is how many conversions have no known end.
func (m resourceMemory) pending() int64 {
	count := int64(0)
	for _, kept := range m.Kept {
		if kept.Pending != nil && !kept.Pending.Failed() {
			count++
		}
	}
	return count
}

// needed reports whether the next apply must know any of it. A failure in the service's own words needs nothing, because the next apply
// converts what has text left; but not if the conversion was about no text, of new triggers or a converted_after.
func (m resourceMemory) needed(s scope) bool {
	for _, kept := range m.Kept {
		failed := kept.Pending.Failed() && s.template.ConvertedAfter == nil && (!s.template.UpToDate || kept.Pending.WasOpen(0))
		kept.Pending = nil
		if !failed || kept != (conversion.Memory{}) {
			return true
		}
	}
	return false
}

// asJoined has the pending conversions as ones that somebody else requested.
func asJoined(all map[string]conversion.Memory) map[string]conversion.Memory {
	all = maps.Clone(all)
	for chapter, kept := range all {
		if kept.Pending != nil {
			kept.Pending = kept.Pending.AsJoined()
			all[chapter] = kept
		}
	}
	return all
}

// pendingOf is what is pending, and nothing else.
func pendingOf(all map[string]conversion.Memory) map[string]conversion.Memory {
	pending := map[string]conversion.Memory{}
	for chapterID, kept := range all {
		pending[chapterID] = conversion.Memory{Pending: kept.Pending}
	}
	return pending
}

// refresh brings the memory up to date with what the chapters show now, and returns the chapters. The error is why one of them
// could not be seen. One that cannot be read needs an apply, which ends in an error about it.
func (m *resourceMemory) refresh(s scope, predicted conversion.ProjectPrediction) (chapters []audioprojects.Chapter, err error) {
	m.Planned, m.Missing, m.Vanished, m.Kept = nil, nil, nil, maps.Clone(m.Kept)
	for _, id := range predicted.Missing {
		if s.leftOut[id] {
			m.Vanished = append(m.Vanished, id)
		} else {
			m.Missing = append(m.Missing, id)
		}
	}
	for _, chapter := range predicted.Chapters {
		unread, isUnread := errors.AsType[*conversion.UnreadableError](chapter.Err)
		gone := conversion.IsMissing(chapter.Err)
		switch {
		case isUnread:
			chapters = append(chapters, chapter.Chapter)
			m.Planned = append(m.Planned, unreadable(chapter.Demand.ChapterID, unread))
		case gone && s.names(chapter.Demand.ChapterID):
			m.Missing = append(m.Missing, chapter.Demand.ChapterID)
		case gone:
			delete(m.Kept, chapter.Demand.ChapterID)
		case chapter.Err != nil:
			err = chapter.Err
		default:
			chapters = append(chapters, chapter.Chapter)
			kept := m.keep(s, chapter)
			need := s.needOf(chapter, kept)
			if need != needsNothing {
				m.Planned = append(m.Planned, s.planned(chapter, kept, need))
			}
		}
	}
	m.Fingerprint = fingerprint(chapters)
	return chapters, err
}

// undatedIn names the chapters of which a look has shown that their conversion has ended, and no newer date.
func undatedIn(predicted conversion.ProjectPrediction) (names []string) {
	for _, chapter := range predicted.Chapters {
		if chapter.Undated {
			names = append(names, identified(chapter.Chapter))
		}
	}
	return names
}

// fingerprint tells sets of chapters apart, in 16 letters. So much fits into a state where thousands of ids do not.
func fingerprint(chapters []audioprojects.Chapter) string {
	ids := make([]string, 0, len(chapters))
	for _, chapter := range chapters {
		ids = append(ids, chapter.ChapterID)
	}
	return fingerprintOf(ids)
}

func fingerprintOf(ids []string) string {
	quoted := make([]string, 0, len(ids))
	for _, id := range ids {
		quoted = append(quoted, strconv.Quote(norm.NFC.String(id)))
	}
	slices.Sort(quoted)
	sum := sha256.Sum256([]byte(strings.Join(quoted, ",")))
	return hex.EncodeToString(sum[:8])
}

// unchanged reports whether these are the ids of all chapters that the project had; nil if that is not known.
func (m resourceMemory) unchanged() func(ids []string) bool {
	if m.Fingerprint == "" {
		return nil
	}
	return func(ids []string) bool { return fingerprintOf(ids) == m.Fingerprint }
}

// keep notes what has become of a chapter's conversion.
func (m *resourceMemory) keep(s scope, chapter conversion.Prediction) conversion.Memory {
	kept, decided := m.Kept[chapter.Demand.ChapterID], chapter.Decision
	left, _ := chapter.Chapter.Statistics.Unconverted()
	isForTheNext := s.singleChapter && m.Tainted // The resource that replaces this one continues with it.
	switch {
	case kept.Pending != nil && decided.Reason == conversion.Error:
		// The failure is saved, because the service may not show it at the next look.
		kept.Pending = kept.Pending.AsFailed(decided.Words)
	case kept.Pending != nil && decided.Step == conversion.Done && !isForTheNext:
		kept = chapter.Memory
		kept.Pending = nil
	case kept.Pending == nil && left < kept.KnownRemainder:
		// The text was edited, or somebody has converted it. What is unconverted later is new.
		kept.KnownRemainder = 0
	}
	m.put(chapter.Demand.ChapterID, kept)
	return kept
}

func (m *resourceMemory) put(chapterID string, kept conversion.Memory) {
	delete(m.Kept, chapterID)
	if kept != (conversion.Memory{}) {
		if m.Kept == nil {
			m.Kept = map[string]conversion.Memory{}
		}
		m.Kept[chapterID] = kept
	}
}

// remaining is the memory after an apply. What it has not brought to an end still needs something, for a plan that does not refresh.
func (r result) remaining() resourceMemory {
	m := resourceMemory{Kept: map[string]conversion.Memory{}, Fingerprint: fingerprint(r.chapters())}
	for _, end := range r.ends {
		gone := conversion.IsMissing(end.Err)
		if !gone || r.singleChapter {
			m.put(end.ChapterID, end.Memory)
		}
		isUntouched := !end.seen() && end.Pending == nil
		if end.Err == nil || isUntouched || gone {
			continue
		}
		planned := r.leftPlanned(end)
		unread, isUnread := errors.AsType[*conversion.UnreadableError](end.Err)
		if isUnread {
			planned = unreadable(end.ChapterID, unread)
		}
		m.Planned = append(m.Planned, planned)
	}
	return m
}
