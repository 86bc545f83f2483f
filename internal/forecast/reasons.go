package forecast

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// The engine gives a reason for each request, and an error for each end that is none. What people read of them is here:
// why a plan has a conversion, and why an apply has none.

// inPlan are the reasons by which a plan groups chapters, in its order. What only waits has none.
var inPlan = []conversion.Reason{
	conversion.UnconvertedText, conversion.NewTriggers, conversion.WantedAnew, conversion.Error,
	conversion.MoreUnconverted, conversion.StillUnconfirmed, conversion.NoReason,
}

// reasonInPlan is the reason by which a plan groups the chapter.
func (p PlannedChapter) reasonInPlan() conversion.Reason {
	isKnown := slices.Contains(inPlan, p.Reason)
	switch {
	case p.onlyWaits():
		return conversion.NoReason
	case p.Reason == conversion.NoReason, !isKnown:
		return conversion.UnconvertedText
	default:
		return p.Reason
	}
}

// inPlan is what a plan says above the chapters with the same reason, before the characters that their conversions cost
// at most. It has no tense: Terraform shows it before the apply and after it.
func (s Scope) inPlan(chapter PlannedChapter) string {
	const usual = "Characters at most:"
	switch chapter.reasonInPlan() {
	case conversion.NewTriggers:
		if s.SingleChapter {
			return "The `triggers` changed, so applying converts the chapter again, which costs at most:"
		}
		return "The `triggers` changed, so applying converts these chapters again, which costs at most:"
	case conversion.WantedAnew:
		switch {
		case !s.IsAction:
			return "The chapter has no unconverted text, and applying converts it again. To avoid the cost, adopt it with `keep_up_to_date = true`, or import it."
		case !s.SingleChapter:
			return "`all` converts chapters without unconverted text again, which costs at most:"
		}
		return usual
	case conversion.Error:
		if chapter.Words == "" {
			return "The last conversion failed, and applying requests another, which costs at most:"
		}
		return "The last conversion failed, and applying requests another. " + errorMessage + say.Quoted(chapter.Words)
	case conversion.MoreUnconverted:
		return "A conversion is under way, or its end is not known, and more text is unconverted than before it. " +
			"Applying waits for it, and requests another for the text that it leaves, which costs at most:"
	case conversion.StillUnconfirmed:
		return "The service shows no sign of a conversion that was requested. Applying looks for it first, and requests one only if there is still none, " +
			"which costs at most:"
	case conversion.NoReason:
		if chapter.Characters != nil && *chapter.Characters == 0 {
			return "A conversion is under way, or its end is not known. Applying waits for it, and requests no other. Characters at most:"
		}
		return "A conversion is under way, or its end is not known. Applying waits for it. " +
			"If it fails or leaves unconverted text, applying may request another, which costs at most:"
	default:
		return usual
	}
}

// whyNot says why the chapter is not converted, and what follows. Chapters with the same reason are told together.
func (r Result) whyNot(end chapterResult, after Wording) (says, follows string) {
	end.Err = r.refusedLikeOthers(end.Err)
	begins := after.goesOn(end.Memory.Pending)
	known, follows := end.stillPending(after)
	slower := "`parallel_conversions` in the provider block"
	if r.SingleChapter {
		slower = "-parallelism"
	}
	var limit *limitError
	var stopped *conversion.StoppedError
	var busy *conversion.ProjectBusyError
	var open *conversion.OpenEndError
	var failure *conversion.FailedError
	var request *audioprojects.Error
	isRefused := errors.As(end.Err, &request) && request.Kind == audioprojects.Rejected && request.Method == http.MethodPost
	unconfirmed := new(conversion.UnconfirmedError)
	isUnconfirmed := errors.As(end.Err, &unconfirmed)
	switch {
	case errors.As(end.Err, &stopped) && end.Memory.Pending != nil:
		return notBegun(stopped), begins
	case errors.As(end.Err, &stopped):
		return notBegun(stopped), after.startsOver()
	case errors.As(end.Err, &failure):
		others := ""
		if failure.Joined {
			others = ". Somebody else had requested it, and this run requested none"
		}
		follows = after.next + " requests another conversion."
		if end.Verdict.Action == conversion.DoesNothing {
			follows = "Nothing more is wanted of the chapter. " + after.next + " requests nothing for it."
		}
		return howItFailed("The conversion", failure.Reason, failure.Words, others), follows
	case errors.As(end.Err, &limit):
		says, follows = limit.explained()
		return says + " Nothing was requested.", follows
	case errors.As(end.Err, &busy):
		return whileProjectIsBusy(busy)
	case errors.As(end.Err, new(*conversion.RefusedTwiceError)):
		return end.problem(), "Both conversions may have cost credits. Ask the service why. " + after.next + " starts over."
	case errors.As(end.Err, &open) && errors.As(open.First, &unconfirmed):
		return say.Below(openEnd, end.shown(open.First)), after.next + " starts over."
	case errors.As(end.Err, &open):
		return openEnd, after.next + " starts over."
	case isUnconfirmed && unconfirmed.LacksDate:
		switch {
		case after.remembers && end.Desired.Wish == conversion.WantsConversion:
			follows += adopts
		case after.remembers:
			follows += wayOut
		}
		return say.Below(noNewerDate, strings.TrimSpace(end.quotedAnswer())), follows
	case isUnconfirmed && unconfirmed.Lost == nil && unconfirmed.OldError != "":
		return onlyOldError(unconfirmed), "Fix what the message names. " + follows
	case isUnconfirmed && (audioprojects.AnsweredWithError(end.Err) || audioprojects.IsRedirect(end.Err)):
		return end.problem(), say.Advice(end.Err, slower) + " " + follows
	case isUnconfirmed && unconfirmed.Lost == nil:
		return say.Below(end.problem(), strings.TrimSpace(end.quotedAnswer())), follows
	case isUnconfirmed:
		return say.Below(end.problem(), known), follows
	case conversion.IsOutOfTime(end.Err) && known != "":
		return r.outOfTime(end, after) + ". " + known, follows
	case conversion.IsOutOfTime(end.Err):
		before := ", before anything was requested"
		if !end.seen() {
			before = ", before the chapter could be read"
		}
		problem := cmp.Or(end.Postponed, end.Problem)
		if problem != nil {
			return end.shown(fmt.Errorf("%s%s: %w", r.outOfTime(end, after), before, problem)), say.Advice(problem, slower) + " " + begins
		}
		return r.outOfTime(end, after) + before + ".", begins
	case isRefused && !end.waitsFor() && audioprojects.MayMeanBusy(end.Err): // A conversion may still show itself.
		return end.problem(), say.Advice(end.Err, slower) + " The chapter shows no conversion yet. If it shows one later, " + after.joinsLater()
	case isRefused && !end.waitsFor(): // The engine has read the chapter after the refusal.
		return end.problem(), say.Advice(end.Err, slower) + " The chapter shows no sign of a conversion, so no credits seem to have been spent."
	default:
		return say.Below(end.problem(), known), strings.TrimSpace(say.Advice(end.Err, slower) + " " + follows)
	}
}

