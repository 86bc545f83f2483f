package provider

import (
	"github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"
)

// update is what the update of a resource does.
type update int

const (
	changesArguments update = iota // and asks the service nothing
	refusesMissing                 // The plan fails, because the project lacks chapters.
	goesByNotes                    // It converts what the latest refresh has noted.
	looksAgain                     // It converts what a look finds, because the notes are about another desired state.
)

func (u update) converts() bool { return u == goesByNotes || u == looksAgain }

// updateOf is what the update does. It follows from the configuration, the state and the notes alone, and from no look: Terraform plans
// once more in the apply, and both plans must agree. wouldFail: notes of an earlier refresh, which may have changed, would make the plan
// fail.
func (m *conversionModel) updateOf(s forecast.Scope, memory forecast.ResourceMemory, before *conversionModel, wouldFail bool) update {
	switch {
	case m.wantsMore(memory, before), wouldFail && !s.OnlyResumes:
		return looksAgain
	case len(memory.Missing) > 0:
		return refusesMissing
	case len(memory.Planned) > 0 && !s.OnlyResumes:
		return goesByNotes
	default:
		return changesArguments
	}
}

// wantsMore reports whether the resource wants something of its chapters that the one in the state does not, or may do so: of a single
// chapter another conversion for other triggers, or that its audio follows the text from now on, and does not; of a book other chapters or
// another time, or some of its chapters are not in the state.
func (m *conversionModel) wantsMore(memory forecast.ResourceMemory, before *conversionModel) bool {
	if m.isOfChapter() {
		follows := (m.KeepUpToDate.ValueBool() || m.KeepUpToDate.IsUnknown()) && !before.KeepUpToDate.ValueBool()
		return m.retriggered(before) || follows && before.unconverted() > memory.Kept[m.ChapterID.ValueString()].KnownRemainder
	}
	return !m.sameChapters(before) || !m.ConvertedAfter.Equal(before.ConvertedAfter) ||
		int64(len(idsOf(before.ChapterIDs))) > before.ChapterCount.ValueInt64()
}
