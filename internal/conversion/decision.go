package conversion

import (
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Step is what to do next.
type Step string

// The steps, and the ends that they lead to.
const (
	Look    Step = "look"    // at the chapter, at once
	Join    Step = "join"    // wait for a conversion that somebody else requested
	Request Step = "request" // request a conversion
	Wait    Step = "wait"    // wait for the next look
	Done    Step = "done"    // end: the desired state is reached
	Failed  Step = "failed"  // end: the conversion failed, or ended without converting
	Unknown Step = "unknown" // end: nobody knows whether the service received the request
)

func (s Step) isEnd() bool { return s == Done || s == Failed || s == Unknown }

// Reason says why, where a step can have several reasons.
type Reason string

// The reasons. Each ends with the steps that it explains. For a [Request] the reason is how the conversion before it ended.
const (
	NoReason        Reason = ""
	NothingLeft     Reason = "nothing left"      // no text is unconverted, and the desired state asks for no more. Done.
	NoSign          Reason = "no sign"           // accepted, but nothing shows that it runs or has ended. Done, with a warning.
	Remainder       Reason = "remainder"         // two conversions in a row left the same amount: the service does not convert that. Done.
	Converting      Reason = "converting"        // the chapter is busy. Wait.
	NotShown        Reason = "not shown"         // accepted, but not shown yet. Wait.
	Confirming      Reason = "confirming"        // a second look must lead to the same conclusion. Wait.
	Watching        Reason = "watching"          // the chapter may still change until the window closes. Wait.
	Error           Reason = "error"             // the chapter shows an error of this conversion. Failed; or Request, if it failed before this apply.
	OldError        Reason = "old error"         // nothing was converted, and the error of before stands there. Failed, or Request as above.
	Nothing         Reason = "nothing converted" // the conversion ran, and converted nothing. Failed, or Request as above.
	Refused         Reason = "refused"           // the service refused the request, and the chapter shows no conversion. Failed.
	NoSignBefore    Reason = "no sign before"    // an earlier apply's conversion shows no sign. Request.
	UnconvertedText Reason = "unconverted text"  // text is unconverted that the conversion was not about: somebody else's, say. Request.
	NewTriggers     Reason = "new triggers"      // the conversion was for other triggers. Request.
	Outdated        Reason = "outdated"          // its date is before [Desired.ConvertedAfter], and it was not requested for that. Request.
)

// endedWell reports whether a request follows a conversion that has ended well.
func (r Reason) endedWell() bool { return r == UnconvertedText || r == NewTriggers || r == Outdated }

// Decision is the result of [decide].
type Decision struct {
	Step   Step
	Reason Reason
	// Until is for [Wait]: a look at that time can end the wait even if the chapter has not changed. Zero: only a change can.
	Until time.Time
	// Words are the service's message about a failure.
	Words audioprojects.Text
	// KnownRemainder is how much text the conversion left unconverted, if it is known to have processed the rest; otherwise 0.
	KnownRemainder int64
	// SuspectedRemainder is how much text a conversion left that has moved the date and is not known to have converted anything. If the
	// next conversion leaves the same, that is a [Remainder]. Nil for other conversions.
	SuspectedRemainder *int64
}

// conclusion is what one look leads to, if others lead to the same for as long as the confirmation says.
type conclusion struct {
	Decision
	confirmation confirmation
}

func conclude(step Step, reason Reason, needed confirmation) conclusion {
	return conclusion{Decision{Step: step, Reason: reason}, needed}
}

func (c conclusion) leaving(chapter audioprojects.Chapter) conclusion {
	c.KnownRemainder, _ = chapter.Statistics.Unconverted()
	return c
}

// is reports whether two looks lead to the same claim.
func (c conclusion) is(other conclusion) bool {
	return c.Step == other.Step && c.Words.Comparable() == other.Words.Comparable()
}

// facts are what one look shows of a pending conversion.
type facts struct {
	busy                  bool // the state says that it runs
	unnamedState          bool // the state is a word that the document does not have, and that may say so
	progressMoves         bool // its progress has moved, and is under its end
	progressAtEnd         bool // its progress has moved, to its end
	unconverted           bool // text is unconverted, beyond what the service is known to leave
	nothingWasUnconverted bool // no text was unconverted before the request: the counts cannot show the conversion's work
	convertedText         bool // text has been converted since the request
	dateMoved             bool // the date of the last conversion has moved
	dateMovedSinceBusy    bool // it has moved since the chapter was busy: it is that of the end, and not of the request or the start
	failedBefore          bool // an earlier apply has told of its failure
	newError              bool // there is an error of this conversion, or was, and nothing has run or been finished since
	saysFailed            bool // the state says that it has failed, and has changed since the request
	errorShown            bool // there is an error, or a state that says so, perhaps of an older conversion
	wasBusy               bool // it was seen busy, or is dated
	ended                 bool // work, an error or a date shows that it has ended, whatever word the state is
	sign                  bool // it shows that the service has received the request
	refused               bool // the service refused the request
	writtenSince          bool // it has ended well for another session, and more text is unconverted now than it left
	remains               bool // it left the same amount as the conversion before it
}

func (e evidence) factsOf(look observation) facts {
	p, chapter, known := look.pending, look.chapter, e.desired.KnownRemainder
	left, _ := chapter.Statistics.Unconverted()
	before, counted := p.Baseline.Statistics.Unconverted()
	f := facts{
		busy:                  chapter.Busy(),
		unnamedState:          p.undocumented(chapter),
		progressMoves:         p.Progresses(chapter),
		progressAtEnd:         p.moved(chapter.ConversionProgress) && value(chapter.ConversionProgress) >= p.endOfProgress(),
		unconverted:           hasUnconverted(chapter, known),
		nothingWasUnconverted: counted && before <= known,
		convertedText:         p.convertedText(chapter, known),
		dateMoved:             p.dateMoved(chapter),
		dateMovedSinceBusy:    p.dateMoved(chapter) && p.dateMovedSinceBusy(chapter.LastConversionDateUnix),
		failedBefore:          p.failedBefore(),
		sign:                  p.signIn(chapter),
		refused:               p.Phase == PhaseRefused,
		saysFailed:            chapter.SaysFailed() && (p.wasBusy() || compared(chapter.State) != compared(p.Baseline.State)),
		errorShown:            chapter.SaysFailed() || compared(chapter.LastConversionError) != "",
	}
	f.newError = p.failed(chapter) || p.Failed()
	f.wasBusy = p.wasBusy() || f.dateMoved
	f.ended = f.convertedText || f.newError || f.dateMovedSinceBusy || f.dateMoved && !f.unconverted
	f.writtenSince = e.requestedForAnother && e.remainder != nil && f.unconverted && hasUnconverted(chapter, *e.remainder)
	f.remains = f.dateMoved && p.PreviousRemainder != nil && *p.PreviousRemainder == left
	return f
}
