package conversion

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Outcome is the result of a desired state, also of one that ended with an error.
type Outcome struct {
	// Chapter is the chapter as last seen; without an id if it was not seen at all.
	Chapter audioprojects.Chapter
	// Memory is for the next desired state.
	Memory Memory
	// Verdict is what the next apply does about the chapter; if nothing has begun, what this one would do.
	Verdict Verdict
	// Decision is the latest. For a desired state that is reached, its reason is [NoReason], [NothingLeft], [NoSign] or [ErrorStays].
	Decision Decision
	// Requested are the conversions that were requested in this run: how many characters each may cost at most; nil if the service does not
	// count them.
	Requested []*int64
	// WaitedFor: a conversion that was under way was waited for, also one of our own.
	WaitedFor bool
	// Answer is what the service said to the latest request that it accepted; it may be empty.
	Answer audioprojects.Text
	// AfterFailure: the service was asked for another conversion, because an earlier one had failed. FailedWords is its
	// message about that one; it may be empty.
	AfterFailure bool
	FailedWords  string
	// TimedOut: [Desired.Timeout] was over.
	TimedOut bool
	// NoNewerDate: a conversion was waited for and has not failed, as far as is known, and the chapter shows no newer date than before it.
	NoNewerDate bool
	// Problem is why the latest look failed; nil if it succeeded.
	Problem error
	// ListedAt is when the latest list came that has shown the chapter; zero before the first.
	ListedAt time.Time
	// Postponed is why the service could not be asked for the conversion yet: it answered 429, say. Nil if it could, or was not asked.
	Postponed error
}

// HasRequested reports whether a conversion was requested in this run.
func (o Outcome) HasRequested() bool { return len(o.Requested) > 0 }

// FailedError means that a conversion ended with an error, or ended without converting anything.
type FailedError struct {
	// Reason is [Error] or [Nothing].
	Reason Reason
	// Words are the chapter's last_conversion_error (section 2.3) as it came, or a state that says that it failed; empty if it has
	// neither. For [Nothing], they may be of an older conversion.
	Words string
	// Joined: somebody else requested the conversion.
	Joined bool
}

func (e *FailedError) Error() string {
	says := "The conversion failed"
	if e.Reason == Nothing {
		says = "The conversion ended, and converted nothing"
	}
	if e.Words == "" {
		return says
	}
	return says + ": " + audioprojects.Text(e.Words).Line()
}

// UnconfirmedError means that nobody knows whether the service has begun a conversion that was requested: the answer was lost, or is an
// error of the service itself, or it is good and the chapter shows only the error of before, or no newer date; and no list has shown a sign of it since.
type UnconfirmedError struct {
	Lost error // nil if the service has accepted the request
	// Answer is what the service said when it accepted the request; empty if it said nothing, or if another resource requested it.
	Answer audioprojects.Text
	// LacksDate: the chapter had a date before the request, and has shown no newer one for five minutes, nor anything
	// else.
	LacksDate bool
	// OldError is the error message that stood there before the request, and still does; empty if there is none.
	OldError audioprojects.Text
}

func (e *UnconfirmedError) Error() string {
	switch {
	case e.OldError != "" && e.Lost == nil:
		return fmt.Sprintf("The service accepted the request, and for %s the chapter has shown only the error message of before: %s", Window, e.OldError.Line())
	case e.LacksDate:
		return fmt.Sprintf("The service accepted a request for a conversion, and showed no sign of it within %s", LongestQueue)
	case e.Lost == nil:
		return fmt.Sprintf("The service accepted a request for a conversion, and showed no sign of it within %s", Window)
	case audioprojects.AnsweredWithError(e.Lost):
		return fmt.Sprintf("The service answered the request with an error, and showed no conversion within %s: %v", Window, e.Lost)
	default:
		return fmt.Sprintf("The service gave no clear answer to the request, and showed no sign of a conversion within %s: %v", Window, e.Lost)
	}
}

func (e *UnconfirmedError) Unwrap() error { return e.Lost }

// OpenEndError means that nothing was requested, because this process has requested a conversion of the chapter
// already, for another resource or action, and its end is not known.
type OpenEndError struct{ First error } // First is how the session ended that has requested it.

