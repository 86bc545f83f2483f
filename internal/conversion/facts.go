package conversion

import (
	"strings"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// fact is what one look at a chapter shows, or does not show, for one desired state.
type fact int

// The facts. factTexts has what each means, and the package's README shows that.
const (
	pending fact = iota
	failedBefore
	unconfirmed
	refused
	refusedAsBusy
	startedHere
	fromOtherResource
	joined
	joinedForText
	newTriggers
	tooEarly
	wasUnconverted
	neverConverted
	endShows

	named
	busy
	seenBusy
	dateMoved
	convertedText
	proof
	textRemoved
	textLeft
	noneConverted
	newError
	errorShown
	saysFailed
	failureSeen
	convertedSince

	isNew
	followsText
	textConverted
	satisfied
	wantsText
	mayBeEdited
	outdated
	dateUnusable
	notNewEnough

	factCount
)

// factTexts are the name of each fact, as rules and logs print it, and what it means.
var factTexts = [factCount]struct{ name, means string }{
	pending:           {"pending", "a conversion was requested or joined, and has no known end"},
	failedBefore:      {"failedBefore", "an earlier apply or a refresh has told that it failed"},
	unconfirmed:       {"unconfirmed", "the answer to our request was lost or an error, or a whole timeout has shown nothing; and there is no sign of it"},
	refused:           {"refused", "the service refused our request"},
	refusedAsBusy:     {"refusedAsBusy", "it refused it with 400 or 409, which may mean that the chapter is busy"},
	startedHere:       {"startedHere", "this process requested or joined it"},
	fromOtherResource: {"fromOtherResource", "another resource has left it: it is not of this one's memory, and this one does not replace that one"},
	joined:            {"joined", "somebody else requested it"},
	joinedForText:     {"joinedForText", "joined for the sake of text, and not for triggers"},
	newTriggers:       {"newTriggers", "it was for other triggers than the resource has now"},
	tooEarly:          {"tooEarly", "we requested it before `converted_after`"},
	wasUnconverted:    {"wasUnconverted", "text was unconverted before the request, beside the remainder"},
	neverConverted:    {"neverConverted", "before the request, the chapter was not counted, and had no date"},
	endShows:          {"endShows", "wasUnconverted, neverConverted, or the chapter was outdated before the request: nothing can end well and not show"},

	named:          {"named", "the state is converting, in_queue or creating"},
	busy:           {"busy", "the state is none of those in which a chapter rests: no state, `default`, one that says that it failed, the one before the request"},
	seenBusy:       {"seenBusy", "a list has shown the chapter busy since the request"},
	dateMoved:      {"dateMoved", "the date of the last conversion is newer than before the request"},
	convertedText:  {"convertedText", "more text is converted than before the request, or none of the text that was unconverted is unconverted now"},
	proof:          {"proof", "convertedText; or a date that is newer than when the chapter was last seen busy, and not noneConverted"},
	textRemoved:    {"textRemoved", "the chapter is shorter than before the request, and no more of it is counted as converted: somebody has edited it, or the list is older than an edit"},
	textLeft:       {"textLeft", "text is unconverted, of whatever kind"},
	noneConverted:  {"noneConverted", "text is unconverted, and none of the chapter is converted"},
	newError:       {"newError", "there is an error message that reads differently from the one before the request, or that one was seen gone"},
	errorShown:     {"errorShown", "there is an error message, or a state that says that it failed, perhaps of an older conversion"},
	saysFailed:     {"saysFailed", "the state says that it failed, and did not before the request; or a list has shown the chapter busy since"},
	failureSeen:    {"failureSeen", "a list has shown newError or saysFailed since the request. Where no text was unconverted, that is forgotten when the chapter is busy again without them"},
	convertedSince: {"convertedSince", "convertedText, or the date is newer than the failure that was told"},

	isNew:         {"isNew", "no apply or refresh has seen the chapter for this resource"},
	followsText:   {"followsText", "the resource wants all text converted, and no more: a project conversion, or `keep_up_to_date`"},
	textConverted: {"textConverted", "no text is unconverted beside the remainder, and not outdated. A chapter without counts is not converted, except in a project conversion, where a date suffices. Beside an error, a date proves nothing if the conversion has failed, or the chapter is new to the resource, or the `converted_after` is; and that stays so until the date is newer"},
	satisfied:     {"satisfied", "followsText and textConverted"},
	wantsText:     {"wantsText", "followsText, or isNew, or the conversion was not fromOtherResource: text that is unconverted now is wanted"},
	mayBeEdited:   {"mayBeEdited", "followsText, and the chapter was settled before, for this resource or for another one of this process"},
	outdated:      {"outdated", "the date of the last conversion is before `converted_after`"},
	dateUnusable:  {"dateUnusable", "with `converted_after`: the chapter is converted and has no date, its date is more than five minutes ahead of this machine's clock, or the wanted time is in the future"},
	notNewEnough:  {"notNewEnough", "with `converted_after`: no date shows that the chapter was converted after it"},
}

func (f fact) String() string { return factTexts[f].name }

// facts is a set of facts.
type facts uint64

func (s facts) has(f fact) bool { return s&(1<<f) != 0 }

func (s *facts) set(f fact, is bool) {
	if is {
		*s |= 1 << f
	}
}

// String names what is true.
func (s facts) String() string {
	var names []string
	for f := range factCount {
		if s.has(f) {
			names = append(names, f.String())
		}
	}
	return strings.Join(names, " ")
}

// factsOf is what a look shows. The remainder is what the service is known to leave: that of the desired state, and after an end
// that of the conversion.
func (e evidence) factsOf(look observation, remainder Remainder) (s facts) {
	p, chapter, desired := look.pending, look.chapter, e.desired
	desired.Remainder = remainder
	s.set(isNew, !desired.Known)
	s.set(followsText, desired.UpToDate)
	s.set(textConverted, desired.isConverted(chapter, p))
	s.set(satisfied, s.has(followsText) && s.has(textConverted))
	s.set(mayBeEdited, desired.UpToDate && (desired.Known || e.afterOther))
	s.set(outdated, desired.isOutdated(chapter))
	s.set(dateUnusable, desired.cannotUseDate(chapter, look.askedAt))
	s.set(notNewEnough, desired.ConvertedAfter != nil && !desired.isNewEnough(chapter, look.askedAt))
	s.set(named, chapter.Busy())
	s.set(textLeft, unconverted(chapter) > 0)
	s.set(noneConverted, chapter.Statistics.NoneConverted())
	s.set(errorShown, problemOf(chapter).Comparable() != "")
	if p == nil {
		s.set(busy, chapter.Busy())
		return s
	}
	before := audioprojects.Chapter{LastConversionDateUnix: p.Baseline.Date}
	s.set(pending, true)
	s.set(failedBefore, p.Failed() && !p.startedHere)
	s.set(unconfirmed, p.isUnconfirmed())
	s.set(refused, p.refused())
	s.set(refusedAsBusy, p.refused() && audioprojects.MayMeanBusy(p.answer))
	s.set(startedHere, p.startedHere)
	s.set(fromOtherResource, p.fromOtherResource)
	s.set(joined, p.Joined())
	s.set(wantsText, desired.UpToDate || !desired.Known || !p.fromOtherResource)
	s.set(newTriggers, desired.newTriggers(&p.ResumeToken))
	s.set(joinedForText, p.Joined() && (p.Triggers == "" || p.ForText && !s.has(newTriggers)))
	s.set(tooEarly, desired.IsTooEarly(&p.ResumeToken))
	s.set(wasUnconverted, p.wasUnconverted(remainder))
	s.set(neverConverted, p.neverConverted())
	s.set(endShows, s.has(wasUnconverted) || s.has(neverConverted) || desired.isOutdated(before))
	s.set(busy, p.busy(chapter))
	s.set(seenBusy, p.Phase == PhaseRunning)
	s.set(dateMoved, p.dateMoved(chapter))
	s.set(convertedText, p.convertedText(chapter, remainder))
	s.set(proof, s.has(convertedText) || p.datedSinceBusy(chapter) && !s.has(noneConverted))
	s.set(textRemoved, p.textRemoved(chapter))
	s.set(newError, p.newError(chapter))
	s.set(saysFailed, p.saysFailed(chapter))
	s.set(failureSeen, p.Failure != nil && (s.has(wasUnconverted) || !p.Retried))
	s.set(convertedSince, s.has(convertedText) || p.Failed() && later(chapter.LastConversionDateUnix, p.BusyDate))
	return s
}
