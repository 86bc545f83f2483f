package forecast

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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
	warnings    map[string]*say.Groups[string] // worth knowing, although the chapters are converted; by the summary
	withoutDate []string
	unconverted say.Groups[string] // not converted
	waits       say.Groups[string] // interrupted, with a conversion that is pending
	early       int                // interrupted before anything was requested
	left        []PlannedChapter   // left to the next plan, because this one has not named them
	later       []PlannedChapter   // left to later applies, because they do not fit into the portion of this one
}

// The summaries of warnings, in the order in which they are shown.
const (
	earlierFailed  = "Earlier conversion failed"
	earlierMessage = "Earlier error message remains"
	noSign         = "No sign of a conversion"
	textRemains    = "Unconverted text remains"
	chaptersGone   = "Chapters are gone"
)

// Report adds diagnostics about the result: one error for all chapters that are not converted, and one warning for each other thing
// that is worth knowing. They name every chapter that the project has.
func (r Result) Report(diags *diag.Diagnostics, after Wording) {
	if r.refused {
		r.Refuse(diags)
		return
	}
	if r.unlisted {
		r.reportUnlisted(diags, after)
		return
	}
	found := findings{warnings: map[string]*say.Groups[string]{}}
	for _, end := range r.chapters {
		found.add(r, end, after)
	}
	for _, summary := range []string{earlierFailed, earlierMessage, noSign, textRemains} {
		about := found.warnings[summary]
		if about != nil {
			diags.AddWarning(summary, about.Paragraphs(say.Dashed))
		}
	}
	warnOfNoNewerDate(found.withoutDate, diags)
	isOfAll := r.All && maps.Equal(r.Except, r.Excluded)
	switch {
	case len(r.gone) > 0:
		diags.AddWarning(chaptersGone, "The plan has named these chapters, and two lists lack them, one 5 s after the other:"+say.Dashed(r.gone)+
			"\n\nNothing was requested for them. If the service lists them again, the next plan names them again.")
	case isOfAll && r.stopped == nil && len(r.chapters) < r.Count:
		diags.AddWarning(chaptersGone, fmt.Sprintf("When the apply began, the service listed %s of %s, which had %d. Nothing was requested for the others. "+
			"If the service lists them again, the next plan looks at them again.", say.CountOf(len(r.chapters), "chapter"), r.Label, r.Count))
	}
	r.reportLeft(found.left, diags)
	r.reportLater(found.later, diags)
	if len(r.appeared) > 0 {
		var names []string
		for _, chapter := range r.appeared {
			names = append(names, say.Identified(chapter))
		}
		diags.AddWarning("Chapters are new", "The service lists these chapters, and did not when the apply began. They need a conversion:"+say.FirstDashed(names, "chapter")+
			"\n\nNothing was requested for them. The next plan names them.")
	}
	if len(found.unconverted) > 0 {
		summary, detail := r.unable(found.unconverted, after)
		if r.isAboutChapters() {
			diags.AddAttributeError(r.errorPath(), summary, detail+after.stays)
		} else {
			diags.AddError(summary, detail+after.stays)
		}
	}
	r.reportInterruption(diags, found.waits, found.early, after)
}

// reportLeft says for which chapters nothing was requested, because the plan has not named so much.
func (r Result) reportLeft(chapters []PlannedChapter, diags *diag.Diagnostics) {
	if len(chapters) == 0 {
		return
	}
	these, names := "these chapters, because they may cost more than the plan has named", "names them, if they still need it."
	if r.SingleChapter {
		these, names = "this chapter, because it would cost more than the plan has named", "names it, if it still needs that."
	}
	wentBy := time.Unix(r.Memory.NotedAtUnix, 0).UTC().Format(time.DateTime) + " UTC"
	says := "Nothing was requested for " + these + ". The plan went by what the service showed at " + wentBy +
		". Since then, text has probably been edited, added or converted:" + costLines(chapters) + "\n\nThe next plan " + names
	diags.AddWarning("Left to the next plan in "+say.Project(r.ProjectID), says)
}

