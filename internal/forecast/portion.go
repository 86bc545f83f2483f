package forecast

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// A portion is what one apply requests of a book (`characters_per_apply`): its chapters in the project's order, up to
// the first that no longer fits. A plan chooses it from the notes of the refresh, and its update requests nothing else,
// also if one of the chapters needs nothing any more. Where a plan looks itself, the choice cannot be handed over to
// the apply (see contract.go): that chooses again, of what the contract allows.

// portion is what one apply requests of the chapters about which it does something: the most characters of each. What
// is pending is waited for, and its share may be 0. The others are left to later applies, and so are the requests that
// would follow on something pending.
func (s Scope) portion(planned []PlannedChapter) (shares map[string]int64, later []PlannedChapter) {
	shares = map[string]int64{}
	room, isFull, waits := *s.CharactersPerApply, false, []PlannedChapter{}
	for _, chapter := range planned {
		if chapter.dependsOnWait() {
			waits = append(waits, chapter)
			continue
		}
		isFull = isFull || chapter.Characters == nil || *chapter.Characters > room
		switch {
		case !isFull:
			room -= *chapter.Characters
			shares[chapter.ChapterID] = *chapter.Characters
		default:
			later = append(later, chapter)
			if s.waitsFor(chapter) { // for the end of one that is for other triggers
				shares[chapter.ChapterID] = 0
			}
		}
	}
	for _, chapter := range waits { // What they may become comes after what is requested for sure.
		share := int64(0)
		if chapter.Characters != nil {
			share = min(room, *chapter.Characters)
		}
		room -= share
		shares[chapter.ChapterID] = share
		if share == 0 && !chapter.onlyWaits() {
			later = slices.Insert(later, 0, chapter)
		}
	}
	return shares, later
}

// dependsOnWait reports whether the end of a wait decides if anything is requested, and how much.
func (p PlannedChapter) dependsOnWait() bool {
	return p.onlyWaits() || p.Reason == conversion.MoreUnconverted
}

// waitsFor reports whether a conversion of the chapter is pending that may still run. One that no list has shown is
// looked for when its chapter is in the portion.
func (s Scope) waitsFor(chapter PlannedChapter) bool {
	pending := s.Memory.Chapters[chapter.ChapterID].Pending
	return pending != nil && !pending.Failed() && chapter.Reason != conversion.StillUnconfirmed
}

// exceedsPortion reports whether the chapter, as it is now, is in no portion at all.
func (s Scope) exceedsPortion(chapter PlannedChapter) bool {
	return !chapter.dependsOnWait() && (chapter.Characters == nil || *chapter.Characters > *s.CharactersPerApply)
}

// TakePortion chooses the portion of a plan, which shows nothing else then. While an argument is unknown, nobody can
// choose it.
func (s *Scope) TakePortion() {
	if s.CharactersPerApply == nil || s.UnknownArguments != "" {
		return
	}
	var planned []PlannedChapter
	s.Memory.Portion, s.later = s.portion(s.Memory.Planned)
	isLater := map[string]bool{}
	for _, chapter := range s.later {
		isLater[chapter.ChapterID] = true
	}
	for _, chapter := range s.Memory.Planned {
		share, isIn := s.Memory.Portion[chapter.ChapterID]
		if !isIn {
			continue
		}
		if isLater[chapter.ChapterID] { // Its own conversion is; what is pending is waited for.
			chapter.Action, chapter.Reason = conversion.Waits, conversion.NoReason
		}
		chapter.Characters = &share
		planned = append(planned, chapter)
	}
	s.Memory.Planned = planned
}

// inPortion shortens what an update may request to the portion of its plan, or to one that it chooses itself. It gets
// what would be done about each chapter now. A contract that is nil names all of them.
func (s Scope) inPortion(contract map[string]*int64, chapters []conversion.ChapterStatus) map[string]*int64 {
	if s.CharactersPerApply == nil {
		return contract
	}
	shares := s.Memory.Portion
	if shares == nil {
		shares, _ = s.portion(s.plannedWithin(contract, chapters))
	}
	allowed := map[string]*int64{}
	for _, chapter := range chapters {
		id := chapter.Desired.ChapterID
		_, isNamed := contract[id]
		share, isIn := shares[id]
		switch {
		case contract != nil && !isNamed:
		case isIn: // It is no more than the contract allows.
			allowed[id] = &share
		case !doesSomething(chapter):
			allowed[id] = new(int64)
		}
	}
	return allowed
}

// plannedWithin is what an apply would do about the chapters that its contract names, with what that allows.
func (s Scope) plannedWithin(contract map[string]*int64, chapters []conversion.ChapterStatus) (planned []PlannedChapter) {
	for _, chapter := range chapters {
		most, isNamed := contract[chapter.Desired.ChapterID]
		if !doesSomething(chapter) || contract != nil && !isNamed {
			continue
		}
		one := s.planned("", chapter)
		if most != nil {
			one.Characters = most
		}
		planned = append(planned, one)
	}
	return planned
}

// doesSomething reports whether an apply would request a conversion of the chapter, or wait for one.
func doesSomething(chapter conversion.ChapterStatus) bool {
	return chapter.Verdict.Action == conversion.Requests || chapter.Verdict.Action == conversion.Waits
}

// isLater reports whether a chapter was left only because it is in no portion yet: the contract allows it.
func (r Result) isLater(end chapterResult) bool {
	most, isNamed := r.contract[end.Desired.ChapterID]
	characters := end.Verdict.Characters
	isWithin := most == nil || characters != nil && *characters <= *most
	return r.CharactersPerApply != nil && (r.contract == nil || isNamed && isWithin)
}

// leftToLater says how many chapters are left to later applies, and what they cost; empty if none is.
func (s Scope) leftToLater(chapters []PlannedChapter) string {
	if len(chapters) == 0 {
		return ""
	}
	says := "Left to later applies: " + say.CountOf(len(chapters), "chapter") + ", "
	characters, counted := totalOf(chapters)
	if counted {
		says += say.CountOf(characters, "character") + "."
	} else {
		says += "not all of them counted."
	}
	if s.exceedsPortion(chapters[0]) {
		says += " The next of them may cost more than an apply may request, and then the plan fails: " + chapters[0].Name + "."
	}
	return says
}

// isStuck reports whether a plan does nothing, because the next chapter in the project's order is in no portion.
func (s Scope) isStuck() bool {
	return len(s.Memory.Planned) == 0 && len(s.later) > 0
}

// refuseStuck is the error of such a plan. One that an apply makes once more fails as well: nobody can tell it from
// another one.
func (s Scope) refuseStuck(diags *diag.Diagnostics) {
	next := s.later[:1]
	says, do := " may cost more than `characters_per_apply`, which is "+say.Number(*s.CharactersPerApply)+".", "Raise"
	if next[0].Characters == nil {
		says, do = " is not counted by the service, so it fits into no `characters_per_apply`.", "Remove"
	}
	diags.AddAttributeError(path.Root("characters_per_apply"), "The next chapter does not fit",
		"In "+say.Project(s.ProjectID)+", the next chapter to convert"+says+
			" While that is so, no apply converts it, or a chapter after it:"+costLines(next)+
			"\n\n"+do+" `characters_per_apply`, or leave the chapter out with `exclude_chapter_ids` or `chapter_ids`.\n\n"+say.IfDestroying)
}
