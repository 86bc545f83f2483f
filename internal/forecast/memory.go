package forecast

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// ResourceMemory is what a resource remembers of its chapters beside its attributes. It holds only chapters of which something must be
// remembered, so that a settled book takes no more room than a short one. What is pending is in the state, because Terraform gives nobody
// the private state of a tainted resource.
type ResourceMemory struct {
	// Kept is what the engine must have of each chapter.
	Kept map[string]conversion.Memory `json:"kept,omitempty"`
	// Planned are the chapters that the latest refresh or apply has found to need something, in the service's order. The plan
	// decides by them, and not by a newer look: Terraform plans once more in the apply, and both plans must agree.
	Planned []PlannedChapter `json:"planned,omitempty"`
	// NotedAtUnix is when that was, in seconds since 1970.
	NotedAtUnix int64 `json:"noted_at_unix,omitempty"`
	// Missing are the chapters that the resource names, or leaves out, and that the project does not have.
	Missing []string `json:"missing,omitempty"`
	// Vanished are those that the resource in the state leaves out already. The latest look has found them gone, which costs nothing.
	Vanished []string `json:"-"`
	// Undated says of which chapters the date of the last conversion says nothing about `converted_after`, and why.
	Undated []string `json:"undated,omitempty"`
	// Converts is for the update alone, and each plan of one sets it: the update converts the chapters, and does not only change arguments.
	Converts bool `json:"converts,omitempty"`
	// Tainted: the creation ended in an error, so Terraform will replace the resource. A refresh keeps what is pending for a single
	// chapter, even if that has ended well: the new resource takes it up, and without it would convert once more
	// (TestWhatFollowsAnApplyThatWasCutShort).
	Tainted bool `json:"tainted,omitempty"`
	// ReplacedWithin is set in the plan of a creation alone: its timeout, which may have been raised after one that was too short. The
	// Delete that gets it belongs to a replacement, and not to a removal, and waits so long.
	ReplacedWithin time.Duration `json:"replaced_within,omitempty"`
}

// Pending are the conversions without a known end, by chapter.
func (m ResourceMemory) Pending() map[string]*conversion.ResumeToken {
	pending := map[string]*conversion.ResumeToken{}
	for id, kept := range m.Kept {
		if kept.Pending != nil {
			pending[id] = kept.Pending
		}
	}
	return pending
}

// WithPending is the memory with these conversions in place of its own.
func (m ResourceMemory) WithPending(pending map[string]*conversion.ResumeToken) ResourceMemory {
	kept := m.Kept
	m.Kept = nil
	for id, before := range kept {
		m.put(id, conversion.Memory{Remainder: before.Remainder})
	}
	for id, token := range pending {
		m.put(id, conversion.Memory{Pending: token, Remainder: kept[id].Remainder})
	}
	return m
}

// Needed reports whether the next apply must know any of it. A failure in the service's own words needs nothing, because the next apply
// converts what has text left; but not if the conversion was about no text, of new triggers or a converted_after.
func (m ResourceMemory) Needed(s Scope) bool {
	for _, pending := range m.Pending() {
		isAboutText := s.Template.ConvertedAfter == nil && (!s.Template.UpToDate || pending.WasUnconverted(0))
		if !pending.Failed() || !isAboutText {
			return true
		}
	}
	return false
}

// refresh brings the memory up to date with what the chapters show now, and returns the chapters. The error is why one of them
// could not be seen, or cannot be converted.
func (m *ResourceMemory) refresh(s Scope, predicted conversion.ProjectPrediction) (chapters []audioprojects.Chapter, err error) {
	*m = ResourceMemory{Kept: maps.Clone(m.Kept), NotedAtUnix: time.Now().Unix(), Tainted: m.Tainted}
	for _, id := range predicted.Missing {
		if s.LeftOut[id] {
			m.Vanished = append(m.Vanished, id)
		} else {
			m.Missing = append(m.Missing, id)
		}
	}
	for _, chapter := range predicted.Chapters {
		gone := conversion.IsMissing(chapter.Err)
		undated, isUndated := errors.AsType[*conversion.UndatedError](chapter.Err)
		switch {
		case gone && s.names(chapter.Desired.ChapterID):
			m.Missing = append(m.Missing, chapter.Desired.ChapterID)
		case gone:
			delete(m.Kept, chapter.Desired.ChapterID)
		case isUndated:
			chapters = append(chapters, chapter.Chapter)
			m.Undated = append(m.Undated, say.Identified(chapter.Chapter)+": "+say.Sentence(undated))
		case chapter.Err != nil:
			err = chapter.Err
		default:
			chapters = append(chapters, chapter.Chapter)
			kept := m.keep(s, chapter)
			at := s.standingOf(chapter, kept)
			if at != settled {
				m.Planned = append(m.Planned, s.planned(chapter, kept, at))
			}
		}
	}
	return chapters, err
}

// keep notes what has become of a chapter's conversion.
func (m *ResourceMemory) keep(s Scope, chapter conversion.ChapterStatus) conversion.Memory {
	kept, decided := m.Kept[chapter.Desired.ChapterID], chapter.Decision
	left, _ := chapter.Chapter.Statistics.Unconverted()
	isForTheNext := s.SingleChapter && m.Tainted // The resource that replaces this one continues with it.
	switch {
	case kept.Pending != nil && decided.Step == conversion.Failed:
		kept.Pending = chapter.Pending // The failure is saved, because the service may not show it at the next look.
	case kept.Pending != nil && decided.Step == conversion.Done && !isForTheNext:
		kept = conversion.Memory{Remainder: decided.Remainder}
	case kept.Pending == nil && left != kept.Remainder:
		kept.Remainder = 0 // The text was edited, or somebody has converted it. What is unconverted later is new.
	}
	m.put(chapter.Desired.ChapterID, kept)
	return kept
}

// put keeps what must be remembered of a chapter, if that is anything.
func (m *ResourceMemory) put(chapterID string, kept conversion.Memory) {
	delete(m.Kept, chapterID)
	if kept != (conversion.Memory{}) {
		if m.Kept == nil {
			m.Kept = map[string]conversion.Memory{}
		}
		m.Kept[chapterID] = kept
	}
}

// Remaining is the memory after an apply. What it has not brought to an end still needs something, for a plan that does not refresh.
func (r Result) Remaining() ResourceMemory {
	m := ResourceMemory{NotedAtUnix: time.Now().Unix()}
	for _, end := range r.ends {
		gone := conversion.IsMissing(end.Err)
		if !gone || r.SingleChapter {
			m.put(end.Desired.ChapterID, end.Memory)
		}
		isUntouched := !end.seen() && end.Pending == nil
		if end.Err != nil && !isUntouched && !gone {
			m.Planned = append(m.Planned, r.leftPlanned(end))
		}
	}
	return m
}

// PlannedIDs are the chapters that something is kept of, or that the plan has named: they are not gone because one list lacks them.
func (m ResourceMemory) PlannedIDs() []string {
	ids := slices.Sorted(maps.Keys(m.Kept))
	for _, planned := range m.Planned {
		if !slices.Contains(ids, planned.ChapterID) {
			ids = append(ids, planned.ChapterID)
		}
	}
	return ids
}
