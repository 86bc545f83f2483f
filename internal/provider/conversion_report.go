package provider

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// sequel is what follows the end of a block: in that messages differ.
type sequel struct {
	verb      string // what has been tried
	next      string // begins a sentence about the next attempt, such as "The next apply"
	remembers bool   // the block saves what is pending
	limit     string // the argument that sets the timeout
	again     string // how to convert a chapter once more
	stays     string // ends an error with what becomes of the object
}

var (
	afterApply = sequel{
		verb: "convert", next: "The next apply", remembers: true, limit: "`timeouts`",
		again: "To convert the chapter again, invoke the action `audioprojects_convert_chapter`.",
	}
	afterDelete = sequel{
		verb: "replace", next: "The next apply", remembers: true, limit: "`timeouts`",
		stays: "\n\nThe resource and its pending conversion stay in the state.",
	}
	// An action has no state, so it remembers nothing.
	afterInvoke = sequel{verb: "convert", next: "Invoking the action again", limit: "`timeout`", again: "To convert the chapter again, invoke the action once more."}
)

// report adds diagnostics about the result: one error for all chapters that are not converted, and one warning for each other thing
// that is worth knowing. They name every chapter that the project has.
func (r result) report(diags *diag.Diagnostics, after sequel) {
	if r.unlisted {
		r.reportUnlisted(diags, after)
		return
	}
	var unconverted, tolerated, waits, failed, beforeTime, noSign, textLeft groups[string]
	var undated []string
	early := 0
	for _, end := range r.ends {
		if end.Undated && end.Err == nil {
			undated = append(undated, end.name)
		}
		if end.After == conversion.Error || end.After == conversion.OldError || end.After == conversion.Nothing {
			follows := ", so another was requested"
			if !end.Requested { // Somebody else's was waited for, or the request was refused.
				follows = ""
			}
			failed.add(howItFailed("A conversion requested earlier", end.After, end.FailedWords, follows), "", end.name)
		}
		if r.every.ConvertedAfter != nil && end.ConvertedFor != nil && end.Err == nil && end.Requested {
			beforeTime.add("The service's timestamp of the conversion is before `converted_after`, so the service's clock is behind that time.", after.next+" does not convert the chapter again.", end.name)
		}
		switch {
		case end.Err == nil && end.Reason == conversion.NoSign:
			noSign.add("The service accepted the request, and then showed no sign of a conversion for 30 s. It may have had nothing to convert.",
				"Check whether text is missing from the audio. "+after.again, end.name)
		case end.Err == nil:
			if says, follows := r.whatIsLeft(end, after); says != "" {
				left, _ := end.Chapter.Statistics.Unconverted()
				textLeft.add(says, follows, end.name+": "+grouped(left)+" unconverted characters or paragraphs")
			}
		case interrupted(end.Err) && end.waitsFor():
			known, follows := r.takenUp(end, after)
			waits.add(cmp.Or(known, "Its conversion is pending."), follows, end.line())
		case interrupted(end.Err):
			early++
		case r.tolerant && errors.As(end.Err, new(*conversion.FailedError)):
			says, follows := r.whyNot(end, after)
			tolerated.add(says, follows, end.name)
		default:
			says, follows := r.whyNot(end, after)
			if r.one {
				end.name = "" // because the summary has it
			}
			unconverted.add(says, follows, end.line())
		}
	}
	for _, warning := range []struct {
		summary string
		about   groups[string]
	}{{"Earlier conversion failed", failed}, {"Converted before the time", beforeTime}, {"No sign of a conversion", noSign}, {"Unconverted text remains", textLeft}} {
		if len(warning.about) > 0 {
			diags.AddWarning(warning.summary, warning.about.paragraphs(dashed))
		}
	}
	warnOfUndated(undated, diags)
	if summary, detail := r.unable(unconverted, after); len(unconverted) > 0 {
		diags.AddAttributeError(r.at, summary, detail+after.stays)
	}
	if summary, detail := r.unable(tolerated, after); len(tolerated) > 0 {
		diags.AddAttributeWarning(path.Root("on_failure"), summary, detail)
	}
	r.reportInterruption(diags, waits, early, after)
}