func (e *OpenEndError) Error() string {
	return "The end of a conversion is not known that was requested for another resource or action: " + e.First.Error()
}

// RefusedTwiceError means that the service has refused two requests for a chapter, and has converted the chapter after each, for whomever.
// Nobody knows whether a third one would be paid for as well.
type RefusedTwiceError struct{ Refusal *audioprojects.Error } // Refusal is the second one.

func (e *RefusedTwiceError) Error() string {
	return "The service has refused two requests, and converted the chapter after each: " + e.Refusal.Error()
}

func (e *RefusedTwiceError) Unwrap() error { return e.Refusal }

// FewerChaptersError means that nothing was requested, because the service lists fewer chapters than [Project].Least.
type FewerChaptersError struct{ Listed, Least int }

func (e *FewerChaptersError) Error() string {
	return fmt.Sprintf("The service lists %d chapters, and the state has %d", e.Listed, e.Least)
}

// BeyondPlanError means that nothing was requested, because the plan has not named the chapter, or named fewer characters
// for it: it was edited since.
type BeyondPlanError struct{ Characters *int64 } // Characters are what it would cost at most; nil if the service does not count them.

func (e *BeyondPlanError) Error() string { return "The plan has not named so many characters" }

// IsBeyondPlan reports whether an error is a [*BeyondPlanError].
func IsBeyondPlan(err error) bool { return errors.As(err, new(*BeyondPlanError)) }

// MissingChapterError means that two lists, at least 5 s apart, lack the chapter.
type MissingChapterError struct{ ProjectID, ChapterID string }

func (e *MissingChapterError) Error() string {
	return fmt.Sprintf("Project %q has no chapter %q", e.ProjectID, e.ChapterID)
}

// Is makes a missing chapter an error of the kind [audioprojects.NotFound], like an unknown project.
func (e *MissingChapterError) Is(target error) bool { return target == audioprojects.NotFound }

// IsMissing reports whether an error is a [*MissingChapterError].
func IsMissing(err error) bool { return errors.As(err, new(*MissingChapterError)) }

// ProjectBusyError means that nothing was requested, because of the state of the project: the service creates it, or converts all of it
// for somebody else.
type ProjectBusyError struct{ State audioprojects.Text }

func (e *ProjectBusyError) Error() string { return "The project is in the state " + e.State.Line() }

// CachedError means that a list of the chapters, or the project, comes from a cache between, and was made before what it should show.
type CachedError struct{ Age time.Duration }

func (e *CachedError) Error() string {
	return fmt.Sprintf("What the service shows was %s old when it came, by the header Age: it comes from a cache, and not from the service", e.Age)
}

// StoppedError means that nothing was begun for a chapter, because of what the service has refused before, and would refuse again.
type StoppedError struct{ Cause *audioprojects.Error }

func (e *StoppedError) Error() string { return e.Reason() + ": " + e.Cause.Answer() }

// Reason is the error without the service's answer. It does not name the chapter whose conversion was refused: that one has its own error.
func (e *StoppedError) Reason() string {
	if e.Cause.Method == http.MethodGet {
		return "Not begun, because the service refused to list the chapters"
	}
	return "Not begun, because the service refused the conversion of another chapter"
}

func (e *StoppedError) Unwrap() error { return e.Cause }

// CutShortError means that no list of a project came before the context ended.
type CutShortError struct {
	Cut    error // the context's
	Failed error // how the latest request for a list has failed; nil if none has
}

func (e *CutShortError) Error() string { return e.Cut.Error() }

func (e *CutShortError) Unwrap() error { return e.Cut }

// IsInterrupted and IsOutOfTime report whether a wait was cut short, and why. The timeout of a single request gives the same error, and ends no
// wait.
func IsInterrupted(err error) bool { return isCutShort(err, context.Canceled) }

// IsOutOfTime is the same for a timeout.
func IsOutOfTime(err error) bool { return isCutShort(err, context.DeadlineExceeded) }

func isCutShort(err, why error) bool {
	_, ofRequest := errors.AsType[*audioprojects.Error](err)
	return errors.Is(err, why) && !ofRequest
}
