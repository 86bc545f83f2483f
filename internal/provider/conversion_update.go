package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"
)

// update is what the update of a resource does.
type update int

const (
	changesArguments update = iota // and asks the service nothing
	isRefused                      // The plan fails, because the project lacks chapters, or timestamps do not count.
	goesByNotes                    // It converts what the latest refresh has noted.
	looksAgain                     // It converts what a look finds, because the notes are about another desired state.
)

func (u update) converts() bool { return u == goesByNotes || u == looksAgain }

// updateOf is what the update does. It follows from the configuration, the state and the notes alone, and from no look: Terraform plans
// once more in the apply, and both plans must agree.
func (m *conversionModel) updateOf(s forecast.Scope, memory forecast.ResourceMemory, before *conversionModel) update {
	switch {
	case m.wantsMore(memory, before):
		return looksAgain
	case memory.Refuses():
		return isRefused
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
		left, _ := before.counts().Unconverted()
		mayFollow := m.KeepUpToDate.ValueBool() || m.KeepUpToDate.IsUnknown()
		beginsToFollow := mayFollow && !before.KeepUpToDate.ValueBool()
		return m.retriggered(before) || beginsToFollow && left > 0 && left != memory.Kept[m.ChapterID.ValueString()].Remainder
	}
	return !m.sameChapters(before) || !m.ConvertedAfter.Equal(before.ConvertedAfter) ||
		int64(len(idsOf(before.ChapterIDs))) > before.ChapterCount.ValueInt64()
}

// counts are the statistics in the state.
func (m *conversionModel) counts() *audioprojects.ChapterStatistics {
	count := func(name string) *audioprojects.Integer {
		known, _ := m.Statistics.Attributes()[name].(types.Int64)
		return (*audioprojects.Integer)(known.ValueInt64Pointer())
	}
	return &audioprojects.ChapterStatistics{CharactersUnconverted: count("characters_unconverted"), ParagraphsUnconverted: count("paragraphs_unconverted")}
}
