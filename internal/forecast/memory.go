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
	// Chapters is what the engine must have of each chapter.
	Chapters map[string]conversion.Memory `json:"chapters,omitempty"`
	// Planned are the chapters that the latest refresh or apply has found to need something, in the service's order. The plan
	// decides by them, and not by a newer look: Terraform plans once more in the apply, and both plans must agree.
	Planned []PlannedChapter `json:"planned,omitempty"`
	// NotedAtUnix is when that was, in seconds since 1970.
	NotedAtUnix int64 `json:"noted_at_unix,omitempty"`
	// Missing are the chapters that the resource names, or leaves out, and that the project does not have.
	Missing []string `json:"missing,omitempty"`
	// ExcludedMissing are those that the resource in the state leaves out already. The latest look has not found them, which costs nothing.
	ExcludedMissing []string `json:"-"`
	// Forgotten are the chapters of which the latest look has dropped a pending conversion, or that one is left for
	// triggers, because two lists lack them.
	Forgotten []string `json:"-"`
	// NewestDateUnix is the newest date of a conversion that the last apply has seen, in seconds since 1970 by the
	// service's clock; 0 if there is none. An apply that was killed leaves it as it was.
	NewestDateUnix audioprojects.Integer `json:"newest_date_unix,omitempty"`
	// Converts is for the update alone, and each plan of one sets it: the update converts the chapters, and does not only change arguments.
	Converts bool `json:"converts,omitempty"`
	// Portion is for the update alone as well: what it may request of the planned chapters, the most characters of each;
	// nil if its plan has chosen no portion of them.
	Portion map[string]int64 `json:"portion,omitempty"`
	// NotSeen: the resource was imported, and nobody has looked at its chapters yet.
	NotSeen bool `json:"not_seen,omitempty"`
	// Tainted: the creation ended in an error, so Terraform will replace the resource. A refresh keeps what is pending,
	// even if that has ended well: the new resource takes it over, and would convert once more otherwise
	// (TestChapterConversion_afterApplyCutShort).
	Tainted bool `json:"tainted,omitempty"`
}

// Pending are the conversions without a known end, by chapter.
func (m ResourceMemory) Pending() map[string]*conversion.ResumeToken {
	pending := map[string]*conversion.ResumeToken{}
	for id, memory := range m.Chapters {
		if memory.Pending != nil {
			pending[id] = memory.Pending
		}
	}
	return pending
}

// WithPending is the memory with these conversions in place of its own.
func (m ResourceMemory) WithPending(pending map[string]*conversion.ResumeToken) ResourceMemory {
	all := m.Chapters
	m.Chapters = nil
	for id, memory := range all {
		memory.Pending = nil
		m.put(id, memory)
	}
	for id, token := range pending {
		memory := all[id]
		memory.Pending = token
		m.put(id, memory)
	}
	return m
}

// LeftForTriggers is how many chapters wait for a conversion of their own for changed triggers.
func (m ResourceMemory) LeftForTriggers() (count int) {
	for _, memory := range m.Chapters {
		if memory.ForTriggers {
			count++
		}
	}
	return count
}

// WithoutTriggers is the memory without what is left for changed triggers, of the chapters that a function names.
func (m ResourceMemory) WithoutTriggers(leaves func(chapterID string) bool) ResourceMemory {
	all := m.Chapters
	m.Chapters = nil
	for id, memory := range all {
		memory.ForTriggers = memory.ForTriggers && !leaves(id)
		m.put(id, memory)
	}
	return m
}

// MustBeKept reports whether the next apply must know any of it. What has failed is found as unconverted text, or
// created anew.
func (m ResourceMemory) MustBeKept() bool {
	for _, memory := range m.Chapters {
		if memory.Pending != nil && !memory.Pending.Failed() {
			return true
		}
	}
	return false
}

// updateMemory brings the memory up to date with what the chapters show now, and returns the chapters. The error is why
// one of them could not be seen.
func (s *Scope) updateMemory(predicted conversion.ProjectPrediction) (chapters []audioprojects.Chapter, err error) {
	m := ResourceMemory{
		Chapters: maps.Clone(s.Memory.Chapters), NotedAtUnix: time.Now().Unix(), NewestDateUnix: s.Memory.NewestDateUnix, Tainted: s.Memory.Tainted,
	}
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
	maps.DeleteFunc(m.Chapters, func(id string, memory conversion.Memory) bool { return !isMeant[id] && !s.mayStillRun(memory.Pending) })
	for _, chapter := range predicted.Chapters {
		id := chapter.Desired.ChapterID
		switch action := chapter.Verdict.Action; action {
		case conversion.CannotFind:
			if s.names(id) {
				m.Missing = append(m.Missing, id)
				continue
			}
			if m.Chapters[id].Pending != nil || m.Chapters[id].ForTriggers {
				m.Forgotten = append(m.Forgotten, strconv.Quote(id))
			}
			delete(m.Chapters, id)
			continue
		case conversion.CannotSee:
			err = chapter.Err
			continue
		default:
			before := m.Chapters[id].Pending
			hasEnded := chapter.Memory.Pending == nil && before != nil && !before.Failed()
			if m.Tainted && hasEnded {
				chapter.Memory.Pending = before
			}
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
func (m *ResourceMemory) put(chapterID string, memory conversion.Memory) {
	delete(m.Chapters, chapterID)
	if memory != (conversion.Memory{}) {
		if m.Chapters == nil {
			m.Chapters = map[string]conversion.Memory{}
		}
		m.Chapters[chapterID] = memory
	}
}

// NextMemory is what the resource remembers after an apply. What that has not brought to an end still needs something,
// for a plan that does not refresh.
func (r Result) NextMemory() ResourceMemory {
	m := ResourceMemory{NotedAtUnix: time.Now().Unix(), NewestDateUnix: r.Memory.NewestDateUnix}
	for id, memory := range r.Memory.Chapters {
		if r.mayStillRun(memory.Pending) {
			m.put(id, memory)
		}
	}
	if r.Template.Memory.ForTriggers { // They may have been there before, and the list with which the apply began has lacked them.
		for _, chapter := range r.appeared {
			m.put(chapter.ChapterID, conversion.Memory{ForTriggers: true})
		}
	}
	for _, end := range r.chapters {
		m.NewestDateUnix = max(m.NewestDateUnix, dateOf(end.Chapter))
		m.put(end.Desired.ChapterID, end.Memory) // Also of a chapter that lists lack: the next refresh may find it.
		isMissing := end.Verdict.Action == conversion.CannotFind
		isUntouched := !end.seen() && end.Memory.Pending == nil
		if end.Err != nil && !isUntouched && !isMissing && end.Verdict.Action != conversion.DoesNothing {
			m.Planned = append(m.Planned, r.planned(end.name, end.ChapterStatus))
		}
	}
	return m
}

// dateOf is the date of the last conversion of a chapter; 0 if there is none.
func dateOf(chapter audioprojects.Chapter) audioprojects.Integer {
	if chapter.LastConversionDateUnix == nil {
		return 0
	}
	return *chapter.LastConversionDateUnix
}

// PlannedIDs are the chapters that something is kept of, or that the plan has named: they are not gone because one list lacks them.
func (m ResourceMemory) PlannedIDs() []string {
	ids := slices.Sorted(maps.Keys(m.Chapters))
	for _, planned := range m.Planned {
		if !slices.Contains(ids, planned.ChapterID) {
			ids = append(ids, planned.ChapterID)
		}
	}
	return ids
}
