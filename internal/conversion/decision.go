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

// The reasons. Each ends with the steps that it explains.
const (
	NoReason         Reason = ""
	NothingLeft      Reason = "nothing left"      // no text is unconverted, and the desired state asks for no more. Done.
	NoSign           Reason = "no sign"           // accepted, but nothing shows that it runs or has ended. Done, with a warning; or Unknown.
	ErrorStays       Reason = "error stays"       // it has ended well as far as is known, and an error message stands there. Done, with a warning.
	Converting       Reason = "converting"        // the chapter is busy. Wait.
	NotShown         Reason = "not shown"         // accepted, but not shown yet. Wait.
	InTurn           Reason = "in turn"           // another resource is about the chapter. Wait.
	Confirming       Reason = "confirming"        // a second look must lead to the same conclusion. Wait.
	Watching         Reason = "watching"          // the chapter may still change until the window closes. Wait.
	Error            Reason = "error"             // the chapter shows an error of this conversion. Failed; or Request, if an earlier apply has told of it.
	Nothing          Reason = "nothing converted" // the conversion ended, and converted nothing. Failed.
	Refused          Reason = "refused"           // the service refused the request, and the chapter shows no conversion. Failed.
	OldError         Reason = "old error"         // accepted, and nothing shows since but the error of before: it may have failed again. Unknown.
	StillUnconfirmed Reason = "still unconfirmed" // an earlier apply's request shows no sign. Request.
	UnconvertedText  Reason = "unconverted text"  // text is unconverted; after an end, text that the conversion was not about. Request.
	NewTriggers      Reason = "new triggers"      // no conversion of our own was for the triggers. Request.
	MoreUnconverted  Reason = "more unconverted"  // a conversion is pending, and more text is unconverted than before it. Only a verdict has it.
	WantedAnew       Reason = "wanted anew"       // a creation or an action wants a conversion, although no text is unconverted. Request.
)

// isFailure reports whether a request or an end follows from a conversion that has failed.
func (r Reason) isFailure() bool { return r == Error || r == Nothing }

// Decision is the result of [decide].
type Decision struct {
	Step   Step
	Reason Reason
	Rules  Rules
	// Until is for [Wait]: a look at that time can end the wait even if the chapter has not changed. Zero: only a change can.
	Until time.Time
	// Next is what follows if looks until then lead to the same. For a [Wait] that has an Until.
	Next Step
	// Words are the service's message about a failure. For [Done], it was shown and is gone; for [OldError] and
	// [ErrorStays], it stands there.
	Words audioprojects.Text
	// Remainder is what the conversions until now have left unconverted, as far as it is known that the service does not
	// convert it. For [Done].
	Remainder Remainder
}

// Rules are the numbers of the rules that have led to a decision, one for each table: "40/210/610". Empty before the first look. Only
// the log has them: who reads a message has no table.
type Rules string

const (
	// SecondLook is the least time between two looks of which the second confirms the first.
	SecondLook = 5 * time.Second
	// Window is how long a chapter may show nothing before that means anything: services start late, and lists lag.
	Window = 30 * time.Second
	// LongestQueue is the same where only a newer date could show an end: some queues are long, and some services
	// convert nothing where no text is unconverted.
	LongestQueue = 5 * time.Minute
)
