package provider

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// The bill of a plan is in its warnings. Terraform shows them again after an apply, so they have no tense. It plans objects one by
// one, so none of them knows the whole. The summary is the same for all chapter blocks of a project: Terraform shows the first of
// those warnings, and counts the others.

// lookAndBill looks at the chapters, and says what an apply costs. What the service has disproved is an error, because the apply would
// fail. That it cannot be asked is a warning. Chapter blocks say both once for a project, because a plan may have a thousand of them.
// An interruption is an error: without one, Terraform takes the plan of an action for complete, and saves it without a bill.
func (d *providerData) lookAndBill(ctx context.Context, s set, m objectMemory, diags *diag.Diagnostics) {
	if !d.ready() {
		return
	}
	_, err := d.look(ctx, &s, &m, diags)
	warnOfUnread(s.ProjectID, m.Open, diags)
	switch {
	case diags.HasError():
	case ctx.Err() != nil:
		if !s.one || d.firstSaying("interrupted "+s.ProjectID) {
			diags.AddError("Unable to plan the conversion of "+s.thing, "Interrupted before the cost was known. Nothing was requested. Plan again.")
		}
	case err == nil:
		if s.one && s.Others != nil {
			m.Open = d.dearest(m.Open)
		}
		d.bill(ctx, s, m, diags)
		if !s.every.Known && len(m.Open) == 0 && s.count > 0 {
			diags.AddWarning("Adopted at no cost in "+s.summed(countOf(s.count, "chapter")),
				"These chapters have no unconverted text, or a conversion requested earlier succeeded. Applying requests nothing and costs nothing, "+
					"unless somebody edits the text first.\n\n"+
					"To convert them again, invoke the action `audioprojects_convert_chapter`, or `audioprojects_convert_project` with `all = true`.")
		}
	case s.one && !d.firstSaying("unbilled "+s.ProjectID):
	case audioprojects.Permanent(err), errors.As(err, new(*audioprojects.IncompleteError)):
		diags.Append(unable("read", projectThing(s.ProjectID), path.Root("project_id"), err))
	default:
		unread := unable("read", projectThing(s.ProjectID), path.Root("project_id"), err, "This plan does not know what the conversions cost. The apply reads the chapters before it requests anything.")
		diags.AddWarning(unread.Summary(), unread.Detail())
	}
}

// look notes what the chapters show now, and says what is wrong with them. The error is why one of them cannot be seen.
func (d *providerData) look(ctx context.Context, s *set, m *objectMemory, diags *diag.Diagnostics) (conversion.ProjectPrediction, error) {
	predicted, err := d.predict(ctx, *s)
	if err != nil {
		return predicted, err
	}
	warnOfRefusedRecord(s.thing, predicted.RecordRefused, diags)
	requests := len(predicted.Chapters) == 0 || slices.ContainsFunc(predicted.Chapters, conversion.Prediction.Requests)
	if requests {
		d.warnOfProjectUnderWay(ctx, *s, diags)
	}
	for i := range predicted.Chapters {
		if s.anyTime { // Each chapter counts with all that its conversion may cost.
			predicted.Chapters[i].Decision, predicted.Chapters[i].Demand.UpToDate = conversion.Decision{Step: conversion.Request}, false
		}
	}
	s.refuseUndated(predicted.Chapters, diags)
	chapters, err := m.refresh(*s, predicted)
	m.refuseMissing(*s, diags)
	s.count = len(chapters)
	return predicted, err
}

// billUnknown bills a block whose project, or chapter, is known only in the apply. Of a chapter in a known project, the one that costs most
// counts. Not in the plan of an object that is replaced, which has a second half about the new one: as nobody knows which chapter that is,
// both would count.
func (d *providerData) billUnknown(ctx context.Context, s set, isReplaced bool, diags *diag.Diagnostics) {
	if s.ProjectID != "" {
		s.uncounted = isReplaced
		d.lookAndBill(ctx, s, objectMemory{}, diags)
		return
	}
	diags.AddAttributeWarning(path.Root("project_id"), "Conversions of an unknown cost",
		"The chapters to convert are known only when the plan is applied. This plan does not know what they cost, and `max_characters` limits them only during the apply.")
}

