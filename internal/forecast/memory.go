package forecast

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// ResourceMemory is what a resource remembers of its chapters beside its attributes. It holds only chapters of which something must be
// remembered, so that a settled book takes no more room than a short one.
type ResourceMemory struct {
	Kept map[string]conversion.Memory `json:"kept,omitempty"`
	// Planned are the chapters that the latest refresh or apply has found to need something, in the service's order. The plan
	// decides by them, and not by a newer look: Terraform plans once more in the apply, and both plans must agree.
	Planned []PlannedChapter `json:"open,omitempty"`
	// Missing are the chapters that the resource names, or leaves out, and that the project does not have.
	Missing []string `json:"missing,omitempty"`
	// Vanished are those that the resource in the state leaves out already. The latest look has found them gone, which costs nothing.
	Vanished []string `json:"-"`
	// Fingerprint is that of the chapters: with it, a settled book that is about all costs one request.
	Fingerprint string `json:"fingerprint,omitempty"`
	// OldestDate is the earliest date of a last conversion among them: a list with an older one is from a replica that lags.
	OldestDate *audioprojects.Integer `json:"oldest_date,omitempty"`
	// Converts is for the update alone, and each plan of one sets it: the update converts the chapters, and does not only change arguments.
	Converts bool `json:"converts,omitempty"`
	// Tainted: the creation ended in an error, so Terraform will replace the resource. A refresh keeps what is pending for a single
	// chapter, even if that has ended well: the new resource takes it up, and without it would convert once more
	// (TestWhatFollowsAnApplyThatWasCutShort).
	Tainted bool `json:"tainted,omitempty"`
	// ReplacedWithin is set in the plan of a creation alone: its timeout, which may have been raised after one that was too short. The Delete
	// that gets it belongs to a replacement, and not to a removal, and waits so long.
	ReplacedWithin time.Duration `json:"replaced_within,omitempty"`
}

// Shown is what the state of a project conversion has of it as pending_conversions: all that is kept, while something is pending or a
// replacement must know it; nil otherwise. Terraform gives nobody the private state of a tainted resource.
func (m ResourceMemory) Shown() map[string]conversion.Memory {
	isPending := func(kept conversion.Memory) bool { return kept.Pending != nil }
	if m.Tainted || slices.ContainsFunc(slices.Collect(maps.Values(m.Kept)), isPending) {
		return m.Kept
	}
	return nil
}

// Needed reports whether the next apply must know any of it. A failure in the service's own words needs nothing, because the next apply
// converts what has text left; but not if the conversion was about no text, of new triggers or a converted_after.
func (m ResourceMemory) Needed(s Scope) bool {
	for _, kept := range m.Kept {
		failed := kept.Pending.Failed() && s.Template.ConvertedAfter == nil && (!s.Template.UpToDate || kept.Pending.WasUnconverted(0))
		kept.Pending = nil
		if !failed || kept != (conversion.Memory{}) {
			return true
		}
	}
	return false
}

// refresh brings the memory up to date with what the chapters show now, and returns the chapters. The error is why one of them
// could not be seen. One that cannot be read needs an apply, which ends in an error about it.
func (m *ResourceMemory) refresh(s Scope, predicted conversion.ProjectPrediction) (chapters []audioprojects.Chapter, err error) {
	m.Planned, m.Missing, m.Vanished, m.Kept = nil, nil, nil, maps.Clone(m.Kept)
	for _, id := range predicted.Missing {
		if s.LeftOut[id] {
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
			m.Planned = append(m.Planned, unreadable(chapter.Desired.ChapterID, unread))
		case gone && s.names(chapter.Desired.ChapterID):
			m.Missing = append(m.Missing, chapter.Desired.ChapterID)
		case gone:
			delete(m.Kept, chapter.Desired.ChapterID)
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
	m.Fingerprint, m.OldestDate = fingerprint(chapters), oldestDate(chapters)
	return chapters, err
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

// Unchanged reports whether these are the ids of all chapters that the project had; nil if that is not known.
func (m ResourceMemory) Unchanged() func(ids []string) bool {
	if m.Fingerprint == "" {
		return nil
	}
	return func(ids []string) bool { return fingerprintOf(ids) == m.Fingerprint }
}

// keep notes what has become of a chapter's conversion.
func (m *ResourceMemory) keep(s Scope, chapter conversion.ChapterStatus) conversion.Memory {
	kept, decided := m.Kept[chapter.Desired.ChapterID], chapter.Decision
	left, _ := chapter.Chapter.Statistics.Unconverted()
	isForTheNext := s.SingleChapter && m.Tainted // The resource that replaces this one continues with it.
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
	m.Put(chapter.Desired.ChapterID, kept)
	return kept
}

// Put keeps what must be remembered of a chapter, if that is anything.
func (m *ResourceMemory) Put(chapterID string, kept conversion.Memory) {
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
	m := ResourceMemory{Kept: map[string]conversion.Memory{}, Fingerprint: fingerprint(r.Chapters()), OldestDate: oldestDate(r.Chapters())}
	for _, end := range r.ends {
		gone := conversion.IsMissing(end.Err)
		if !gone || r.SingleChapter {
			m.Put(end.Desired.ChapterID, end.Memory)
		}
		isUntouched := !end.seen() && end.Pending == nil
		if end.Err == nil || isUntouched || gone {
			continue
		}
		planned := r.leftPlanned(end)
		unread, isUnread := errors.AsType[*conversion.UnreadableError](end.Err)
		if isUnread {
			planned = unreadable(end.Desired.ChapterID, unread)
		}
		m.Planned = append(m.Planned, planned)
	}
	return m
}

// oldestDate is the earliest date of a last conversion; nil if a chapter has none.
func oldestDate(chapters []audioprojects.Chapter) *audioprojects.Integer {
	dates := audioprojects.ConversionDates(chapters)
	if len(dates) == 0 || len(dates) < len(chapters) {
		return nil
	}
	return new(slices.Min(dates))
}
