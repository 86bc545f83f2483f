package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// update is what the update of a resource does.
type update int

const (
	changesArguments update = iota // and asks the service nothing
	isRefused                      // The plan fails, because the project lacks chapters.
	goesByNotes                    // It converts what the latest refresh has noted.
	looksAgain                     // It converts what a look finds, because the notes are about another desired state.
)

func (u update) converts() bool { return u == goesByNotes || u == looksAgain }

// updateOf is what the update does. It follows from the arguments, the state and the notes alone, and from no look: Terraform plans once more
// in the apply, and both plans must agree.
func (m *conversionModel) updateOf(s forecast.Scope, before *conversionModel, dropsTriggers bool) update {
	isPending := len(s.Memory.Pending()) > 0
	stopsFollowing := m.isOfChapter() && before.KeepUpToDate.ValueBool() && !m.mayFollow()
	switch {
	case m.wantsMore(before), dropsTriggers, stopsFollowing && isPending: // The notes are about what is not wanted any more.
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

// wantsMore reports whether the arguments want something of the chapters that those in the state do not, or may do so:
// of a single chapter that its audio follows the text from now on; of a book other chapters, or some of its chapters
// are not in the state; of both, conversions for other triggers.
func (m *conversionModel) wantsMore(before *conversionModel) bool {
	if m.isOfChapter() {
		return m.retriggered(before) || m.mayFollow() && !before.KeepUpToDate.ValueBool()
	}
	lacksChapters := int64(len(before.ChapterIDs.Elements())) > before.ChapterCount.ValueInt64()
	return !m.sameChapters(before) || m.retriggered(before) || lacksChapters
}

// keepTriggers is what an update keeps of the conversions that are left for changed triggers. It drops those of
// chapters that leave the resource, and all if there are no triggers any more. An update that cannot list the chapters
// drops nothing, so that a plan saves it all.
func (m *conversionModel) keepTriggers(memory forecast.ResourceMemory) (kept forecast.ResourceMemory, dropped int) {
	has := m.has()
	kept = memory.WithoutTriggers(func(chapterID string) bool { return m.Triggers.IsNull() || !has(chapterID) })
	return kept, memory.LeftForTriggers() - kept.LeftForTriggers()
}

// warnOfTriggers says how many conversions for changed triggers an update drops, or that the first triggers convert
// nothing, or nothing of what is new.
func (m *conversionModel) warnOfTriggers(dropped int, before *conversionModel, diags *diag.Diagnostics) {
	if dropped > 0 {
		diags.AddAttributeWarning(triggersPath, "Changed triggers are dropped",
			"Still to be made for changed `triggers`: "+say.CountOf(dropped, "conversion")+". This update removes the `triggers`, or the chapters, "+
				"so nothing is converted for them any more:"+say.Dashed([]string{m.label()}))
	}
	switch {
	case before.Triggers.IsNull() && !m.Triggers.IsNull():
		diags.AddAttributeWarning(triggersPath, "First triggers convert nothing",
			"The resource had no `triggers`, so these are only recorded, and nothing is converted for them:"+say.Dashed([]string{m.label()})+
				"\n\nIf what they stand for has changed already, invoke an action once, or change them once more after this apply.")
	case m.retriggered(before) && m.addsTo(before):
		diags.AddAttributeWarning(triggersPath, "Changed triggers, and other chapters",
			"Of chapters that the resource did not have before, only unconverted text is converted, and nothing for the `triggers`:"+say.Dashed([]string{m.label()})+
				"\n\nTo convert them for the `triggers` as well, change these once more after this apply.")
	}
}

// addsTo reports whether the arguments name chapters that the resource in the state does not have.
func (m *conversionModel) addsTo(before *conversionModel) bool {
	had, has := before.has(), m.has()
	if !m.ChapterIDs.IsNull() {
		return slices.ContainsFunc(m.ChapterIDs.known(), func(id string) bool { return !had(id) })
	}
	return !before.ChapterIDs.IsNull() || slices.ContainsFunc(before.ExcludeChapterIDs.known(), has)
}

var triggersPath = path.Root("triggers")

// mayFollow reports whether the audio follows the text, or may do so.
func (m *conversionModel) mayFollow() bool {
	return m.KeepUpToDate.ValueBool() || m.KeepUpToDate.IsUnknown()
}
