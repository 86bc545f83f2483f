package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// bookResult is the result of an apply or an action for a book, as its report needs it.
type bookResult struct {
	thing    string // the project, in messages
	chapters []conversionResult
	gone     []string // the ids of chapters that nobody named, and that the project does not have; their conversions were pending
	stopped  error    // why chapters have not begun; nil if all have
	unlisted bool     // the chapters could not be listed
	timeout  time.Duration
	warns    bool // chapters that failed are a warning: on_failure
}

// newBookResult has the limit that has ended each wait that took too long: that of the whole, or of the chapter.
func newBookResult(waiting context.Context, model *projectConversionModel, timeout time.Duration, outcome conversion.ProjectOutcome) bookResult {
	result := bookResult{thing: model.thing(), stopped: outcome.Stopped, unlisted: outcome.Unlisted, timeout: timeout, warns: model.OnFailure.ValueString() == onFailureWarn}
	limit := model.chapterTimeout()
	if waiting.Err() != nil {
		limit = min(limit, timeout)
	}
	for _, chapter := range outcome.Chapters {
		if model.ChapterIDs.IsNull() && isGone(chapter.Err) && !chapter.Begun {
			result.gone = append(result.gone, strconv.Quote(chapter.ChapterID))
			continue
		}
		chapter.Chapter.ChapterID = cmp.Or(chapter.Chapter.ChapterID, chapter.ChapterID)
		result.chapters = append(result.chapters, conversionResult{
			thing: identified(chapter.Chapter), outcome: chapter.Outcome, err: chapter.Err, timeout: limit,
		}.withEnd())
	}
	return result
}

// report adds diagnostics about the result: one error for all failures, and one warning for each thing that is worth
// knowing. They name every chapter.
func (r bookResult) report(diags *diag.Diagnostics, after sequel) {
	if r.unlisted {
		r.reportUnlisted(diags, after)
		return
	}
	var failures, tolerated, waits, left, superseded, undated groups
	early, converts := 0, false
	for _, chapter := range r.chapters {
		if slices.Contains([]conversion.Reason{conversion.Error, conversion.OldError, conversion.Nothing}, chapter.outcome.After) {
			superseded.add(chapter.supersededHow(), "", chapter.thing)
		}
		if chapter.outcome.EarlyDate != nil && chapter.err == nil && chapter.outcome.Requested {
			undated.add("The service dates the conversion before `converted_after`. The next apply does not convert the chapter again.", "", chapter.thing)
		}
		switch kind := chapter.kind(); {
		case kind == converted:
		case kind < failed:
			left.add(chapter.leftHow(kind, after), "", chapter.thing)
		case kind == interruptedEarly:
			early++
		case kind == interrupted:
			known, follows := chapter.takenUp(after)
			waits.add(known, follows, chapter.thing)
		default:
			says, advice := chapter.failedHow(kind, after)
			if r.warns && kind == failed {
				tolerated.add(says, advice, chapter.thing)
				continue
			}
			failures.add(says, advice, chapter.thing)
			converts = converts || kind == failed || !chapter.waitsFor()
		}
	}
	if len(superseded) > 0 {
		diags.AddWarning("Earlier conversion failed", superseded.paragraphs())
	}
	if len(undated) > 0 {
		diags.AddWarning("Converted before the time", undated.paragraphs()+"\n\nThe service's clock is behind the time that was given.")
	}
	if len(left) > 0 {
		diags.AddWarning("Text left unconverted", left.paragraphs())
	}
	if len(r.gone) > 0 {
		diags.AddWarning("Forgotten in "+r.thing+": "+countOf(len(r.gone), "conversion"), quoting("The project does not have these chapters any more. "+
			"A conversion of each was pending, and is no longer waited for: "+strings.Join(r.gone, ", ")+"."))
	}
	const convertsThese = " converts these, and no chapter that has been converted."
	if len(failures) > 0 {
		follows := " requests nothing for a chapter that has been converted."
		if converts {
			follows = convertsThese
		}
		diags.AddAttributeError(path.Root("project_id"), r.unconverted(failures), failures.paragraphs()+"\n\n"+after.next+follows)
	}
	if len(tolerated) > 0 {
		diags.AddAttributeWarning(path.Root("on_failure"), r.unconverted(tolerated), tolerated.paragraphs()+"\n\n"+after.next+convertsThese)
	}
	r.reportInterruption(diags, waits, early, after)
}

// unconverted counts chapters that are not converted.
func (r bookResult) unconverted(failures groups) string {
	count := 0
	for _, group := range failures {
		count += len(group.names)
	}
	return fmt.Sprintf("Unable to convert %d of the %s of %s", count, countOf(len(r.chapters), "chapter"), r.thing)
}

// reportUnlisted says why nothing was begun.
func (r bookResult) reportUnlisted(diags *diag.Diagnostics, after sequel) {
	begins := "Nothing was requested. " + after.next + " begins again."
	switch early := (conversionResult{err: r.stopped}).withEnd(); {
	case early.interrupted:
		diags.AddError("Unable to convert "+r.thing, "Interrupted before the chapters were listed. "+begins)
	case early.outOfTime:
		diags.AddError("Unable to convert "+r.thing, "Out of time after "+r.timeout.String()+", before the chapters were listed. "+begins)
	default:
		diags.Append(unable("convert", r.thing, path.Root("project_id"), r.stopped, begins))
	}
}

