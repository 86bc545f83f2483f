package forecast

import (
	"maps"
	"slices"
	"strconv"
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
	// ExcludedMissing are those that the resource in the state leaves out already. The latest look has not found them, which costs nothing.
	ExcludedMissing []string `json:"-"`
	// Forgotten are the chapters whose pending conversion the latest look has dropped, because two lists lack them.
	Forgotten []string `json:"-"`
	// DateUnusable says of which chapters the date of the last conversion says nothing about `converted_after`, and why.
	DateUnusable []string `json:"date_unusable,omitempty"`
	// Converts is for the update alone, and each plan of one sets it: the update converts the chapters, and does not only change arguments.
	Converts bool `json:"converts,omitempty"`
	// NotSeen: the resource was imported, and nobody has looked at its chapters yet.
	NotSeen bool `json:"not_seen,omitempty"`
	// Tainted: the creation ended in an error, so Terraform will replace the resource. A refresh keeps what is pending for a single
	// chapter, even if that has ended well: the new resource takes it up, and without it would convert once more
	// (TestChapterConversion_afterApplyCutShort).
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
		before.Pending = nil
		m.put(id, before)
	}
	for id, token := range pending {
		before := kept[id]
		before.Pending = token
		m.put(id, before)
	}
	return m
}

// MustBeKept reports whether the next apply must know any of it.
func (s Scope) MustBeKept() bool {
	for _, kept := range s.Memory.Kept {
		if s.Template.MustKeep(kept) {
			return true
		}
	}
	return false
}

// remember brings the memory up to date with what the chapters show now, and returns the chapters. The error is why one of them
// could not be seen.
func (s *Scope) remember(predicted conversion.ProjectPrediction) (chapters []audioprojects.Chapter, err error) {
	m := ResourceMemory{Kept: maps.Clone(s.Memory.Kept), NotedAtUnix: time.Now().Unix(), Tainted: s.Memory.Tainted}
	for _, id := range predicted.Missing {
		if s.Excluded[id] {
			m.ExcludedMissing = append(m.ExcludedMissing, id)
		} else {
			m.Missing = append(m.Missing, id)
		}
	}
	isMeant := map[string]bool{}
	for _, chapter := range predicted.Chapters {
		isMeant[chapter.Desired.ChapterID] = true
	}
	maps.DeleteFunc(m.Kept, func(id string, kept conversion.Memory) bool { return !isMeant[id] && !s.mayStillRun(kept.Pending) })
	for _, chapter := range predicted.Chapters {
		id := chapter.Desired.ChapterID
		switch action := chapter.Verdict.Action; action {
		case conversion.CannotFind:
			if s.names(id) {
				m.Missing = append(m.Missing, id)
				continue
			}
			if m.Kept[id].Pending != nil {
				m.Forgotten = append(m.Forgotten, strconv.Quote(id))
			}
			delete(m.Kept, id)
			continue
		case conversion.CannotSee:
			err = chapter.Err
			continue
		case conversion.CannotDate:
			m.DateUnusable = append(m.DateUnusable, say.Identified(chapter.Chapter)+": "+say.Sentence(chapter.Err))
		default:
			m.put(id, chapter.Memory)
			if action != conversion.DoesNothing {
				m.Planned = append(m.Planned, s.planned(say.Identified(chapter.Chapter), chapter))
			}
		}
		chapters = append(chapters, chapter.Chapter)
	}
	s.Memory = m
	return chapters, err
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

// Remaining is what the resource wants and remembers after an apply. What that has not brought to an end still needs something, for a plan
// that does not refresh.
func (r Result) Remaining() Scope {
	m := ResourceMemory{NotedAtUnix: time.Now().Unix()}
	for id, kept := range r.Memory.Kept {
		if r.mayStillRun(kept.Pending) {
			m.put(id, kept)
		}
	}
	for _, end := range r.ends {
		m.put(end.Desired.ChapterID, end.Memory) // Also of a chapter that lists lack: the next refresh may find it.
		isMissing := end.Verdict.Action == conversion.CannotFind
		isUntouched := !end.seen() && end.Pending == nil
		if end.Err != nil && !isUntouched && !isMissing && end.Verdict.Action != conversion.DoesNothing {
			m.Planned = append(m.Planned, r.planned(end.name, end.ChapterStatus))
		}
	}
	r.Memory = m
	return r.Scope
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