// refusedLikeOthers is the error of a refusal, in the words of the one that has stopped the rest, if it is like that:
// their words may differ in an id, and they are told once. Another error stays.
func (r Result) refusedLikeOthers(err error) error {
	refused, isRequest := errors.AsType[*audioprojects.Error](err)
	isOfAnother := errors.As(err, new(*conversion.StoppedError)) || errors.As(err, new(*conversion.RefusedTwiceError))
	if !isRequest || isOfAnother || refused.Method != http.MethodPost {
		return err
	}
	for _, end := range r.chapters {
		stopped, isStopped := errors.AsType[*conversion.StoppedError](end.Err)
		if isStopped && stopped.Cause.Method == http.MethodPost && refused.IsLike(stopped.Cause) {
			told := *stopped.Cause
			told.Path = refused.Path
			return &told
		}
	}
	return err
}

// notBegun says why nothing was begun for a chapter. What to do stands with the chapter whose request was refused.
func notBegun(stopped *conversion.StoppedError) string {
	return stopped.Reason() + ":" + say.Quoted(stopped.Cause.Answer())
}

const (
	openEnd = "A conversion of the chapter was requested in this apply for another resource or action, and its end is not known. So no other one was requested."
	// noNewerDate, wayOut and adopts are for a conversion of which nothing shows, where a newer date would.
	noNewerDate = "The service accepted the request, and for five minutes the chapter has shown no sign of a conversion, and no newer timestamp. " +
		"It may be in a long queue, or the service converts nothing where no text is unconverted."
	wayOut = " If the service converts nothing, remove `triggers`: then nothing more is requested."
	adopts = " If the service converts nothing, adopt the chapter with `keep_up_to_date = true`, or import it: then nothing more is requested."
)

// onlyOldError is what is known of a conversion that was accepted, and of which the chapter shows only the error
// message of before.
func onlyOldError(unconfirmed *conversion.UnconfirmedError) string {
	says := "The service accepted the request, and for " + inSeconds(conversion.Window) + " the chapter has shown only the error message of before. " +
		"So the conversion has probably failed again in the same way. " + errorMessage + say.Quoted(unconfirmed.OldError.Line())
	answer := unconfirmed.Answer.Line()
	if answer == "" {
		return says
	}
	return say.Below(says, "The service's answer to the request:"+say.Quoted(answer))
}

// whileProjectIsBusy says why nothing was requested, and what to do.
func whileProjectIsBusy(busy *conversion.ProjectBusyError) (says, follows string) {
	return "Nothing was requested, because the project was in this state:" + say.Quoted(busy.State.Line()),
		"No chapter was being converted. So the service was still creating the project, or converting it for somebody else, and " +
			"a request might cost the same credits again. Plan again when that has ended."
}

// errorMessage announces what the service says.
const errorMessage = "The service's error message:"

// howItFailed says how a conversion failed, and what follows from that.
func howItFailed(which string, reason conversion.Reason, words, follows string) string {
	quoted := say.Quoted(say.OneLine(words))
	switch {
	case reason == conversion.Nothing && words == "":
		return which + " ended, and converted nothing" + follows + ". The service shows no error message. Somebody may have cancelled it at the service, or the service cannot convert this text."
	case reason == conversion.Nothing:
		return which + " ended, and converted nothing" + follows + ". The chapter shows this error message, which may be older:" + quoted
	case words == "":
		return which + " failed" + follows + ". The service shows no error message."
	default:
		return which + " failed" + follows + ". " + errorMessage + quoted
	}
}