// dearest is the chapter that costs most, as that of a block of its own: several blocks may be about different chapters. There is none if
// no chapter costs anything.
func (d *providerData) dearest(all []openChapter) []openChapter {
	all = slices.DeleteFunc(slices.Clone(all), func(chapter openChapter) bool { return !chapter.costs() })
	if len(all) == 0 {
		return nil
	}
	dearest := slices.MaxFunc(all, func(a, b openChapter) int { return cmp.Compare(mostOf(a), mostOf(b)) })
	dearest.block = d.unknownChapters.Add(1)
	return []openChapter{dearest}
}

// mostOf is what a chapter costs at most; more than anything if the service does not count that.
func mostOf(chapter openChapter) int64 {
	if chapter.Characters == nil {
		return math.MaxInt64
	}
	return *chapter.Characters
}

// summed ends the summary of a bill. That of a chapter block has no sum, because Terraform groups such blocks by their summaries.
func (s set) summed(sum string) string {
	if s.one {
		return projectThing(s.ProjectID)
	}
	return s.thing + ": " + sum
}

// warnOfRefusedRecord says which chapters count if the service does not show them in the project's own record.
func warnOfRefusedRecord(thing string, refused error, diags *diag.Diagnostics) {
	warnOfOneSource(thing, "lists", "the project", refused, diags)
}

// warnOfProjectUnderWay says what the apply waits for before it requests anything, if the project has such a state.
// Of the blocks for a single chapter one says it.
func (d *providerData) warnOfProjectUnderWay(ctx context.Context, s set, diags *diag.Diagnostics) {
	state, problem := d.engine.ProjectUnderWay(ctx, s.ProjectID)
	rests := state == nil && problem == ""
	if rests || s.one && !d.firstSaying("under way "+s.ProjectID) {
		return
	}
	if problem != "" {
		diags.AddWarning("Unreadable state of "+projectThing(s.ProjectID), quoting("The project's "+problem.Line()+".")+
			"\n\nSo the apply cannot wait while somebody else converts the whole project. If somebody does, wait until it ends: "+
			"otherwise both may convert the same chapters, and these cost credits twice.\n\n"+newerVersion)
		return
	}
	says := "Somebody else is converting the whole project. The apply waits until that has ended, " +
		"and then requests only what is still unconverted."
	if state.Comparable() == "creating" {
		says = "The service is still creating the project, and may add chapters that are not counted here. " +
			"The apply waits until that has ended before it requests anything."
	}
	shown := "No chapter is being converted, but the project is in this state:" + quoted(state.Line())
	diags.AddWarning("Under way: "+projectThing(s.ProjectID), shown+"\n\n"+says)
}

// warnOfOneSource says that the chapters of a project come from answers of one kind alone, and why.
func warnOfOneSource(thing, source, hidden string, refused error, diags *diag.Diagnostics) {
	if refused == nil {
		return
	}
	says := "The provider takes the chapters from two answers, five seconds apart. It leaves out a chapter that is missing from both."
	if audioprojects.Refused(refused) {
		says += " To be sure of all chapters, use a key whose scope includes " + hidden + "."
	}
	diags.AddWarning("Chapters of "+thing+" by its "+source+" alone", errorText(refused)+"\n\n"+says)
}

// warnOfUnread says which chapters cannot be read, and why.
func warnOfUnread(projectID string, all []openChapter, diags *diag.Diagnostics) {
	unread := unreadIn(all)
	if len(unread) > 0 {
		diags.AddWarning("Unreadable chapters of "+projectThing(projectID),
			"The provider cannot tell whether these chapters are being converted, or how much unconverted text they have. Until it can, "+
				"it requests nothing for them, and an apply that needs them fails."+listUnread(unread)+"\n\n"+newerVersion)
	}
}

// listUnread is a line for each of the first chapters that cannot be read, with what the service shows in place of what it should.
func listUnread(unread []openChapter) string {
	var lines []string
	for _, chapter := range unread {
		lines = append(lines, chapter.Name+": "+chapter.Unread)
	}
	return firstDashed(lines, "chapter")
}

