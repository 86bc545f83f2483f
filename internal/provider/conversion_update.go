package provider

import "github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"

// update is what the update of a resource does.
type update int

const (
	changesArguments update = iota // and asks the service nothing
	isRefused                      // The plan fails, because the project lacks chapters, or timestamps do not count.
	goesByNotes                    // It converts what the latest refresh has noted.
	looksAgain                     // It converts what a look finds, because the notes are about another desired state.
)

func (u update) converts() bool { return u == goesByNotes || u == looksAgain }

// updateOf is what the update does. It follows from the arguments, the state and the notes alone, and from no look: Terraform plans once more
// in the apply, and both plans must agree.
func (m *conversionModel) updateOf(s forecast.Scope, before *conversionModel) update {
	isPending := len(s.Memory.Pending()) > 0
	stopsFollowing := m.isOfChapter() && before.KeepUpToDate.ValueBool() && !m.mayFollow()
	switch {
	case m.wantsMore(before), stopsFollowing && isPending: // The notes are about text that is not wanted any more.
		return looksAgain
	case !m.isOfChapter() && s.Memory.NotSeen: // There are no notes. A chapter that is only recorded wants none.
		return looksAgain
	case s.Refuses():
		return isRefused
	case stopsFollowing:
		return changesArguments
	case len(s.Memory.Planned) > 0:
		return goesByNotes
	default:
		return changesArguments
	}
}

// wantsMore reports whether the arguments want something of the chapters that those in the state do not, or may do so: of a single
// chapter another conversion for other triggers, or that its audio follows the text from now on; of a book other chapters or another time,
// or some of its chapters are not in the state.
func (m *conversionModel) wantsMore(before *conversionModel) bool {
	if m.isOfChapter() {
		return m.retriggered(before) || m.mayFollow() && !before.KeepUpToDate.ValueBool()
	}
	lacksChapters := int64(len(before.ChapterIDs.Elements())) > before.ChapterCount.ValueInt64()
	return !m.sameChapters(before) || !m.ConvertedAfter.Equal(before.ConvertedAfter) || lacksChapters
}

// mayFollow reports whether the audio follows the text, or may do so.
func (m *conversionModel) mayFollow() bool {
	return m.KeepUpToDate.ValueBool() || m.KeepUpToDate.IsUnknown()
}
