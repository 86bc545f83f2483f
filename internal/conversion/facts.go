package conversion

import (
	"reflect"
	"strings"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// evidence is what is known of a chapter: what is wanted, and what looks have shown since the conversion was requested, or since
// this session began to wait for it.
type evidence struct {
	desired Desired
	seen    []observation // oldest first
	// mayRequest: this session may request a conversion. A plan may not: it does not confirm an edit, and takes a list from before it began.
	mayRequest bool
	// began is when the session did.
	began time.Time
	// withoutPending: decide as if nothing were pending.
	withoutPending bool
	// requestedForAnother: the pending conversion was requested for another desired state, and before this session began. remainder is how
	// much text it has left unconverted, if another session has seen it end well; else nil.
	requestedForAnother bool
	remainder           *int64
}

// observation is a chapter as one list showed it.
type observation struct {
	requestedAt time.Time // when that list was requested
	chapter     audioprojects.Chapter
	pending     *operation // with what the looks until this one have shown; nil if nothing is pending
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
	errorAlone            bool // an error is shown, and nothing else: the counts cannot show work, and a date that was there has not moved
	wasBusy               bool // its state was seen busy, which progress alone does not show, or its date has moved
	ended                 bool // work, an error or a date shows that it has ended, whatever word the state is
	sign                  bool // it shows that the service has received the request: another state, date or progress, converted text, a new error, or the old one gone
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
	nothingConverted, notDated := f.nothingWasUnconverted && !f.convertedText, p.Baseline.Date != nil && !f.dateMoved
	f.errorAlone = f.errorShown && nothingConverted && notDated
	f.newError = p.failed(chapter) || p.Failed()
	f.wasBusy = p.wasBusy() || f.dateMoved
	f.ended = f.convertedText || f.newError || f.dateMovedSinceBusy || f.dateMoved && !f.unconverted
	f.writtenSince = e.requestedForAnother && e.remainder != nil && f.unconverted && hasUnconverted(chapter, *e.remainder)
	f.remains = f.dateMoved && p.PreviousRemainder != nil && *p.PreviousRemainder == left
	return f
}

// String names what is true.
func (f facts) String() string {
	var names []string
	for field, is := range reflect.ValueOf(f).Fields() {
		if is.Bool() {
			names = append(names, field.Name)
		}
	}
	return strings.Join(names, " ")
}
