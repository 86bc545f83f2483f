package forecast

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
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// findings are what a report tells of chapters, those with the same reason together.
type findings struct {
	failedBefore, beforeTime, noSign, errorStays, textLeft say.Groups[string] // worth knowing, although no chapter has failed
	undated                                                []string
	unconverted, tolerated                                 say.Groups[string] // not converted; those of the second are no error
	waits                                                  say.Groups[string] // interrupted, with a conversion that is pending
	early                                                  int                // interrupted before anything was requested
}

// Report adds diagnostics about the result: one error for all chapters that are not converted, and one warning for each other thing
// that is worth knowing. They name every chapter that the project has.
func (r Result) Report(diags *diag.Diagnostics, after Wording) {
	if r.unlisted {
		r.reportUnlisted(diags, after)
		return
	}
	var found findings
	for _, end := range r.ends {
		found.notable(r, end, after)
		found.ended(r, end, after)
	}
	for _, warning := range []struct {
		summary string
		about   say.Groups[string]
	}{
		{"Earlier conversion failed", found.failedBefore}, {"Converted before the time", found.beforeTime},
		{"Earlier error message remains", found.errorStays}, {"No sign of a conversion", found.noSign}, {"Unconverted text remains", found.textLeft},
	} {
		if len(warning.about) > 0 {
			diags.AddWarning(warning.summary, warning.about.Paragraphs(say.Dashed))
		}
	}
	warnOfUndated(found.undated, diags)
	if len(found.unconverted) > 0 {
		summary, detail := r.unable(found.unconverted, after)
		diags.AddAttributeError(r.At, summary, detail+after.stays)
	}
	if len(found.tolerated) > 0 {
		summary, detail := r.unable(found.tolerated, after)
		diags.AddAttributeWarning(path.Root("on_failure"), summary, detail)
	}
	r.reportInterruption(diags, found.waits, found.early, after)
}

// notable notes what is worth knowing of a chapter, however it has ended.
func (f *findings) notable(r Result, end ending, after Wording) {
	if end.Undated && end.Err == nil {
		f.undated = append(f.undated, end.name)
	}
	if end.After == conversion.Error || end.After == conversion.OldError || end.After == conversion.Nothing {
		follows := ", so another was requested"
		if !end.Requested { // Somebody else's was waited for, or the request was refused.
			follows = ""
		}
		f.failedBefore.Add(howItFailed("A conversion requested earlier", end.After, end.FailedWords, follows), "", end.name)
	}
	isConverted := end.Err == nil && end.Requested
	if isConverted && r.Template.ConvertedAfter != nil && end.ConvertedFor != nil {
		f.beforeTime.Add("The service's timestamp of the conversion is before `converted_after`, so the service's clock is behind that time.",
			after.next+" does not convert the chapter again.", end.name)
	}
}

// ended notes how a chapter has ended.
func (f *findings) ended(r Result, end ending, after Wording) {
	switch {
	case end.Err == nil && end.Decision.Reason == conversion.NoSign:
		f.noSign.Add("The service accepted the request, and then showed no sign of a conversion for 30 s. It may have had nothing to convert.",
			"Check whether text is missing from the audio. "+after.again, end.name)
	case end.Err == nil && end.Decision.Reason == conversion.ErrorStays:
		shown := say.ShownText(string(*cmp.Or(end.Chapter.LastConversionError, end.Chapter.State)))
		f.errorStays.Add("The conversion has ended, and the service shows neither a newer timestamp nor another error message than before. So the conversion may have failed for the same reason. "+
			errorMessage+say.Quoted(shown), "Check the audio. "+after.again, end.name)
	case end.Err == nil:
		says, follows := r.whatIsLeft(end, after)
		if says != "" {
			left, _ := end.Chapter.Statistics.Unconverted()
			f.textLeft.Add(says, follows, end.name+": "+say.Grouped(left)+" unconverted characters or paragraphs")
		}
	case interrupted(end.Err) && end.waitsFor():
		known, follows := r.stillPending(end, after)
		f.waits.Add(cmp.Or(known, "Its conversion is pending."), follows, end.line())
	case interrupted(end.Err):
		f.early++
	case r.Tolerant && errors.As(end.Err, new(*conversion.FailedError)):
		says, follows := r.whyNot(end, after)
		f.tolerated.Add(says, follows, end.name)
	default:
		says, follows := r.whyNot(end, after)
		if r.SingleChapter {
			end.name = "" // because the summary has it
		}
		f.unconverted.Add(says, follows, end.line())
	}
}