// warnOfUndated says for which chapters a data source cannot wait by the date of the conversion.
func warnOfUndated(chapters []string, diags *diag.Diagnostics) {
	if len(chapters) > 0 {
		diags.AddWarning("No newer timestamp of the conversion",
			"The conversion has ended, and the service shows no newer `last_conversion_date_unix`. So a data source that takes `not_before_unix` from it "+
				"does not wait for a snapshot of this conversion, and may read an older one."+firstDashed(chapters, "chapter"))
	}
}

// unable says why chapters are not converted. The summary names a single one.
func (r result) unable(unconverted groups[string], after sequel) (summary, detail string) {
	if r.one {
		return "Unable to " + after.verb + " " + r.thing, unconverted.paragraphs(dashed)
	}
	count := 0
	for _, group := range unconverted {
		count += len(group.chapters)
	}
	detail = unconverted.paragraphs(dashed)
	switch {
	case r.convertsAll(after):
		detail += "\n\n" + after.next + " converts all chapters again. Without `all`, it converts only those with unconverted text."
	case !strings.Contains(detail, butNotConverted):
		detail += "\n\n" + after.next + " requests" + butNotConverted
	}
	pending := 0
	for _, end := range r.ends {
		if end.waitsFor() && !conversion.IsMissing(end.Err) {
			pending++
		}
	}
	if pending > 0 && after.remembers {
		detail += "\n\n" + countOf(pending, "conversion") + " may still be under way. " + after.next + " waits for the end before it requests another."
	}
	return fmt.Sprintf("Unable to convert %d of the %s of %s", count, countOf(len(r.ends), "chapter"), r.thing), detail
}

// butNotConverted ends a sentence about what the next attempt requests for a book.
const butNotConverted = " nothing for chapters that are already converted."

// convertsAll reports whether the next attempt converts every chapter, whatever this one has done.
func (r result) convertsAll(after sequel) bool { return !after.remembers && !r.every.UpToDate }

// reportInterruption says what was waited for. That is a warning if it is saved, because after an error in a creation Terraform taints
// the object and replaces it.
func (r result) reportInterruption(diags *diag.Diagnostics, waits groups[string], early int, after sequel) {
	var nothing string
	if early > 0 {
		nothing = "Nothing was requested for " + countOf(early, "chapter") + ". " + after.next + " starts over."
		switch {
		case r.one && r.ends[0].Pending != nil:
			nothing = "The chapter could not be read. The pending conversion stays in the state. " + after.next + " continues with it."
		case r.one:
			nothing = "Nothing was requested. " + after.next + " starts over."
		}
	}
	switch detail := inParagraphs(waits.paragraphs(dashed), nothing); {
	case detail == "":
	case len(waits) > 0 && after.remembers && after.verb == "convert":
		diags.AddWarning("Interrupted while waiting", detail)
	default:
		diags.AddError("Unable to "+after.verb+" "+r.thing, "Interrupted. "+detail+after.stays)
	}
}

// reportUnlisted says why nothing was begun.
func (r result) reportUnlisted(diags *diag.Diagnostics, after sequel) {
	begins := "Nothing was requested. " + after.next + " starts over."
	switch {
	case interrupted(r.stopped):
		diags.AddError("Unable to convert "+r.thing, "Interrupted before the chapters were listed. "+begins)
	case outOfTime(r.stopped):
		diags.AddError("Unable to convert "+r.thing, below(r.outOfTime(ending{}, after)+waitedForProject(r.stopped, ", before the chapters were listed."), begins))
	default:
		diags.Append(unable("convert", r.thing, path.Root("project_id"), r.stopped, begins))
	}
}

// whatIsLeft says why text may be missing from the audio although the conversion has succeeded, and what follows; empty if none is.
func (r result) whatIsLeft(end ending, after sequel) (says, follows string) {
	left, _ := end.Chapter.Statistics.Unconverted()
	kept, converts := after.again, after.next+" converts it."
	if after.remembers {
		kept = after.next + " does not convert it again. " + kept
	}
	if after.remembers && !r.every.UpToDate {
		converts = "To convert it as well, invoke the action `audioprojects_convert_chapter`, or set `keep_up_to_date = true`."
	}
	switch {
	case end.Reason == conversion.Remainder:
		return "Two conversions in a row left the same text unconverted. The service does not seem to convert it.", kept
	case !end.Requested && !end.WaitedFor || left == 0:
		return "", ""
	case end.SuspectedRemainder != nil:
		return "The conversion has ended with a new timestamp, but the service still counts text as unconverted. Its counts may be delayed, or it has converted nothing.", converts
	case left > end.KnownRemainder:
		return "The text was edited during the conversion.", converts
	default:
		return "The conversion has ended, but the service still counts text as unconverted.", kept
	}
}