// refuseUndated is an error for converted chapters without a timestamp, if they must have been converted after a time.
func (s set) refuseUndated(chapters []conversion.Prediction, diags *diag.Diagnostics) {
	var undated []string
	for _, chapter := range chapters {
		if chapter.Chapter.LastConversionDateUnix == nil && chapter.Decision.Reason == conversion.NothingLeft {
			undated = append(undated, identified(chapter.Chapter))
		}
	}
	if s.every.ConvertedAfter != nil && len(undated) > 0 {
		diags.AddAttributeError(path.Root("converted_after"), "Chapters without a timestamp",
			"The service does not say when it converted these chapters of "+s.thing+", so `converted_after` cannot apply to them:"+firstDashed(undated, "chapter"))
	}
}

// refuseMissing is an error for chapters that the resource names or leaves out, and that the project does not have.
func (m objectMemory) refuseMissing(s set, diags *diag.Diagnostics) {
	if len(m.Missing) == 0 {
		return
	}
	at := s.at
	if s.Others != nil { // The others are what the project has.
		at = path.Root("exclude_chapter_ids")
	}
	diags.AddAttributeError(at, "Chapters that the project does not have",
		lackOf(s, m.Missing, "")+"\n\nThe data source `audioprojects_chapters` lists the chapters of a project."+toDestroy)
}

// warnOfVanished says which of the chapters that were left out are gone. That costs nothing, and a new one would have another id.
func (m objectMemory) warnOfVanished(s set, diags *diag.Diagnostics) {
	if len(m.Vanished) > 0 {
		diags.AddAttributeWarning(path.Root("exclude_chapter_ids"), "Excluded chapters are gone",
			lackOf(s, m.Vanished, " of `exclude_chapter_ids`")+"\n\nNothing else changes. To get rid of this warning, remove them from the list.")
	}
}

// lackOf says which chapters a project does not have, and of what kind these are.
func lackOf(s set, ids []string, kind string) string {
	var quoted []string
	for _, id := range ids {
		quoted = append(quoted, strconv.Quote(id))
	}
	return "In " + projectThing(s.ProjectID) + ", neither the list of chapters nor the project's record has these chapters" + kind + ":" + firstDashed(quoted, "chapter")
}

// toDestroy ends an error of a plan that Terraform makes before it destroys, too. No provider is told what the plan is for.
const toDestroy = "\n\nTo destroy anyway, run `terraform destroy -refresh=false`."

// The usual sentences above the chapters of a bill. They are true before the apply and after it.
const (
	usualCost    = "Characters at most:"
	usualWait    = "Applying waits for these conversions, and requests another only if nothing was converted."
	usualMayCost = "Applying waits for these conversions, and requests another only if nothing was converted, which costs at most:"
)

// unlessDestroyedFirst follows what a plan says of a conversion that Delete hands over to the object that replaces its own.
const unlessDestroyedFirst = "But if Terraform creates the new resource before it destroys the old one, or only forgets the old one " +
	"(`create_before_destroy`, here or in a resource that depends on this one; `destroy = false`), the chapter is converted again, which costs at most:"