// warnOfUndated says for which chapters a data source cannot wait by the date of the conversion.
func warnOfUndated(chapters []string, diags *diag.Diagnostics) {
	if len(chapters) > 0 {
		diags.AddWarning("No newer timestamp of the conversion",
			"The conversion has ended, and the service shows no newer `last_conversion_date_unix`. So a data source that takes `not_before_unix` from it "+
				"does not wait for a snapshot of this conversion, and may read an older one."+say.FirstDashed(chapters, "chapter"))
	}
}

// unable says why chapters are not converted. The summary names a single one.
func (r Result) unable(unconverted say.Groups[string], after Wording) (summary, detail string) {
	if r.SingleChapter {
		return "Unable to " + after.verb + " " + r.Thing, unconverted.Paragraphs(say.Dashed)
	}
	count := 0
	for _, group := range unconverted {
		count += len(group.Chapters)
	}
	detail = unconverted.Paragraphs(say.Dashed)
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
		detail += "\n\n" + say.CountOf(running, "conversion") + " may still be under way. " + after.next + " waits for the end before it requests another."
	}
	return fmt.Sprintf("Unable to convert %d of the %s of %s", count, say.CountOf(len(r.ends), "chapter"), r.Thing), detail
}

// reportInterruption says what was waited for. That is a warning if it is saved, because after an error in a creation Terraform taints
// the resource and replaces it.
func (r Result) reportInterruption(diags *diag.Diagnostics, waits say.Groups[string], early int, after Wording) {
	var nothing string
	if early > 0 {
		nothing = "Nothing was requested for " + say.CountOf(early, "chapter") + ". " + after.next + " starts over."
		switch {
		case r.SingleChapter && r.ends[0].Pending != nil:
			nothing = "The chapter could not be read. " + after.goesOn(r.ends[0].Pending)
		case r.SingleChapter:
			nothing = after.startsOver()
		}
	}
	detail := say.InParagraphs(waits.Paragraphs(say.Dashed), nothing)
	switch {
	case detail == "":
	case len(waits) > 0 && after.remembers && after.verb == "convert":
		diags.AddWarning("Interrupted while waiting", detail)
	default:
		diags.AddError("Unable to "+after.verb+" "+r.Thing, "Interrupted. "+detail+after.stays)
	}
}

// reportUnlisted says why nothing was begun.
func (r Result) reportUnlisted(diags *diag.Diagnostics, after Wording) {
	begins := after.startsOver()
	var busy *conversion.ProjectBusyError
	switch {
	case errors.As(r.stopped, &busy):
		diags.AddError("Unable to convert "+r.Thing, say.Below(whileProjectIsBusy(busy)))
	case interrupted(r.stopped):
		diags.AddError("Unable to convert "+r.Thing, "Interrupted before the chapters were listed. "+begins)
	case outOfTime(r.stopped):
		diags.AddError("Unable to convert "+r.Thing, say.Below(r.outOfTime(ending{}, after)+", before the chapters were listed.", begins))
	default:
		diags.Append(say.Unable("convert", r.Thing, path.Root("project_id"), r.stopped, begins))
	}
}