// whyNot says why the chapter is not converted, and what follows. Chapters with the same reason are told together.
func (r result) whyNot(end ending, after sequel) (says, follows string) {
	begins := after.next + " starts over."
	if end.Pending != nil && after.remembers {
		begins = "The pending conversion stays in the state. " + after.next + " continues with it."
	}
	known, follows := r.takenUp(end, after)
	slower := "`parallel_conversions` in the provider block"
	if r.one {
		slower = "-parallelism"
	}
	var bound *boundError
	var failure *conversion.FailedError
	var request *audioprojects.Error
	switch {
	case errors.As(end.Err, &failure) && failure.Joined:
		const joined = ". Somebody else had requested it, and this run requested none"
		return howItFailed("The conversion", failure.Reason, failure.Words, joined), r.followingFailure(failure, after)
	case errors.As(end.Err, &failure):
		return howItFailed("The conversion", failure.Reason, failure.Words, ""), r.followingFailure(failure, after)
	case errors.As(end.Err, &bound):
		says, follows = bound.explained()
		return says + " Nothing was requested.", follows
	case errors.As(end.Err, new(*conversion.UnconfirmedError)) && audioprojects.AnsweredWithError(end.Err):
		return end.problem(), advice(end.Err, slower) + " " + follows
	case errors.As(end.Err, new(*conversion.UnconfirmedError)):
		return below(end.problem(), known), follows
	case outOfTime(end.Err) && known != "":
		return r.outOfTime(end, after) + ". " + known, follows
	case outOfTime(end.Err):
		before := ", before anything was requested"
		if !end.seen() {
			before = ", before the chapter could be read"
		}
		problem := cmp.Or(end.Postponed, end.Problem)
		if problem != nil {
			return end.shown(fmt.Errorf("%s%s: %w", r.outOfTime(end, after), before, problem)), advice(problem, slower) + " " + begins
		}
		return r.outOfTime(end, after) + waitedForProject(end.Err, before+"."), begins
	case errors.As(end.Err, &request) && request.Kind == audioprojects.Rejected && request.Method == http.MethodPost && !end.waitsFor():
		// The engine has read the chapter after the refusal.
		follows = advice(end.Err, slower)
		othersRan := slices.ContainsFunc(r.ends, func(other ending) bool { return other.Requested && other.ChapterID != end.ChapterID })
		if audioprojects.MayMeanBusy(end.Err) && othersRan && !asksForFewerJobs(request) {
			follows += " The chapter is not being converted, but others were: if the service limits how many it converts at the same time, set a smaller " + slower + "."
		}
		return end.problem(), follows + " The chapter shows no sign of a conversion, so no credits seem to have been spent."
	default:
		return below(end.problem(), known), strings.TrimSpace(advice(end.Err, slower) + " " + follows)
	}
}

// outOfTime begins a sentence, with the limit and the argument that sets it.
func (r result) outOfTime(end ending, after sequel) string {
	if end.ofChapter {
		return "Timed out after " + r.ChapterTimeout.String() + " (`chapter_timeout`)"
	}
	return "Timed out after " + r.timeout.String() + " (" + after.limit + ")"
}

// waitedForProject ends a sentence about a wait that timed out: it was for the whole project, or else for something else.
func waitedForProject(err error, orElse string) string {
	busy, of := errors.AsType[*conversion.ProjectBusyError](err)
	if !of {
		return orElse
	}
	return ", before anything was requested. No chapter was being converted, but the project was in this state:" + quoted(busy.State.Line())
}

// problem is the error as a paragraph.
func (e ending) problem() string { return e.shown(e.Err) }

// shown is an error about the chapter as a paragraph. Chapters with the same error are named together, so the path leaves the chapter out.
func (e ending) shown(err error) string {
	return errorTextWith(err, func(text string) string { return withoutChapter(text, e.ChapterID) })
}

func withoutChapter(text, chapterID string) string {
	return strings.ReplaceAll(text, "/chapters/"+url.PathEscape(chapterID)+"/", "/chapters/…/")
}

