package provider

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// report adds diagnostics about the result: one error for all chapters that are not converted, and one warning for each other thing
// that is worth knowing. They name every chapter that the project has.
func (r result) report(diags *diag.Diagnostics, after wording) {
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
		isConverted := end.Err == nil && end.Requested
		if isConverted && r.template.ConvertedAfter != nil && end.ConvertedFor != nil {
			beforeTime.add("The service's timestamp of the conversion is before `converted_after`, so the service's clock is behind that time.", after.next+" does not convert the chapter again.", end.name)
		}
		switch {
		case end.Err == nil && end.Decision.Reason == conversion.NoSign:
			noSign.add("The service accepted the request, and then showed no sign of a conversion for 30 s. It may have had nothing to convert.",
				"Check whether text is missing from the audio. "+after.again, end.name)
		case end.Err == nil:
			says, follows := r.whatIsLeft(end, after)
			if says != "" {
				left, _ := end.Chapter.Statistics.Unconverted()
				textLeft.add(says, follows, end.name+": "+grouped(left)+" unconverted characters or paragraphs")
			}
		case interrupted(end.Err) && end.waitsFor():
			known, follows := r.stillPending(end, after)
			waits.add(cmp.Or(known, "Its conversion is pending."), follows, end.line())
		case interrupted(end.Err):
			early++
		case r.tolerant && errors.As(end.Err, new(*conversion.FailedError)):
			says, follows := r.whyNot(end, after)
			tolerated.add(says, follows, end.name)
		default:
			says, follows := r.whyNot(end, after)
			if r.singleChapter {
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
	summary, detail := r.unable(unconverted, after)
	if len(unconverted) > 0 {
		diags.AddAttributeError(r.at, summary, detail+after.stays)
	}
	summary, detail = r.unable(tolerated, after)
	if len(tolerated) > 0 {
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
func (r result) unable(unconverted groups[string], after wording) (summary, detail string) {
	if r.singleChapter {
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
	running := 0
	for _, end := range r.ends {
		if end.mayRun() {
			running++
		}
	}
	if running > 0 && after.remembers {
		detail += "\n\n" + countOf(running, "conversion") + " may still be under way. " + after.next + " waits for the end before it requests another."
	}
	return fmt.Sprintf("Unable to convert %d of the %s of %s", count, countOf(len(r.ends), "chapter"), r.thing), detail
}

// reportInterruption says what was waited for. That is a warning if it is saved, because after an error in a creation Terraform taints
// the resource and replaces it.
func (r result) reportInterruption(diags *diag.Diagnostics, waits groups[string], early int, after wording) {
	var nothing string
	if early > 0 {
		nothing = "Nothing was requested for " + countOf(early, "chapter") + ". " + after.next + " starts over."
		switch {
		case r.singleChapter && r.ends[0].Pending != nil:
			nothing = "The chapter could not be read. " + after.goesOn(r.ends[0].Pending)
		case r.singleChapter:
			nothing = after.startsOver()
		}
	}
	detail := inParagraphs(waits.paragraphs(dashed), nothing)
	switch {
	case detail == "":
	case len(waits) > 0 && after.remembers && after.verb == "convert":
		diags.AddWarning("Interrupted while waiting", detail)
	default:
		diags.AddError("Unable to "+after.verb+" "+r.thing, "Interrupted. "+detail+after.stays)
	}
}

// reportUnlisted says why nothing was begun.
func (r result) reportUnlisted(diags *diag.Diagnostics, after wording) {
	begins := after.startsOver()
	var busy *conversion.ProjectBusyError
	switch {
	case errors.As(r.stopped, &busy):
		diags.AddError("Unable to convert "+r.thing, below(whileProjectIsBusy(busy)))
	case interrupted(r.stopped):
		diags.AddError("Unable to convert "+r.thing, "Interrupted before the chapters were listed. "+begins)
	case outOfTime(r.stopped):
		diags.AddError("Unable to convert "+r.thing, below(r.outOfTime(ending{}, after)+", before the chapters were listed.", begins))
	default:
		diags.Append(unable("convert", r.thing, path.Root("project_id"), r.stopped, begins))
	}
}

// whatIsLeft says why text may be missing from the audio although the conversion has succeeded, and what follows; empty if none is.
func (r result) whatIsLeft(end ending, after wording) (says, follows string) {
	left, _ := end.Chapter.Statistics.Unconverted()
	kept, converts := after.again, after.next+" converts it."
	if after.remembers {
		kept = after.next + " does not convert it again. " + kept
	}
	if after.remembers && !r.template.UpToDate {
		converts = "To convert it as well, invoke the action `audioprojects_convert_chapter`, or set `keep_up_to_date = true`."
	}
	switch {
	case end.Decision.Reason == conversion.Remainder:
		return "Two conversions in a row left the same text unconverted. The service does not seem to convert it.", kept
	case !end.Requested && !end.WaitedFor || left == 0:
		return "", ""
	case end.SuspectedRemainder != nil:
		return "The conversion has ended with a new timestamp, but the service still counts text as unconverted. Its counts may be delayed, or it has converted nothing.", converts
	case left > end.KnownRemainder:
		return "The text was probably edited during the conversion or after it.", converts
	default:
		return "The conversion has ended, but the service still counts text as unconverted.", kept
	}
}

// whyNot says why the chapter is not converted, and what follows. Chapters with the same reason are told together.
func (r result) whyNot(end ending, after wording) (says, follows string) {
	says, follows = r.whatStopped(end, after)
	failure, hasFailed := errors.AsType[*conversion.FailedError](end.Err)
	isOver := hasFailed && failure.Reason == conversion.Nothing || !hasFailed && end.Pending != nil && end.Pending.Phase != conversion.PhaseRunning
	if isOver && end.Pending != nil && end.Pending.HungUp {
		return strings.TrimSuffix(says, perhapsCancelled), hungUp + " " + follows
	}
	return says, follows
}

func (r result) whatStopped(end ending, after wording) (says, follows string) {
	begins := after.goesOn(end.Pending)
	known, follows := r.stillPending(end, after)
	slower := "`parallel_conversions` in the provider block"
	if r.singleChapter {
		slower = "-parallelism"
	}
	var limit *limitError
	var busy *conversion.ProjectBusyError
	var failure *conversion.FailedError
	var request *audioprojects.Error
	isRefused := errors.As(end.Err, &request) && request.Kind == audioprojects.Rejected && request.Method == http.MethodPost
	switch {
	case errors.As(end.Err, &failure) && failure.Joined:
		const joined = ". Somebody else had requested it, and this run requested none"
		return howItFailed("The conversion", failure.Reason, failure.Words, joined), r.followingFailure(failure, after)
	case errors.As(end.Err, &failure):
		return howItFailed("The conversion", failure.Reason, failure.Words, ""), r.followingFailure(failure, after)
	case errors.As(end.Err, &limit):
		says, follows = limit.explained()
		return says + " Nothing was requested.", follows
	case errors.As(end.Err, &busy):
		return whileProjectIsBusy(busy)
	case errors.As(end.Err, new(*conversion.UnconfirmedError)) && (audioprojects.AnsweredWithError(end.Err) || audioprojects.IsRedirect(end.Err)):
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
		return r.outOfTime(end, after) + before + ".", begins
	case isRefused && !end.waitsFor():
		// The engine has read the chapter after the refusal.
		follows = advice(end.Err, slower)
		othersRan := slices.ContainsFunc(r.ends, func(other ending) bool { return other.Requested && other.Demand.ChapterID != end.Demand.ChapterID })
		if audioprojects.MayMeanBusy(end.Err) && othersRan && !asksForFewerJobs(request) {
			follows += " The chapter is not being converted, but others were: if the service limits how many it converts at the same time, set a smaller " + slower + "."
		}
		return end.problem(), follows + " The chapter shows no sign of a conversion, so no credits seem to have been spent."
	default:
		return below(end.problem(), known), strings.TrimSpace(advice(end.Err, slower) + " " + follows)
	}
}

// outOfTime begins a sentence, with the limit and the argument that sets it.
func (r result) outOfTime(end ending, after wording) string {
	if end.ofChapter {
		return "Timed out after " + r.ChapterTimeout.String() + " (`chapter_timeout`)"
	}
	return "Timed out after " + r.timeout.String() + " (" + after.timeoutArgument + ")"
}

// whileProjectIsBusy says why nothing was requested, and what to do.
func whileProjectIsBusy(busy *conversion.ProjectBusyError) (says, follows string) {
	return "Nothing was requested, because the project was in this state:" + quoted(busy.State.Line()),
		"No chapter was being converted. So the service was still creating the project, or converting it for somebody else, and " +
			"a request might cost the same credits again. Apply again when that has ended."
}

// problem is the error as a paragraph.
func (e ending) problem() string { return e.shown(e.Err) }

// shown is an error about the chapter as a paragraph. Chapters with the same error are named together, so the path leaves the chapter out.
func (e ending) shown(err error) string {
	return errorTextWith(err, func(text string) string { return withoutChapter(text, e.Demand.ChapterID) })
}

func withoutChapter(text, chapterID string) string {
	return strings.ReplaceAll(text, "/chapters/"+url.PathEscape(chapterID)+"/", "/chapters/…/")
}

// line is a chapter's name, and how far the wait for it is.
func (e ending) line() string {
	var facts []string
	if e.waitsFor() && !e.Pending.Failed() && e.Chapter.State != nil {
		facts = append(facts, "state "+e.Chapter.State.Line()+e.progress)
	}
	wasCutShort := outOfTime(e.Err) || interrupted(e.Err)
	if e.waitsFor() && e.Problem != nil && wasCutShort {
		facts = append(facts, "the latest request for it failed ("+strings.TrimSpace(sentence(e.Problem)+" "+sentAs(e.Problem))+")")
	}
	if e.waitsFor() && !e.ListedAt.IsZero() && wasCutShort {
		facts = append(facts, "no list of the chapters has come since "+e.ListedAt.UTC().Format(time.DateTime)+" UTC")
	}
	if e.name == "" || len(facts) == 0 {
		return e.name + strings.Join(facts, ", ")
	}
	return e.name + ": " + strings.Join(facts, ", ")
}