// reportLater says what is left to later applies.
func (r Result) reportLater(chapters []PlannedChapter, diags *diag.Diagnostics) {
	if len(chapters) > 0 {
		diags.AddWarning("Left to later applies in "+say.Project(r.ProjectID), r.leftToLater(chapters)+" `characters_per_apply` is "+
			say.Number(*r.CharactersPerApply)+".\n\nThe next plan names the next chapters, in the order of the project.")
	}
}

// isAboutChapters reports whether an error may be about the ids of chapters, so that it points at them. That the service does not find
// what a conversion needs is not.
func (r Result) isAboutChapters() bool {
	return slices.ContainsFunc(r.chapters, func(end chapterResult) bool { return end.Err != nil && !audioprojects.ConversionNotFound(end.Err) })
}

// errorPath is where an error points: at the project, if the service does not know that.
func (r Result) errorPath() path.Path {
	if r.SingleChapter && errors.Is(r.chapters[0].Err, audioprojects.NotFound) && !conversion.IsMissing(r.chapters[0].Err) {
		return path.Root("project_id")
	}
	return r.AttributePath
}

// add notes how a chapter has ended, and what is worth knowing of it.
func (f *findings) add(r Result, end chapterResult, after Wording) {
	if end.AfterFailure {
		follows := ", so another was requested"
		if !end.HasRequested() { // Somebody else's was waited for, or the request was refused.
			follows = ""
		}
		f.warn(earlierFailed, howItFailed("A conversion requested earlier", conversion.Error, end.FailedWords, follows), "", end.name)
	}
	switch {
	case end.Err == nil:
		f.addSuccess(r, end, after)
	case conversion.IsBeyondPlan(end.Err):
		left := r.planned(say.Identified(end.Chapter), end.ChapterStatus)
		costsNothing := left.Characters != nil && *left.Characters == 0
		switch {
		case costsNothing: // Somebody else converts what is converted.
		case r.isLater(end):
			f.later = append(f.later, left)
		default:
			f.left = append(f.left, left)
		}
	case conversion.IsInterrupted(end.Err) && end.waitsFor():
		known, follows := end.stillPending(after)
		f.waits.Add(cmp.Or(known, "Its conversion is pending."), follows, end.line())
	case conversion.IsInterrupted(end.Err):
		f.early++
	default:
		says, follows := r.whyNot(end, after)
		if r.SingleChapter {
			end.name = "" // because the summary has it
		}
		f.unconverted.Add(says, follows, end.line())
	}
}

func (f *findings) warn(summary, says, follows, line string) {
	if f.warnings[summary] == nil {
		f.warnings[summary] = new(say.Groups[string])
	}
	f.warnings[summary].Add(says, follows, line)
}

func (f *findings) addSuccess(r Result, end chapterResult, after Wording) {
	if end.NoNewerDate {
		f.withoutDate = append(f.withoutDate, end.name)
	}
	left, _ := end.Chapter.Statistics.Unconverted()
	converts := after.next + " converts it."
	if after.remembers && !r.Follows {
		converts = "To convert it as well, invoke the action `audioprojects_convert_chapter`, or set `keep_up_to_date = true`."
	}
	counted := end.name + ": " + say.Number(left) + " unconverted characters or paragraphs"
	hasRun := end.HasRequested() || end.WaitedFor
	if end.Decision.Reason == conversion.ErrorStays {
		f.warn(earlierMessage, stays(end.Decision.Words), "Check the audio. "+after.again, end.name)
	}
	switch {
	case end.Decision.Reason == conversion.NoSign:
		f.warn(noSign, "The service accepted the request, and then showed no sign of a conversion for "+inSeconds(conversion.Window)+". It may have had nothing to convert."+end.quotedAnswer(),
			"Check whether text is missing from the audio. "+after.again, end.name)
	case !hasRun || left == 0:
	case end.Decision.Words != "" && end.Decision.Reason != conversion.ErrorStays:
		f.warn(textRemains, "The conversion has converted a part. Meanwhile, the chapter showed this error message, which is gone:"+say.Quoted(end.Decision.Words.Line()), converts, counted)
	case left != end.Memory.Remainder.Unconverted:
		f.warn(textRemains, "The text was edited during the conversion or after it, or nothing shows that the conversion has ended well.", converts, counted)
	default:
		isForgotten := !after.remembers || after.creates && r.fails()
		if !isForgotten {
			converts = after.next + " converts it only if that number changes. " + after.again
		}
		f.warn(textRemains, "The conversion has ended, but the service still counts text as unconverted."+end.quotedProblem(), converts, counted)
	}
}