// errorMessage announces what the service says.
const errorMessage = "The service's error message:"

// mayRun is what is known of a conversion that somebody else may have requested.
const mayRun = "The service may be running a conversion that it does not show yet."

// howItFailed says how a conversion failed, and what follows from that.
func howItFailed(which string, reason conversion.Reason, words, follows string) string {
	switch reason {
	case conversion.Nothing:
		return which + " ended without converting anything, and without an error message" + follows + ". Somebody may have cancelled it at the service."
	case conversion.OldError:
		return which + " converted nothing" + follows + ". The chapter showed this error message before, so the message may be older:" + quoted(said(words))
	default:
		return which + " failed" + follows + ". " + errorMessage + quoted(said(words))
	}
}

func (r result) followingFailure(failure *conversion.FailedError, after sequel) string {
	switch {
	case failure.Reason != conversion.Error && after.remembers:
		return after.next + " checks the chapter first, and requests another conversion only if nothing has been converted by then."
	case r.one || r.convertsAll(after):
		return after.next + " requests another conversion."
	default:
		return after.next + " requests another conversion of each, and" + butNotConverted
	}
}

// line is a chapter's name, and how far the wait for it is.
func (e ending) line() string {
	var facts []string
	if e.waitsFor() && !e.Pending.Failed() && e.Chapter.State != nil {
		facts = append(facts, "state "+e.Chapter.State.Line()+e.progress)
	}
	if e.waitsFor() && e.Problem != nil && (outOfTime(e.Err) || interrupted(e.Err)) {
		facts = append(facts, "the latest request for it failed ("+strings.TrimSpace(sentence(e.Problem)+" "+sentAs(e.Problem))+")")
	}
	if e.name == "" || len(facts) == 0 {
		return e.name + strings.Join(facts, ", ")
	}
	return e.name + ": " + strings.Join(facts, ", ")
}

// takenUp says what is known of a conversion after the wait for it has stopped, and what follows; empty if none is waited for.
func (r result) takenUp(e ending, after sequel) (known, follows string) {
	switch {
	case !e.waitsFor(), conversion.IsMissing(e.Err):
		return "", ""
	case e.Pending.Failed():
		return "The conversion seems to have failed. " + errorMessage + quoted(e.Pending.Failure.Line()),
			after.next + " checks the chapter first, and requests another conversion if this one has failed."
	}
	looksFirst := after.next + " looks for the conversion first, and requests one only if there is no sign of it."
	follows = after.next + " waits for the conversion and requests none."
	d, p := r.every, e.Pending
	switch {
	case p.Joined():
		follows = after.next + " waits for the conversion, and requests another only if text is still unconverted when it has ended."
	case d.Triggers != "" && p.Triggers != "" && d.Triggers != p.Triggers, d.ConvertedAfter != nil && (p.ConvertedAfter == nil || *p.ConvertedAfter != *d.ConvertedAfter),
		(d.UpToDate || !d.Known) && p.Edited(e.Chapter):
		follows = after.next + " waits for the conversion, and may request another, because `triggers`, `converted_after` or the text changed in the meantime."
	}
	switch {
	case e.Pending.Joined() && e.Pending.Phase != conversion.PhaseRunning:
		known, follows = mayRun, looksFirst
	case e.Pending.Progresses(e.Chapter) && e.Problem == nil:
		known = "The conversion continues at the service."
	case e.Pending.Phase == conversion.PhaseWatched:
		known, follows = "", after.next+" checks the chapter, and requests a conversion if there is still no sign of one."
	case !e.Pending.Confirmed():
		known, follows = "The provider does not know yet whether the service received the request.", looksFirst
	case e.Pending.Phase != conversion.PhaseRunning:
		known, follows = "The service accepted the request, but does not show the conversion yet.", looksFirst
	case !e.Chapter.Busy() || e.Problem != nil:
		known = "The provider cannot tell yet whether the conversion has ended."
		follows = after.next + " waits until that is clear, and requests another only if nothing was converted."
	default:
		known = "The conversion continues at the service."
	}
	if !after.remembers {
		follows = after.next + " joins the conversion if it is still running, and may request another if it has ended."
		if e.Pending.Phase != conversion.PhaseRunning {
			follows = "Check the chapter's `state` and `last_conversion_date_unix` first. " + follows
		}
	}
	return known, follows
}
