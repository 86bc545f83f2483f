package provider

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

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
func (d *providerData) lookAndBill(ctx context.Context, s set, m objectMemory, diags *diag.Diagnostics) {
	if !d.ready() {
		return
	}
	_, err := d.look(ctx, &s, &m, diags)
	switch {
	case diags.HasError(), ctx.Err() != nil:
	case err == nil:
		d.bill(ctx, s, m, diags)
		if !s.every.Known && len(m.Open) == 0 && s.count > 0 {
			diags.AddWarning("Adopted at no cost in "+s.summed(countOf(s.count, "chapter")),
				"Nothing is requested for a chapter that has nothing left to convert when its turn comes, or of which an earlier conversion has ended well.\n\n"+
					"To convert it again all the same, invoke the action `audioprojects_convert_chapter`, or `audioprojects_convert_project` with `all = true`.")
		}
	case s.one && !d.firstSaying("unbilled "+s.ProjectID):
	case audioprojects.Permanent(err):
		diags.Append(unable("read", projectThing(s.ProjectID), path.Root("project_id"), err))
	default:
		unread := unable("read", projectThing(s.ProjectID), path.Root("project_id"), err, "So this plan does not know what the conversions cost. The apply looks at the chapters before it requests anything.")
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

// warnOfUnknownCost stands for a bill where not even the project is known.
func warnOfUnknownCost(diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("project_id"), "Conversions of an unknown cost",
		"Which chapters are converted is known only when the plan is applied. So this plan does not know what that costs, and `max_characters` bounds it only in the apply.")
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

// warnOfOneSource says that answers of one kind alone tell which chapters a project has, and why.
func warnOfOneSource(thing, shown, hidden string, refused error, diags *diag.Diagnostics) {
	if refused == nil {
		return
	}
	says := "So the chapters are those of two answers, five seconds apart. A chapter that both of them lack is left out."
	if audioprojects.Refused(refused) {
		says += " A key whose scope includes " + hidden + " makes sure of all."
	}
	diags.AddWarning("Chapters of "+thing+" by its "+shown+" alone", quoting(sentence(refused))+"\n\n"+says)
}

// refuseUndated is an error for converted chapters without a date, if they must have been converted after a time.
func (s set) refuseUndated(chapters []conversion.Prediction, diags *diag.Diagnostics) {
	var undated []string
	for _, chapter := range chapters {
		if chapter.Chapter.LastConversionDateUnix == nil && chapter.Decision.Reason == conversion.NothingLeft {
			undated = append(undated, identified(chapter.Chapter))
		}
	}
	if s.every.ConvertedAfter != nil && len(undated) > 0 {
		diags.AddAttributeError(path.Root("converted_after"), "Chapters without a date",
			quoting(fmt.Sprintf("Nobody knows when these chapters of %s were converted, so `converted_after` cannot apply to them: %s.", s.thing, firstOf(undated))))
	}
}

// refuseMissing is an error for chapters that the block names or leaves out, and that the project does not have.
func (m objectMemory) refuseMissing(s set, diags *diag.Diagnostics) {
	if len(m.Missing) == 0 {
		return
	}
	var ids []string
	for _, id := range m.Missing {
		ids = append(ids, strconv.Quote(id))
	}
	at := s.at
	if s.Others != nil { // The others are what the project has.
		at = path.Root("exclude_chapter_ids")
	}
	diags.AddAttributeError(at, "Chapters that the project does not have",
		quoting(fmt.Sprintf("The chapters of %s, and its own record, lack %s: %s.", projectThing(s.ProjectID), countOf(len(ids), "chapter"), firstOf(ids)))+
			"\n\nThe data source `audioprojects_chapters` lists the chapters of a project.")
}

// bill says what an apply does about the open chapters, and what that costs. It is an error if that is more than allowed.
func (d *providerData) bill(ctx context.Context, s set, m objectMemory, diags *diag.Diagnostics) {
	most := map[string]*int64{}
	var convert groups[openChapter]
	var wait groups[string]
	var all []openChapter
	for _, open := range m.Open {
		if open.Waits {
			wait.add(cmp.Or(open.Why, "Waited for, and requested again only if nothing has been converted."), "", open.Name)
			continue
		}
		most[open.ChapterID], all = open.Characters, append(all, open)
		convert.add(cmp.Or(open.Why, "To convert, with the characters that this costs at most:"), "", open)
	}
	sum := countOf(len(most), "chapter") + ", not all of them counted"
	if together, counted := sumOf(all); counted {
		sum = countOf(len(most), "chapter") + ", " + countOf(together, "character") + " at most"
	}
	if d.ready() {
		if err := d.bound.plan(s.ProjectID, most, s.noted); err != nil {
			says, follows := err.explained()
			diags.AddAttributeError(s.at, "Too many characters to convert", quoting(says+" Nothing is requested for "+s.thing+" ("+sum+").")+"\n\n"+follows)
		}
		if d.bound.applying.Load() {
			return // The plan has shown the bill.
		}
	}
	var others string
	if settled := s.count - len(m.Open); settled > 0 && !s.one {
		others = "Nothing left to convert, and nothing to pay: " + countOf(settled, "chapter") + "."
	} else if s.one && len(most) > 0 && d.ready() {
		chapters, _ := d.engine.Chapters(ctx, s.ProjectID)
		if left := newChapterTotals(chapters).CharactersUnconverted; left != nil { // Terraform shows the bill of one such block.
			others = "The project has " + countOf(len(chapters), "chapter") + ", and " + countOf(*left, "character") + " left to convert."
		}
	}
	detail := inParagraphs(convert.paragraphs(priced), wait.paragraphs(func(names []string) string { return firstDashed(names, "chapter") }), others, s.later)
	if len(most) > 0 {
		diags.AddWarning("Conversions that cost credits in "+s.summed(sum), detail)
	} else if len(wait) > 0 {
		diags.AddWarning("Conversions under way in "+s.summed(countOf(len(m.Open), "chapter")), detail)
	}
}

// open is the part of a bill about a chapter, by its name where that tells it apart.
func (s set) open(chapter conversion.Prediction, kept conversion.Memory, hasNamesake bool) openChapter {
	demand := chapter.Demand
	demand.Memory = kept
	step := chapter.Decision.Step
	later := step == conversion.Done && kept.Pending == nil // what was pending has ended, and other text is open
	left, counted := chapter.Chapter.Statistics.Unconverted()
	failed := kept.Pending != nil && kept.Pending.Failure != nil && step != conversion.Done && step != conversion.Join // so that the next apply requests another
	open := openChapter{ChapterID: demand.ChapterID, Name: named(chapter.Chapter), Waits: !later && !failed && !chapter.Requests()}
	if s.one || hasNamesake {
		open.Name = identified(chapter.Chapter)
	}
	if !open.Waits {
		open.Characters = demand.Characters(chapter.Chapter)
	}
	switch {
	case later:
	case s.adoptable && counted && left == 0 && chapter.Pending == nil && step == conversion.Request:
		open.Why = "Nothing is left to convert, and it is converted again. To adopt it without a conversion, set `keep_up_to_date = true`, or import it."
	case s.every.Known && !s.every.UpToDate && chapter.Pending == nil:
		open.Why = "Converted again for other `triggers`, which costs at most:"
	default:
		open.Why = foreseen(chapter)
	}
	if open.Why == "" {
		open.Cause = causeOf(chapter)
	}
	return open
}

// foreseen says what an apply does about a conversion that exists already; it says nothing if there is none.
func foreseen(predicted conversion.Prediction) string {
	const earlier, again = "A conversion requested earlier", ". Applying requests another"
	switch decided, p, demand := predicted.Decision, predicted.Pending, predicted.Demand; {
	case decided.Step == conversion.Join, p != nil && p.Joined() && decided.Reason == conversion.Converting:
		return "A conversion is under way that was not requested for this object: by somebody else, or by a run that was interrupted. Applying waits for it, and requests one only if text is still unconverted when it has ended."
	case p == nil:
		return ""
	case p.Failure != nil && decided.Step == conversion.Done:
		return earlier + " failed, and the chapter has been converted since. Applying requests none. The service says: " + p.Failure.Line()
	case p.Failure != nil:
		return howItFailed(earlier, conversion.Error, string(*p.Failure), again)
	case decided.Reason == conversion.Error, decided.Reason == conversion.OldError, decided.Reason == conversion.Nothing:
		return howItFailed(earlier, decided.Reason, string(decided.Words), again)
	case decided.Reason == conversion.NewTriggers:
		return earlier + " has ended well. It was for other `triggers`, so applying requests one for these."
	case decided.Reason == conversion.OpenText:
		return "The conversion that was waited for has ended and has left text unconverted, probably because the text was edited after it began. Applying requests one for the rest."
	case decided.Step == conversion.Done:
		return earlier + " has ended well. Applying takes it up and requests none."
	case p.Joined() && !p.SeenConverting:
		return "A conversion may be under way that the service does not show yet. Applying looks for it first, and requests one only if there is no sign of it."
	case !p.Confirmed:
		return "It is not known whether the service received an earlier request. Applying looks for the conversion first, and requests one only if there is no sign of it."
	case decided.Reason == conversion.NoSignBefore, decided.Reason == conversion.NotShown:
		return "The service accepted an earlier request, and does not show the conversion yet. Applying looks for it first, and requests another only if there is no sign of it."
	case decided.Reason == conversion.Watching, decided.Reason == conversion.Confirming:
		return "It is not clear yet whether a conversion requested earlier has ended. Applying waits until it is, and requests one only if nothing was converted."
	case demand.Triggers != "" && demand.Triggers != p.Triggers && p.Triggers != "":
		return earlier + " is still running. It is for other `triggers`, so applying waits for it and then requests one for these."
	case demand.ConvertedAfter != nil && (p.ConvertedAfter == nil || *p.ConvertedAfter != *demand.ConvertedAfter):
		return earlier + " is still running. Applying waits for it, and requests another if it is of a time before `converted_after`."
	case (demand.UpToDate || !demand.Known) && p.Edited(predicted.Chapter):
		return earlier + " is still running, and the text was edited after it began. Applying waits for it, and requests one only if text is still unconverted when it has ended."
	default:
		return earlier + " is still running. Applying waits for it and requests none."
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
	case demand.Pending != nil && demand.Pending.Failure != nil, left > demand.KnownRemainder && failure != nil && *failure != "":
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