// fails reports whether the apply ends in an error. A wait that is interrupted does not, and nor does what is left.
func (r Result) fails() bool {
	return slices.ContainsFunc(r.chapters, func(end chapterResult) bool {
		isLeft := conversion.IsBeyondPlan(end.Err)
		return end.Err != nil && !isLeft && (!conversion.IsInterrupted(end.Err) || !end.waitsFor())
	})
}

// stays says that an error message is there after a conversion that has ended well, as far as is known.
func stays(words audioprojects.Text) string {
	return "The conversion has ended, and the service still shows an error message. If it is not an older one, the conversion may have failed. " +
		errorMessage + say.Quoted(words.Line())
}

// warnOfNoNewerDate says for which chapters a data source cannot wait by the date of the conversion.
func warnOfNoNewerDate(chapters []string, diags *diag.Diagnostics) {
	if len(chapters) > 0 {
		diags.AddWarning("No newer timestamp of the conversion",
			"The conversion has ended, and the service shows no newer `last_conversion_date`. So a data source that takes `not_before` from it "+
				"does not wait for a snapshot of this conversion, and may read an older one."+say.FirstDashed(chapters, "chapter"))
	}
}

// unable says why chapters are not converted. The summary names a single one.
func (r Result) unable(unconverted say.Groups[string], after Wording) (summary, detail string) {
	detail = unconverted.Paragraphs(say.Dashed)
	if r.SingleChapter {
		return "Unable to " + after.verb + " " + r.Label, detail
	}
	count, running := 0, 0
	for _, group := range unconverted {
		count += len(group.Chapters)
	}
	for _, end := range r.chapters {
		if end.mayRun() {
			running++
		}
	}
	if r.convertsAll(after) {
		detail += "\n\n" + after.next + " converts all chapters again. Without `all`, it converts only those with unconverted text."
	} else {
		detail += "\n\n" + after.next + " requests nothing for chapters that are already converted."
	}
	if running > 0 && after.remembers {
		detail += "\n\n" + say.CountOf(running, "conversion") + " may still be under way. " + after.next + " waits for the end before it requests another."
	}
	return fmt.Sprintf("Unable to convert %d of the %s of %s", count, say.CountOf(len(r.chapters), "chapter"), r.Label), detail
}

// convertsAll reports whether the next attempt converts every chapter, whatever this one has done.
func (r Result) convertsAll(after Wording) bool { return !after.remembers && !r.Follows }

// reportInterruption says what was waited for. That is a warning if it is saved, because after an error in a creation Terraform taints
// the resource and replaces it.
func (r Result) reportInterruption(diags *diag.Diagnostics, waits say.Groups[string], early int, after Wording) {
	var nothing string
	switch {
	case early == 0:
	case r.SingleChapter && r.chapters[0].Memory.Pending != nil:
		nothing = "The chapter could not be read. " + after.goesOn(r.chapters[0].Memory.Pending)
	case r.SingleChapter:
		nothing = after.startsOver()
	default:
		nothing = "Nothing was requested for " + say.CountOf(early, "chapter") + ". " + after.next + " looks again."
	}
	detail := say.InParagraphs(waits.Paragraphs(say.Dashed), nothing)
	isSaved := len(waits) > 0 && after.remembers && after.verb == "convert"
	switch {
	case detail == "":
	case isSaved:
		diags.AddWarning("Interrupted while waiting", detail+StalePlan) // No error ends the creation, so that nothing is tainted.
	default:
		diags.AddError("Unable to "+after.verb+" "+r.Label, "Interrupted. "+detail+after.stays)
	}
}