// withEnd has how the wait ended: by an interruption, or out of time. The timeout of a single request gives the same error.
func (r conversionResult) withEnd() conversionResult {
	var request *audioprojects.Error
	ofRequest := errors.As(r.err, &request)
	r.interrupted = errors.Is(r.err, context.Canceled) && !ofRequest
	r.outOfTime = errors.Is(r.err, context.DeadlineExceeded) && !ofRequest
	return r
}

func (r bookResult) reportInterruption(diags *diag.Diagnostics, waits groups, early int, after sequel) {
	var text string
	if len(waits) > 0 {
		text = waits.paragraphs()
	}
	if early > 0 {
		text = strings.TrimSpace(text + "\n\nNothing was requested for " + countOf(early, "other chapter") + ".")
	}
	switch {
	case text == "":
	case len(waits) > 0 && after.remembers:
		// A warning, because after an error in a creation Terraform taints the object and replaces it.
		if early > 0 {
			text += " " + after.next + " converts the rest."
		}
		diags.AddWarning("Interrupted while waiting", text)
	default:
		diags.AddError("Unable to convert "+r.thing, "Interrupted. "+text+"\n\n"+after.next+" begins again.")
	}
}

// supersededHow says how the conversion failed that another has followed.
func (r conversionResult) supersededHow() string {
	switch r.outcome.After {
	case conversion.Error:
		return "A conversion that was requested earlier had failed. The service said: " + said(r.outcome.FailedWords)
	case conversion.OldError:
		return "A conversion that was requested earlier had converted nothing. The service said: " + said(r.outcome.FailedWords)
	default:
		return "A conversion that was requested earlier had ended without converting anything."
	}
}

// leftHow says why text may be missing from the audio although the conversion has succeeded.
func (r conversionResult) leftHow(kind resultKind, after sequel) string {
	switch kind {
	case noSign:
		return "The service accepted the request, and within 30 s the chapter showed no sign of a conversion. It may have had nothing to do."
	case remainder:
		return "Two conversions in a row have left the same text. The service does not seem to convert it."
	case leftInDoubt:
		return "The conversion has ended with a new date, and the service still counts text as not converted. Its counts may be late, or it has converted nothing."
	case leftByEdit:
		return "The text was edited while it was converted. " + after.follows
	default:
		return "The conversion has ended, and the service still counts text as not converted."
	}
}

// failedHow says why the chapter is not converted, so that chapters with the same reason are told together.
func (r conversionResult) failedHow(kind resultKind, after sequel) (says, next string) {
	var bound *conversion.BoundError
	var missing *conversion.MissingChapterError
	var failure *conversion.FailedError
	switch {
	case errors.As(r.err, &bound):
		return fmt.Sprintf("Nothing was requested, because more than %s would have been converted together (`max_characters`).", characters(bound.Most)), ""
	case errors.As(r.err, &missing):
		return "The project has no such chapter.", ""
	case errors.As(r.err, &failure):
		says, older := strings.CutSuffix(howItFailed(failure), olderError)
		if older {
			return says, strings.TrimSpace(olderError)
		}
		return says, ""
	}
	var known, follows string
	if r.waitsFor() && r.outcome.Pending.Failure == nil {
		known, follows = r.takenUp(after)
	}
	switch kind {
	case unconfirmed:
		return "The answer to the request was lost (" + withoutPath(r.err) + "), and the chapter shows no conversion.", follows
	case outOfTime:
		return "Out of time after " + r.timeout.String() + ". " + known, follows
	case outOfTimeEarly:
		if refusal := r.outcome.Postponed; refusal != nil {
			return "Out of time before anything was requested: " + withoutPath(refusal) + ".", bookAdvice(refusal)
		}
		return "Out of time before anything was requested.", ""
	default:
		return strings.TrimSpace("The service refused or could not be asked: " + withoutPath(r.err) + ". " + known), strings.TrimSpace(bookAdvice(r.err) + " " + follows)
	}
}

// withoutPath is an error without the path of its request, which names one chapter.
func withoutPath(err error) string {
	var request *audioprojects.Error
	if !errors.As(err, &request) {
		return err.Error()
	}
	var parts []string
	if request.Status != 0 {
		parts = append(parts, fmt.Sprintf("%d %s", request.Status, http.StatusText(request.Status)))
	}
	if request.Words != "" {
		parts = append(parts, request.Words)
	}
	if request.Err != nil {
		parts = append(parts, request.Err.Error())
	}
	return strings.TrimSuffix(strings.Join(parts, ": "), ".")
}

// group has the chapters of which there is the same to say.
type group struct {
	says, advice string
	names        []string
}

// groups are in the order of their first chapters.
type groups []group

func (g *groups) add(says, advice, name string) {
	at := slices.IndexFunc(*g, func(known group) bool { return known.says == says })
	if at < 0 {
		at = len(*g)
		*g = append(*g, group{says: says, advice: advice})
	}
	(*g)[at].names = append((*g)[at].names, name)
}

// paragraphs says of each group what there is to say, and which chapters it has.
func (g groups) paragraphs() string {
	var paragraphs []string
	for _, group := range g {
		text := quoting(countOf(len(group.names), "chapter") + ": " + strings.Join(group.names, ", ") + ". " + group.says)
		if group.advice != "" {
			text += "\n  " + quoting(group.advice)
		}
		paragraphs = append(paragraphs, text)
	}
	return strings.Join(paragraphs, "\n\n")
}

func countOf(count int, unit string) string {
	if count == 1 {
		return "1 " + unit
	}
	return grouped(int64(count)) + " " + unit + "s"
}