// bill says what an apply does about the open chapters, and what that costs. It is an error if that is more than allowed.
func (d *providerData) bill(ctx context.Context, s set, m objectMemory, diags *diag.Diagnostics) {
	var convert, mayConvert groups[openChapter]
	var wait groups[string]
	var costs []openChapter
	waits := 0
	for _, open := range m.Open {
		switch {
		case open.Unread != "":
			continue
		case !open.costs():
			wait.add(cmp.Or(open.Why, usualWait), "", open.Name)
			waits++
			continue
		case open.Waits:
			mayConvert.add(cmp.Or(open.Why, usualMayCost), "", open)
		default:
			convert.add(cmp.Or(open.Why, usualCost), "", open)
		}
		costs = append(costs, open)
	}
	sum := countOf(len(costs), "chapter") + ", not all of them counted"
	together, counted := sumOf(costs)
	if counted {
		sum = countOf(len(costs), "chapter") + ", " + countOf(together, "character") + " at most"
	}
	if d.ready() && !s.uncounted {
		err := d.bound.plan(s.ProjectID, costs, s.noted)
		if err != nil {
			says, follows := err.explained()
			diags.AddAttributeError(s.at, "Too many characters to convert", says+" Nothing is requested. The total exceeds the limit with:"+dashed([]string{s.thing + ", " + sum})+"\n\n"+follows+toDestroy)
		}
	}
	if d.ready() && d.bound.applying.Load() {
		return // The plan has shown the bill.
	}
	if s.noted {
		warnOfUnread(s.ProjectID, m.Open, diags)
	}
	var others string
	if settled := s.count - len(m.Open); settled > 0 && !s.one {
		others = "No conversion needed: " + countOf(settled, "chapter") + "."
	} else if s.one && len(costs) > 0 && d.ready() {
		chapters, err := d.engine.Chapters(ctx, s.ProjectID)
		left := newChapterTotals(chapters).CharactersUnconverted
		if err == nil && left != nil { // Terraform shows the bill of one such block.
			others = "At the time of this plan, the project had " + countOf(len(chapters), "chapter") + " and " + countOf(*left, "unconverted character") + "."
		}
	}
	detail := inParagraphs(convert.paragraphs(priced), mayConvert.paragraphs(priced),
		wait.paragraphs(func(names []string) string { return firstDashed(names, "chapter") }), others, s.later)
	switch {
	case len(convert) > 0:
		diags.AddWarning("Conversions that cost credits in "+s.summed(sum), detail)
	case len(mayConvert) > 0:
		diags.AddWarning("Conversions under way in "+s.summed(sum), detail)
	case len(wait) > 0:
		diags.AddWarning("Conversions under way in "+s.summed(countOf(waits, "chapter")), detail)
	}
}

// open is the part of a bill about a chapter. It has the id, which is what one must type to leave the chapter out, or to import it.
func (s set) open(chapter conversion.Prediction, kept conversion.Memory) openChapter {
	demand := chapter.Demand
	demand.Memory = kept
	step := chapter.Decision.Step
	later := step == conversion.Done && kept.Pending == nil // what was pending has ended, and other text is open
	left, counted := chapter.Chapter.Statistics.Unconverted()
	failed := kept.Pending.Failed() && step != conversion.Done && step != conversion.Join // so that the next apply requests another
	open := openChapter{ChapterID: demand.ChapterID, Name: identified(chapter.Chapter), Waits: !later && !failed && !chapter.Requests()}
	switch {
	case later:
	case s.adoptable && counted && left == 0 && chapter.Pending == nil && step == conversion.Request:
		open.Why = "The chapter has no unconverted text, and applying converts it again. To avoid the cost, adopt it with `keep_up_to_date = true`, or import it."
	case s.every.Known && !s.every.UpToDate && chapter.Pending == nil:
		open.Why = "The `triggers` changed, so applying converts the chapter again, which costs at most:"
	default:
		open.Why, open.MayRequest = foreseen(chapter)
		open.MayRequest = open.MayRequest && open.Waits
		if open.MayRequest {
			open.Why = strings.TrimSuffix(open.Why, ".") + ", which costs at most:"
		}
	}
	if s.replaces && (later || !open.costs()) {
		says, _ := foreseen(chapter)
		open.MayRequest, open.Why = open.Waits, below(says, unlessDestroyedFirst)
	}
	if open.costs() {
		open.Characters = demand.Characters(chapter.Chapter)
	}
	if open.Why == "" {
		open.Cause = causeOf(chapter)
	}
	return open
}