// reportUnlisted says why nothing was begun.
func (r Result) reportUnlisted(diags *diag.Diagnostics, after Wording) {
	begins := after.startsOver() + after.stays
	var busy *conversion.ProjectBusyError
	var fewer *conversion.FewerChaptersError
	switch {
	case errors.As(r.stopped, &fewer):
		diags.AddError("Unable to convert "+r.Label, fmt.Sprintf("The `triggers` changed, and the service lists %s, where the state has %d. "+
			"Nothing was requested, because the new `triggers` would be forgotten for the others. If they were deleted, plan again.",
			say.CountOf(fewer.Listed, "chapter"), fewer.Least)+after.stays)
	case errors.As(r.stopped, &busy):
		diags.AddError("Unable to convert "+r.Label, say.Below(whileProjectIsBusy(busy))+after.stays)
	case conversion.IsInterrupted(r.stopped):
		diags.AddError("Unable to convert "+r.Label, "Interrupted before the chapters were listed. "+begins)
	case conversion.IsOutOfTime(r.stopped):
		diags.AddError("Unable to convert "+r.Label, r.unlistedInTime(begins, after))
	default:
		diags.Append(say.Unable("convert", r.Label, path.Root("project_id"), r.stopped, begins))
	}
}

// unlistedInTime says that the time was over before the chapters were listed, and how the latest request for them has failed.
func (r Result) unlistedInTime(begins string, after Wording) string {
	says := r.outOfTime(chapterResult{}, after) + ", before the chapters were listed"
	cut, isCut := errors.AsType[*conversion.CutShortError](r.stopped)
	if !isCut || cut.Failed == nil {
		return say.Below(says+".", begins)
	}
	return say.InParagraphs(say.ErrorText(fmt.Errorf("%s: %w", says, cut.Failed)), say.Advice(cut.Failed, "-parallelism"), begins)
}

// outOfTime begins a sentence, with the time that is over and the argument that sets it.
func (r Result) outOfTime(end chapterResult, after Wording) string {
	if end.TimedOut {
		return "Timed out after " + r.ChapterTimeout.String() + " (`chapter_timeout`)"
	}
	return "Timed out after " + r.timeout.String() + " (" + after.timeoutArgument + ")"
}

// problem is the error as a paragraph.
func (e chapterResult) problem() string { return e.shown(e.Err) }

// shown is an error about the chapter as a paragraph. Chapters with the same error are named together, so the path leaves the chapter out.
func (e chapterResult) shown(err error) string {
	return say.ErrorTextWith(err, func(text string) string { return withoutChapter(text, e.Desired.ChapterID) })
}

func withoutChapter(text, chapterID string) string {
	return strings.ReplaceAll(text, "/chapters/"+url.PathEscape(chapterID)+"/", "/chapters/…/")
}

// line is a chapter's name, and how far the wait for it is.
func (e chapterResult) line() string {
	var facts []string
	isPending := e.waitsFor() && !e.Memory.Pending.Failed() && !conversion.IsMissing(e.Err)
	wasCutShort := conversion.IsOutOfTime(e.Err) || conversion.IsInterrupted(e.Err)
	hasNoList := !e.ListedAt.IsZero() && time.Since(e.ListedAt) > staleList
	switch {
	case !isPending || e.Chapter.State == nil:
	case e.Chapter.Busy():
		facts = append(facts, "state "+e.Chapter.State.Line()+e.progress)
	default: // A progress at rest is that of a conversion which has ended.
		facts = append(facts, "state "+e.Chapter.State.Line())
	}
	if isPending && wasCutShort && e.Problem != nil {
		facts = append(facts, "the latest request for it failed ("+strings.TrimSpace(say.Sentence(e.Problem)+" "+say.HostAndRequestID(e.Problem))+")")
	}
	if isPending && wasCutShort && hasNoList {
		facts = append(facts, "no list of the chapters has come since "+e.ListedAt.UTC().Format(time.DateTime)+" UTC")
	}
	if e.name == "" || len(facts) == 0 {
		return e.name + strings.Join(facts, ", ")
	}
	return e.name + ": " + strings.Join(facts, ", ")
}

// staleList is how old a list must be before it says nothing of what goes on. Lists are never so far apart while they
// succeed.
const staleList = 32 * time.Second
