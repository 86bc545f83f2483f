package forecast

import (
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// A plan is a contract: an update requests what its plan has named, and leaves the rest to the next plan. What hands
// that over are the notes of the refresh, because Terraform keeps them from a plan to its apply, also in a saved plan.
// Of a creation, of chapters that are new to the resource, and of an action there are none: Terraform plans them once
// more in the apply, and hands nothing over. There the limit holds.

// allowed are the chapters that an update may request, with the most characters that each may cost; nil for any number,
// because the service has not counted the chapter. It gets what would be done about each of them now. The map is nil if
// there are no notes: an import has none until somebody has looked.
func (s Scope) allowed(chapters []conversion.ChapterStatus) map[string]*int64 {
	if s.Template.New || s.Memory.NotSeen {
		return nil
	}
	allowed, unnoted := map[string]*int64{}, []conversion.ChapterStatus{}
	notes := map[string]PlannedChapter{}
	for _, planned := range s.Memory.Planned {
		notes[planned.ChapterID] = planned
	}
	for _, chapter := range chapters {
		desired := chapter.Desired
		noted, isNoted := notes[desired.ChapterID]
		switch {
		case desired.New:
			allowed[desired.ChapterID] = nil
		case isNoted:
			allowed[desired.ChapterID] = noted.most(desired)
		case s.SingleChapter:
			allowed[desired.ChapterID] = s.mostOfSingle(desired)
		case chapter.Verdict.Action == conversion.DoesNothing, chapter.Verdict.Action == conversion.CannotSee:
			allowed[desired.ChapterID] = new(int64)
		case !desired.Memory.ForTriggers, chapter.HasUnconvertedText(), s.isConvertedSince(chapter):
			// It was edited, added or converted after the refresh.
		default:
			unnoted = append(unnoted, chapter)
		}
	}
	for id, most := range s.allowedForTriggers(unnoted) {
		allowed[id] = most
	}
	return allowed
}

// allowedForTriggers are those of the chapters without a note, which had nothing unconverted, that changed triggers may
// request: all of them, within what the state counts. If they are longer together, one has grown, and nobody knows which.
func (s Scope) allowedForTriggers(chapters []conversion.ChapterStatus) map[string]*int64 {
	allowed, left := map[string]*int64{}, s.countedBesideNotes()
	together := int64(0)
	for _, chapter := range chapters {
		whole := chapter.Verdict.Whole
		switch {
		case whole != nil:
			together = conversion.Sum(together, *whole)
		case left != nil:
			continue // It was counted, and is not any more.
		}
		allowed[chapter.Desired.ChapterID] = whole
	}
	if left != nil && together > *left {
		return nil
	}
	return allowed
}

// isConvertedSince reports whether somebody has had a chapter converted since the refresh, but for this process. Nobody
// knows how long it was before that, and whether the project had it.
func (s Scope) isConvertedSince(chapter conversion.ChapterStatus) bool {
	return dateOf(chapter.Chapter) > s.NewestDate && !chapter.AfterOther
}

// mostOfSingle is what a single chapter without a note may cost, by what the state counts; nil for any number. One that
// is not counted and has a date needed nothing.
func (s Scope) mostOfSingle(desired conversion.Desired) *int64 {
	switch {
	case desired.Memory.ForTriggers:
		return s.counted()
	case s.Unconverted == nil && s.NewestDate > 0:
		return new(int64)
	default:
		return s.Unconverted
	}
}

// counted is how many characters the chapters of the resource in the state have; nil if that is not known.
func (s Scope) counted() *int64 {
	if s.Converted == nil || s.Unconverted == nil {
		return nil
	}
	return new(conversion.Sum(*s.Converted, *s.Unconverted))
}

// countedBesideNotes is how many of them are of chapters without a note, which had nothing unconverted; nil if that is
// not known.
func (s Scope) countedBesideNotes() *int64 {
	left := s.counted()
	for _, noted := range s.Memory.Planned {
		if left == nil || noted.Whole == nil {
			return nil
		}
		*left -= *noted.Whole
	}
	return left
}

// most is the most characters that the note allows a request for a desired state; nil for any number.
func (p PlannedChapter) most(desired conversion.Desired) *int64 {
	pending := desired.Memory.Pending
	switch {
	case desired.Memory.ForTriggers:
		return p.Whole
	case desired.Wish == conversion.WantsText:
		return p.ForText
	case pending != nil && pending.ForCreation: // If it comes to nothing, another one is wanted.
		return p.Characters
	default:
		return new(int64)
	}
}

// keepTo takes from what a plan's look has found all that its update will not do: the look may be newer than the notes.
func (s *Scope) keepTo(allowed map[string]*int64) {
	if allowed == nil {
		return
	}
	var planned []PlannedChapter
	for _, p := range s.Memory.Planned {
		most, isAllowed := allowed[p.ChapterID]
		costs := !p.onlyWaits() && (p.Characters == nil || *p.Characters > 0)
		switch {
		case !isAllowed, most != nil && *most == 0 && costs:
			s.leftOut++
			continue
		case most != nil:
			p.Characters = most
		}
		planned = append(planned, p)
	}
	s.Memory.Planned = planned
}