// foreseen says what an apply does about a conversion that exists already; it says nothing if there is none. mayRequest: after the end of
// that one the apply may request another, which depends on what cannot be known yet.
func foreseen(predicted conversion.Prediction) (says string, mayRequest bool) {
	const (
		earlier = "A conversion requested earlier"
		again   = ". Applying requests another"
		ifOpen  = " Applying waits for it, and requests another only if text is still unconverted when it has ended."
	)
	decided, p, demand := predicted.Decision, predicted.Pending, predicted.Demand
	joined := decided.Step == conversion.Join || p != nil && p.Joined() && decided.Reason == conversion.Converting
	if joined {
		return "A conversion is under way that this resource did not request: somebody else did, or an interrupted run." + ifOpen, true
	}
	if p == nil {
		return "", false
	}
	left, _ := predicted.Chapter.Statistics.Unconverted()
	newText := p.Edited(predicted.Chapter) || left > demand.KnownRemainder && !p.WasOpen(demand.KnownRemainder)
	switch {
	case p.Failed() && decided.Step == conversion.Done:
		return earlier + " failed, and the chapter has been converted since. Applying requests none. " + errorMessage + quoted(p.Failure.Line()), false
	case p.Failed():
		return howItFailed(earlier, conversion.Error, string(*p.Failure), again), false
	case decided.Reason == conversion.Error, decided.Reason == conversion.OldError, decided.Reason == conversion.Nothing:
		return howItFailed(earlier, decided.Reason, string(decided.Words), again), false
	case decided.Reason == conversion.NewTriggers:
		return earlier + " succeeded. It was for other `triggers`, so applying requests one for these.", false
	case decided.Reason == conversion.OpenText:
		return "The joined conversion has ended and left text unconverted, probably because the text was edited after it began. Applying requests one for the rest.", false
	case decided.Step == conversion.Done:
		return earlier + " succeeded. Applying records that and requests none.", false
	case p.Joined() && p.Phase != conversion.PhaseRunning:
		return mayRun + " Applying looks for it first, and requests one only if there is no sign of it.", true
	case p.Phase == conversion.PhaseWatched:
		return "The service answered an earlier request with an error, and has shown no conversion since. Applying requests one.", false
	case !p.Confirmed():
		return "The provider does not know whether the service received an earlier request. Applying looks for the conversion first, and requests one only if there is no sign of it.", true
	case decided.Reason == conversion.NoSignBefore, decided.Reason == conversion.NotShown:
		return "The service accepted an earlier request, but does not show the conversion yet. Applying looks for it first, and requests another only if there is no sign of it.", true
	case decided.Reason == conversion.Watching, decided.Reason == conversion.Confirming:
		return "The provider cannot tell yet whether a conversion requested earlier has ended. Applying waits until it can, and requests another only if nothing was converted.", true
	case demand.Triggers != "" && demand.Triggers != p.Triggers && p.Triggers != "":
		return earlier + " is still running. It is for other `triggers`, so applying waits for it and then requests one for these.", false
	case demand.ConvertedAfter != nil && (p.ConvertedAfter == nil || *p.ConvertedAfter != *demand.ConvertedAfter):
		return earlier + " is still running. Applying waits for it, and requests another only if its timestamp is before `converted_after`.", true
	case (demand.UpToDate || !demand.Known) && newText:
		return earlier + " is still running, and the text was edited after it began." + ifOpen, true
	default:
		return earlier + " is still running. Applying waits for it and requests none.", false
	}
}

// causeOf tells why a conversion is predicted to be requested; empty if nothing that the service shows tells it. Configurations compare
// with these texts.
func causeOf(predicted conversion.Prediction) string {
	chapter, demand := predicted.Chapter, predicted.Demand
	date, after := chapter.LastConversionDateUnix, demand.ConvertedAfter
	left, counted := chapter.Statistics.Unconverted()
	converted := audioprojects.Integer(0)
	if counts := chapter.Statistics; counts != nil && counts.CharactersConverted != nil {
		converted = *counts.CharactersConverted
	}
	switch failure := chapter.LastConversionError; {
	case demand.Pending.Failed(), left > demand.KnownRemainder && failure != nil && failure.Line() != "":
		return "failed before"
	case date == nil && counted && converted <= 0:
		return "never converted"
	case after != nil && date != nil && int64(*date) < *after:
		return "converted before the time"
	case left > 0:
		return "edited"
	default:
		return ""
	}
}
