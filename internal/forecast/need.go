package forecast

import (
	"strings"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// What an apply does is judged here, once. A refresh notes the need of each chapter ([Scope.needOf]). A plan goes by these notes, or looks
// again, as conversion_update.go of the provider says; it counts and shows the needs, and saves whether the apply converts
// ([ResourceMemory.Converts]). The update obeys that.

// needOf is what an apply does about a chapter, by what the chapter shows and what the resource remembers of it.
func (s Scope) needOf(chapter conversion.ChapterStatus, kept conversion.Memory) need {
	if !s.wantsAnything(chapter, kept) {
		return needsNothing
	}
	step, isPending := chapter.Decision.Step, kept.Pending != nil
	hasOtherText := step == conversion.Done && !isPending // The conversion has ended, and this text was written since.
	hasFailed := kept.Pending.Failed() && step != conversion.Done && step != conversion.Join
	switch {
	case hasOtherText, hasFailed, chapter.Requests():
		return needsConversion
	case step == conversion.Done:
		return needsWait
	default:
		return needsWaitFirst
	}
}

// wantsAnything reports whether the apply does anything about a chapter. For a single chapter that is in the state it does nothing while somebody
// else converts it, and nothing if nobody counts it.
func (s Scope) wantsAnything(chapter conversion.ChapterStatus, kept conversion.Memory) bool {
	left, _ := chapter.Chapter.Statistics.Unconverted()
	isKnown, followsText := s.Template.Known, s.Template.UpToDate
	mustEnd := kept.Pending != nil || followsText && left > kept.KnownRemainder
	wantsNoMore := s.SingleChapter && (followsText || s.OnlyResumes)
	switch {
	case isKnown && mustEnd:
		return true
	case isKnown && wantsNoMore:
		return false
	default:
		return chapter.Decision.Step != conversion.Done
	}
}

func unreadable(chapterID string, err *conversion.UnreadableError) PlannedChapter {
	return PlannedChapter{ChapterID: chapterID, Name: say.Identified(err.Chapter), Need: isUnreadable, Unread: err.Error()}
}

// unreadIn are the chapters that cannot be read.
func unreadIn(all []PlannedChapter) (unread []PlannedChapter) {
	for _, chapter := range all {
		if chapter.Need == isUnreadable {
			unread = append(unread, chapter)
		}
	}
	return unread
}

// planned is a chapter with what it needs, in words. It has the id, which is what one must type to leave the chapter out, or to import it.
func (s Scope) planned(chapter conversion.ChapterStatus, kept conversion.Memory, need need) PlannedChapter {
	desired := chapter.Desired
	desired.Memory = kept
	planned := PlannedChapter{ChapterID: desired.ChapterID, Name: say.Identified(chapter.Chapter), Need: need}
	left, counted := chapter.Chapter.Statistics.Unconverted()
	hasOtherText := chapter.Decision.Step == conversion.Done && kept.Pending == nil
	isFirst := need == needsConversion && chapter.Pending == nil
	isAdoptable := s.Adoptable && counted && left == 0
	isRetriggered := s.Template.Known && !s.Template.UpToDate
	says := inPlan(chapter)
	switch {
	case hasOtherText:
	case isFirst && isAdoptable:
		planned.Why = "The chapter has no unconverted text, and applying converts it again, unless the resource replaces one with a pending conversion. To avoid the cost, adopt it with `keep_up_to_date = true`, or import it."
	case isFirst && isRetriggered:
		planned.Why = "The `triggers` changed, so applying converts the chapter again, which costs at most:"
	case need == needsWaitFirst:
		planned.Why = strings.TrimSuffix(says, ".") + ", which costs at most:"
	default:
		planned.Why = says
	}
	switch {
	case need == needsConversion:
		planned.Characters = desired.Characters(chapter.Chapter)
	case need.costs():
		planned.Characters = desired.MostCharacters(chapter.Chapter, chapter.Pending)
	}
	if planned.Why == "" {
		planned.Cause = causeOf(chapter)
	}
	return planned
}

// leftPlanned is what a chapter needs that an apply has not brought to an end, for a plan that does not refresh.
func (r Result) leftPlanned(end ending) PlannedChapter {
	desired := r.Template
	desired.KnownRemainder = end.KnownRemainder
	need, most := needsConversion, desired.Characters(end.Chapter)
	if end.Pending != nil && !end.Pending.Failed() {
		need, most = needsWaitFirst, desired.MostCharacters(end.Chapter, end.Pending)
	}
	return PlannedChapter{ChapterID: end.Desired.ChapterID, Name: end.name, Need: need, Characters: most}
}

// causeOf tells why a conversion is predicted to be requested; empty if nothing that the service shows tells it. Configurations compare
// with these texts.
func causeOf(predicted conversion.ChapterStatus) string {
	chapter, desired := predicted.Chapter, predicted.Desired
	date, after := chapter.LastConversionDateUnix, desired.ConvertedAfter
	left, counted := chapter.Statistics.Unconverted()
	converted := audioprojects.Integer(0)
	counts := chapter.Statistics
	if counts != nil && counts.CharactersConverted != nil {
		converted = *counts.CharactersConverted
	}
	failure := chapter.LastConversionError
	switch {
	case desired.Pending.Failed(), left > desired.KnownRemainder && failure != nil && failure.Line() != "":
		return "failed before"
	case date == nil && counted && converted <= 0:
		return "never converted"
	case after != nil && date != nil && int64(*date) < *after:
		return "converted before the time"
	case left > 0:
		return "edited"
	default:
		return ""
	}
}
