package conversion

import (
	"errors"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// operation is a conversion that this process follows: its resume token, with what only this process knows. It never changes: what a
// look shows makes a new one.
type operation struct {
	ResumeToken
	// startedHere: this process requested or joined it.
	startedHere bool
	// seenRunning: this session has seen it run.
	seenRunning bool
	// edited: this session has seen the text with another length than at the request.
	edited bool
	// answer is how the service refused our request, or why its answer is not clear.
	answer error
}

// operationOf is the conversion of a resume token; nil if there is none.
func operationOf(token *ResumeToken) *operation {
	if token == nil {
		return nil
	}
	return &operation{ResumeToken: *token}
}

// token is what to keep of it; nil if there is none.
func (p *operation) token() *ResumeToken {
	if p == nil {
		return nil
	}
	return &p.ResumeToken
}

// asJoined makes a request that the service has refused a conversion of somebody else's: if one is seen after that, nobody knows whose it is.
func (p *operation) asJoined() { p.Origin, p.Answer, p.RequestedAtUnix, p.Triggers = Joined, "", 0, "" }

// refused reports whether the service refused our request for it.
func (p *operation) refused() bool { return errors.Is(p.answer, audioprojects.Rejected) }

// observed is the conversion with what the chapter, in a list after the request, shows of it.
func (p *operation) observed(chapter audioprojects.Chapter) *operation {
	if p.Failed() {
		return p
	}
	next, busy := *p, p.busy(chapter)
	next.edited = p.edited || p.textLengthChanged(chapter)
	hasFailed := p.newError(chapter) || p.saysFailed(chapter)
	triesAgain := busy && !hasFailed && p.Failure != nil && !p.Retried
	startsInItsOwnWord := busy && (p.Phase != PhaseRunning || triesAgain) // A date that moves before, or with the word, is not that of the end.
	if chapter.Busy() || startsInItsOwnWord {
		next.BusyDate = chapter.LastConversionDateUnix
	}
	switch {
	case hasFailed:
		next.Failure, next.Retried = new(problemOf(chapter)), false
	case triesAgain:
		next.Retried = true
	}
	mayBeConfirmed := p.Phase == PhaseUnconfirmed && !p.refused() // A sign beside a refused request is of something else.
	switch {
	case busy:
		next.Phase, next.seenRunning = PhaseRunning, true
	case mayBeConfirmed && p.hasSign(chapter):
		next.Phase = PhaseAccepted
	}
	if compared(chapter.LastConversionError.Value) == "" {
		// The old error is gone, so the next error is of this conversion even if it has the same text.
		next.Baseline.Error = nil
	}
	return &next
}

// mayRun reports whether the conversion may be under way, as far as the chapter shows: it is busy, or this process waits for a sign of it.
// A request that was refused, or of an earlier apply and without an answer, is not taken for one that runs.
func (p *operation) mayRun(chapter audioprojects.Chapter) bool {
	isWaitedFor := p.Phase == PhaseAccepted || p.Phase == PhaseUnconfirmed && p.startedHere && !p.refused()
	return p.busy(chapter) || isWaitedFor && !p.hasSign(chapter)
}