// whatIsLeft says why text may be missing from the audio although the conversion has succeeded, and what follows; empty if none is.
func (r Result) whatIsLeft(end ending, after Wording) (says, follows string) {
	left, _ := end.Chapter.Statistics.Unconverted()
	kept, converts := after.again, after.next+" converts it."
	if after.remembers {
		kept = after.next + " does not convert it again. " + kept
	}
	if after.remembers && !r.Template.UpToDate {
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
func (r Result) whyNot(end ending, after Wording) (says, follows string) {
	says, follows = r.whatStopped(end, after)
	failure, hasFailed := errors.AsType[*conversion.FailedError](end.Err)
	isOver := hasFailed && failure.Reason == conversion.Nothing || !hasFailed && end.Pending != nil && end.Pending.Phase != conversion.PhaseRunning
	if isOver && end.Pending != nil && end.Pending.HungUp {
		return strings.TrimSuffix(says, perhapsCancelled), hungUp + " " + follows
	}
	return says, follows
}

func (r Result) whatStopped(end ending, after Wording) (says, follows string) {
	begins := after.goesOn(end.Pending)
	known, follows := r.stillPending(end, after)
	slower := "`parallel_conversions` in the provider block"
	if r.SingleChapter {
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
		return end.problem(), say.Advice(end.Err, slower) + " " + follows
	case errors.As(end.Err, new(*conversion.UnconfirmedError)):
		return say.Below(end.problem(), known), follows
	case outOfTime(end.Err) && known != "":
		return r.outOfTime(end, after) + ". " + known, follows
	case outOfTime(end.Err):
		before := ", before anything was requested"
		if !end.seen() {
			before = ", before the chapter could be read"
		}
		problem := cmp.Or(end.Postponed, end.Problem)
		if problem != nil {
			return end.shown(fmt.Errorf("%s%s: %w", r.outOfTime(end, after), before, problem)), say.Advice(problem, slower) + " " + begins
		}
		return r.outOfTime(end, after) + before + ".", begins
	case isRefused && !end.waitsFor():
		// The engine has read the chapter after the refusal.
		follows = say.Advice(end.Err, slower)
		othersRan := slices.ContainsFunc(r.ends, func(other ending) bool { return other.Requested && other.Desired.ChapterID != end.Desired.ChapterID })
		if audioprojects.MayMeanBusy(end.Err) && othersRan && !audioprojects.LimitsConversions(request) {
			follows += " The chapter is not being converted, but others were: if the service limits how many it converts at the same time, set a smaller " + slower + "."
		}
		return end.problem(), follows + " The chapter shows no sign of a conversion, so no credits seem to have been spent."
	default:
		return say.Below(end.problem(), known), strings.TrimSpace(say.Advice(end.Err, slower) + " " + follows)
	}
}

// outOfTime begins a sentence, with the limit and the argument that sets it.
func (r Result) outOfTime(end ending, after Wording) string {
	if end.TimedOut {
		return "Timed out after " + r.ChapterTimeout.String() + " (`chapter_timeout`)"
	}
	return "Timed out after " + r.timeout.String() + " (" + after.timeoutArgument + ")"
}

// whileProjectIsBusy says why nothing was requested, and what to do.
func whileProjectIsBusy(busy *conversion.ProjectBusyError) (says, follows string) {
	return "Nothing was requested, because the project was in this state:" + say.Quoted(busy.State.Line()),
		"No chapter was being converted. So the service was still creating the project, or converting it for somebody else, and " +
			"a request might cost the same credits again. Apply again when that has ended."
}

// problem is the error as a paragraph.
func (e ending) problem() string { return e.shown(e.Err) }

// shown is an error about the chapter as a paragraph. Chapters with the same error are named together, so the path leaves the chapter out.
func (e ending) shown(err error) string {
	return say.ErrorTextWith(err, func(text string) string { return withoutChapter(text, e.Desired.ChapterID) })
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
		facts = append(facts, "the latest request for it failed ("+strings.TrimSpace(say.Sentence(e.Problem)+" "+say.SentAs(e.Problem))+")")
	}
	if e.waitsFor() && !e.ListedAt.IsZero() && wasCutShort {
		facts = append(facts, "no list of the chapters has come since "+e.ListedAt.UTC().Format(time.DateTime)+" UTC")
	}
	if e.name == "" || len(facts) == 0 {
		return e.name + strings.Join(facts, ", ")
	}
	return e.name + ": " + strings.Join(facts, ", ")
}
