package conversion

import "strings"

// fact is what one look at a chapter shows, or does not show, for one desired state.
type fact int

// The facts. factTexts has what each means, and the package's README shows that.
const (
	pending fact = iota
	failedBefore
	unconfirmed
	refused
	startedHere
	joined
	newTriggers
	wasUnconverted
	neverConverted
	hadDate

	documentedBusy
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
	failureShown
	convertedBefore

	forTriggers
	wantsNothing
	followsText
	textConverted
	satisfied

	factCount
)

// factTexts are the name of each fact, as rules and logs print it, and what it means.
var factTexts = [factCount]struct{ name, means string }{
	pending:        {"pending", "a conversion was requested or joined, and has no known end"},
	failedBefore:   {"failedBefore", "an earlier apply or a refresh has told that it failed"},
	unconfirmed:    {"unconfirmed", "the answer to our request was lost or an error, or a whole timeout has shown nothing; and there is no sign of it"},
	refused:        {"refused", "the service refused our request"},
	startedHere:    {"startedHere", "this process requested or joined it"},
	joined:         {"joined", "somebody else requested it"},
	newTriggers:    {"newTriggers", "changed triggers want a conversion of our own, and it was joined, or is for other triggers"},
	wasUnconverted: {"wasUnconverted", "text was unconverted before the request, beside the remainder"},
	neverConverted: {"neverConverted", "before the request, the chapter was not counted, and had no date"},
	hadDate:        {"hadDate", "before the request, the chapter had a date, so that a newer one would show an end"},

	documentedBusy:  {"documentedBusy", "the state is converting, in_queue or creating"},
	busy:            {"busy", "the state is none of those in which a chapter rests: no state, `default`, one that says that it failed, the one before the request"},
	seenBusy:        {"seenBusy", "a list has shown the chapter busy since the request"},
	dateMoved:       {"dateMoved", "the date of the last conversion is newer than before the request"},
	convertedText:   {"convertedText", "more text is converted than before the request, or none of the text that was unconverted is unconverted now"},
	proof:           {"proof", "convertedText; or a date that is newer than when the chapter was last seen busy, and not noneConverted"},
	textRemoved:     {"textRemoved", "the chapter is shorter than before the request, and no more of it is counted as converted: somebody has edited it, or the list is older than an edit"},
	textLeft:        {"textLeft", "text is unconverted, of whatever kind"},
	noneConverted:   {"noneConverted", "text is unconverted, and none of the chapter is converted"},
	newError:        {"newError", "there is an error message that reads differently from the one before the request, or that one was seen gone"},
	errorShown:      {"errorShown", "there is an error message, or a state that says that it failed, perhaps of an older conversion"},
	failureShown:    {"failureShown", "not convertedText, and the state says that it failed, and did not before the request; or a list since the request has shown that, or newError. Where no text was unconverted, that is forgotten when the chapter is busy again without them"},
	convertedBefore: {"convertedBefore", "some of the chapter is converted, or it has a date, or another session of this process has ended for it"},

	forTriggers:   {"forTriggers", "changed triggers want a conversion of our own beside the wish, and none for them has ended"},
	wantsNothing:  {"wantsNothing", "nothing is wanted but the end of what is pending: a chapter conversion in the state without `keep_up_to_date`; not while the conversion of its creation is pending, which is wanted again if it comes to nothing"},
	followsText:   {"followsText", "text is wanted: none of it unconverted, and no more. A project conversion, and `keep_up_to_date`"},
	textConverted: {"textConverted", "no text is unconverted beside the remainder. A chapter without counts is converted if it has a date; not if that may be the date of a failure: the conversion has failed, or an error stands there and the chapter is new to the resource"},
	satisfied:     {"satisfied", "wantsNothing, or followsText and textConverted and not forTriggers"},
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
	s.set(forTriggers, desired.Memory.ForTriggers)
	s.set(wantsNothing, desired.Wish == WantsNothing && !desired.Memory.ForTriggers && (p == nil || !p.ForCreation))
	s.set(followsText, desired.Wish == WantsText)
	s.set(textConverted, desired.isConverted(chapter, p, remainder))
	s.set(satisfied, s.has(wantsNothing) || s.has(followsText) && s.has(textConverted) && !s.has(forTriggers))
	s.set(documentedBusy, chapter.Busy())
	s.set(textLeft, unconverted(chapter) > 0)
	s.set(noneConverted, chapter.Statistics.NoneConverted())
	s.set(errorShown, problemOf(chapter).Comparable() != "")
	s.set(convertedBefore, e.afterOther || chapter.LastConversionDateUnix != nil || chapter.Statistics.Length() > unconverted(chapter))
	if p == nil {
		s.set(busy, chapter.Busy())
		return s
	}
	s.set(pending, true)
	s.set(failedBefore, p.Failed() && !p.startedHere)
	s.set(unconfirmed, p.isUnconfirmed())
	s.set(refused, p.refused())
	s.set(startedHere, p.startedHere)
	s.set(joined, p.Joined())
	s.set(newTriggers, desired.wantsOwn(&p.ResumeToken))
	s.set(wasUnconverted, p.wasUnconverted(remainder))
	s.set(neverConverted, p.neverConverted())
	s.set(hadDate, p.Baseline.Date != nil)
	s.set(busy, p.busy(chapter))
	s.set(seenBusy, p.Phase == PhaseRunning)
	s.set(dateMoved, p.dateMoved(chapter))
	s.set(convertedText, p.convertedText(chapter, remainder))
	s.set(proof, s.has(convertedText) || p.datedSinceBusy(chapter) && !s.has(noneConverted))
	s.set(textRemoved, p.textRemoved(chapter))
	s.set(newError, p.newError(chapter))
	wasShown := p.Failure != nil && (s.has(wasUnconverted) || !p.Retried)
	s.set(failureShown, !s.has(convertedText) && (wasShown || p.saysFailed(chapter)))
	return s
}
