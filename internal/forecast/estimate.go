package forecast

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// The estimate of a plan is in its warnings. Where nobody approves, Terraform shows them after the apply, so they have no tense. It plans
// resources one by one, so none of them knows the whole. The summary is the same for all chapter resources of a project: Terraform shows the
// first of those warnings, and counts the others.

// LookAndEstimate looks at the chapters, and says what an apply costs. What the service has disproved is an error, because the apply would
// fail. That it cannot be asked is an unknown cost. Chapter resources say both once for a project, because a plan may have a thousand of them.
// An interruption is an error: without one, Terraform takes the plan of an action for complete, and saves it without an estimate.
func (c *Conversions) LookAndEstimate(ctx context.Context, s Scope, m ResourceMemory, diags *diag.Diagnostics) {
	if !c.Ready() {
		if !s.SingleChapter || c.Once("no estimate "+s.ProjectID) {
			c.unknownCost(diag.NewWarningDiagnostic("Conversions of an unknown cost in "+say.Project(s.ProjectID), say.ProviderUnknown), diags)
		}
		return
	}
	_, err := c.look(ctx, &s, &m, diags)
	warnOfUnread(s.ProjectID, m.Planned, diags)
	switch {
	case diags.HasError():
	case ctx.Err() != nil:
		if !s.SingleChapter || c.Once("interrupted "+s.ProjectID) {
			diags.AddError("Unable to plan the conversion of "+s.Thing, "Interrupted before the cost was known. Nothing was requested. Plan again.")
		}
	case err == nil:
		if s.SingleChapter && s.Others != nil {
			m.Planned = c.mostExpensive(m.Planned)
		}
		c.Estimate(ctx, s, m, diags)
		if !s.Template.Known && len(m.Planned) == 0 && s.Count > 0 {
			diags.AddWarning("Adopted at no cost in "+s.summary(say.CountOf(s.Count, "chapter")),
				"These chapters have no unconverted text, or a conversion requested earlier succeeded. Applying requests nothing and costs nothing, "+
					"unless somebody edits the text first.\n\n"+
					"To convert them again, invoke the action `audioprojects_convert_chapter`, or `audioprojects_convert_project` with `all = true`.")
		}
	case s.SingleChapter && !c.Once("no estimate "+s.ProjectID):
	case conversion.IsNoOutage(err):
		diags.Append(say.Unable("read", say.Project(s.ProjectID), path.Root("project_id"), err))
	default:
		c.unknownCost(say.Unable("read", say.Project(s.ProjectID), path.Root("project_id"), err), diags)
	}
}

// unknownCost says that a plan does not know what the conversions cost, below the reason. With a limit that is an error: a limit that cannot
// be checked is not kept.
func (c *Conversions) unknownCost(reason diag.Diagnostic, diags *diag.Diagnostics) {
	const unknown = "\n\nThis plan does not know what the conversions cost"
	var cost diag.Diagnostic = diag.NewWarningDiagnostic(reason.Summary(), reason.Detail()+unknown+". The apply reads the chapters before it requests anything.")
	if c.limit.binds() {
		cost = diag.NewErrorDiagnostic(reason.Summary(), reason.Detail()+unknown+", so it cannot check the limit of "+
			say.CountOf(*c.limit.most, "character")+" (`max_characters`).\n\n"+say.IfDestroying)
	}
	at, isAt := reason.(diag.DiagnosticWithPath)
	if isAt {
		cost = diag.WithPath(at.Path(), cost)
	}
	diags.Append(cost)
}

// look notes what the chapters show now, and says what is wrong with them. The error is why one of them cannot be seen.
func (c *Conversions) look(ctx context.Context, s *Scope, m *ResourceMemory, diags *diag.Diagnostics) (conversion.ProjectPrediction, error) {
	predicted, err := c.predict(ctx, *s)
	if err != nil {
		return predicted, err
	}
	for i := range predicted.Chapters {
		if s.AnyTime { // Each chapter counts with all that its conversion may cost.
			predicted.Chapters[i].Decision, predicted.Chapters[i].Desired.UpToDate = conversion.Decision{Step: conversion.Request}, false
		}
	}
	s.refuseUndated(predicted.Chapters, diags)
	chapters, err := m.refresh(*s, predicted)
	isRequested := func(chapter PlannedChapter) bool { return chapter.Need == needsConversion }
	if len(predicted.Chapters) == 0 || slices.ContainsFunc(m.Planned, isRequested) {
		c.warnOfProjectUnderWay(ctx, *s, diags)
	}
	m.RefuseMissing(*s, diags)
	s.Count = len(chapters)
	return predicted, err
}

// EstimateUnknown estimates what converts a chapter, or a project, that is known only in the apply. Of a chapter in a known project, the
// one that costs most counts. It does not count in the plan of a resource that is replaced, which has a second half about the new one:
// as nobody knows which chapter that is, both would count.
func (c *Conversions) EstimateUnknown(ctx context.Context, s Scope, isReplaced bool, diags *diag.Diagnostics) {
	if s.ProjectID != "" {
		s.uncounted = isReplaced
		c.LookAndEstimate(ctx, s, ResourceMemory{}, diags)
		return
	}
	c.unknownCost(diag.NewAttributeWarningDiagnostic(path.Root("project_id"), "Conversions of an unknown cost",
		"The chapters to convert are known only when the plan is applied. "+say.ApplyFirst), diags)
}

// mostExpensive is the chapter that costs most, as that of a resource of its own: several resources may be about different chapters. There is
// none if no chapter costs anything.
func (c *Conversions) mostExpensive(all []PlannedChapter) []PlannedChapter {
	all = slices.DeleteFunc(slices.Clone(all), func(chapter PlannedChapter) bool { return !chapter.Need.costs() })
	if len(all) == 0 {
		return nil
	}
	mostExpensive := slices.MaxFunc(all, func(a, b PlannedChapter) int { return cmp.Compare(orMost(a.Characters), orMost(b.Characters)) })
	mostExpensive.resource = c.unknownChapters.Add(1)
	return []PlannedChapter{mostExpensive}
}

// orMost is a number of characters; more than any if the service does not count them.
func orMost(characters *int64) int64 {
	if characters == nil {
		return math.MaxInt64
	}
	return *characters
}

// summary ends the summary of an estimate. That of a chapter has no total, because Terraform groups such resources by their summaries.
func (s Scope) summary(total string) string {
	if s.SingleChapter {
		return say.Project(s.ProjectID)
	}
	return s.Thing + ": " + total
}

// warnOfProjectUnderWay says that the apply requests nothing now, if the project has such a state.
// Of the resources for a single chapter one says it.
func (c *Conversions) warnOfProjectUnderWay(ctx context.Context, s Scope, diags *diag.Diagnostics) {
	state, problem := c.engine.ProjectUnderWay(ctx, s.ProjectID)
	rests := state == nil && problem == ""
	if rests || s.SingleChapter && !c.Once("under way "+s.ProjectID) {
		return
	}
	if problem != "" {
		diags.AddWarning("Unreadable state of "+say.Project(s.ProjectID), say.Quoting("The project's "+problem.Line()+".")+
			"\n\nSo the apply cannot see whether somebody else converts the whole project. If somebody does, wait until it ends: "+
			"otherwise both may convert the same chapters, and these cost credits twice.\n\n"+say.NewerVersion)
		return
	}
	says := "Somebody else is converting the whole project."
	if state.Comparable() == "creating" {
		says = "The service is still creating the project, and may add chapters that are not counted here."
	}
	says += " An apply that requests anything meanwhile ends in an error, at no cost. Apply when that has ended."
	shown := "No chapter is being converted, but the project is in this state:" + say.Quoted(state.Line())
	diags.AddWarning("Under way: "+say.Project(s.ProjectID), shown+"\n\n"+says)
}

// warnOfUnread says which chapters cannot be read, and why.
func warnOfUnread(projectID string, all []PlannedChapter, diags *diag.Diagnostics) {
	unread := unreadIn(all)
	if len(unread) > 0 {
		diags.AddWarning("Unreadable chapters of "+say.Project(projectID),
			"The provider cannot tell whether these chapters are being converted, or how much unconverted text they have. Until it can, "+
				"it requests nothing for them, and an apply that needs them fails."+listUnread(unread)+"\n\n"+say.NewerVersion)
	}
}

// listUnread is a line for each of the first chapters that cannot be read, with what the service shows in place of what it should.
func listUnread(unread []PlannedChapter) string {
	var lines []string
	for _, chapter := range unread {
		lines = append(lines, chapter.Name+": "+chapter.Unread)
	}
	return say.FirstDashed(lines, "chapter")
}

// refuseUndated is an error for converted chapters without a timestamp, if they must have been converted after a time.
func (s Scope) refuseUndated(chapters []conversion.ChapterStatus, diags *diag.Diagnostics) {
	var undated []string
	for _, chapter := range chapters {
		if chapter.Chapter.LastConversionDateUnix == nil && chapter.Decision.Reason == conversion.NothingLeft {
			undated = append(undated, say.Identified(chapter.Chapter))
		}
	}
	if s.Template.ConvertedAfter != nil && len(undated) > 0 {
		diags.AddAttributeError(path.Root("converted_after"), "Chapters without a timestamp",
			"The service does not say when it converted these chapters of "+s.Thing+", so `converted_after` cannot apply to them:"+say.FirstDashed(undated, "chapter"))
	}
}

// RefuseMissing is an error for chapters that the resource names or leaves out, and that the project does not have.
func (m ResourceMemory) RefuseMissing(s Scope, diags *diag.Diagnostics) {
	if len(m.Missing) == 0 {
		return
	}
	at := s.At
	if s.Others != nil { // The others are what the project has.
		at = path.Root("exclude_chapter_ids")
	}
	diags.AddAttributeError(at, "Chapters that the project does not have",
		lackOf(s, m.Missing, "")+"\n\nThe data source `audioprojects_chapters` lists the chapters of a project.\n\n"+say.IfDestroying)
}

// warnOfVanished says which of the chapters that were left out are gone. That costs nothing, and a new one would have another id.
func (m ResourceMemory) warnOfVanished(s Scope, diags *diag.Diagnostics) {
	if len(m.Vanished) > 0 {
		diags.AddAttributeWarning(path.Root("exclude_chapter_ids"), "Excluded chapters are gone",
			lackOf(s, m.Vanished, " of `exclude_chapter_ids`")+"\n\nNothing else changes. To get rid of this warning, remove them from the list.")
	}
}

// lackOf says which chapters a project does not have, and of what kind these are.
func lackOf(s Scope, ids []string, kind string) string {
	var quoted []string
	for _, id := range ids {
		quoted = append(quoted, strconv.Quote(id))
	}
	return "In " + say.Project(s.ProjectID) + ", neither the list of chapters nor the project's record has these chapters" + kind + ":" + say.FirstDashed(quoted, "chapter")
}

// The usual sentences above the chapters of an estimate. They are true before the apply and after it.
const (
	usualCost    = "Characters at most:"
	usualMayCost = "Applying waits for these conversions, and requests another only if one fails or leaves text unconverted, which costs at most:"
)

// Estimate says what an apply does about the chapters that need something, and what that costs. It is an error if that is more than
// allowed.
func (c *Conversions) Estimate(ctx context.Context, s Scope, m ResourceMemory, diags *diag.Diagnostics) {
	var convert, mayConvert say.Groups[PlannedChapter]
	var wait say.Groups[string]
	var costs []PlannedChapter
	waits := 0
	for _, chapter := range m.Planned {
		switch chapter.Need {
		case isUnreadable:
		case needsWait:
			wait.Add(chapter.Why, "", chapter.Name)
			waits++
		case needsWaitFirst:
			mayConvert.Add(cmp.Or(chapter.Why, usualMayCost), "", chapter)
		default:
			convert.Add(cmp.Or(chapter.Why, usualCost), "", chapter)
		}
		if chapter.Need.costs() {
			costs = append(costs, chapter)
		}
	}
	total := totalText(costs)
	if !s.uncounted {
		err := c.limit.plan(s.Thing, s.ProjectID, costs, s.Noted)
		if err != nil {
			says, follows := err.explained()
			says += " Nothing is requested."
			if err.uncounted {
				says += say.Dashed([]string{s.Thing + ", " + total})
			} else {
				says += " The plan has " + say.CountOf(err.together, "character") + " until here:" + say.FirstDashed(err.adds, "resource") +
					"\n\nResources that Terraform plans later may add more."
			}
			diags.AddAttributeError(s.At, "Too many characters to convert", says+"\n\n"+follows+"\n\n"+say.IfDestroying)
		}
	}
	if c.limit.applying.Load() {
		return // The plan has shown the estimate.
	}
	if s.Noted {
		warnOfUnread(s.ProjectID, m.Planned, diags)
	}
	var others string
	settled := s.Count - len(m.Planned)
	if settled > 0 && !s.SingleChapter {
		others = "No conversion needed: " + say.CountOf(settled, "chapter") + "."
	} else if s.SingleChapter && len(costs) > 0 && c.Ready() && !s.Noted { // A plan without a refresh asks the service nothing.
		chapters, err := c.engine.Chapters(ctx, s.ProjectID)
		left := audioprojects.TotalsOf(chapters).CharactersUnconverted
		if err == nil && left != nil { // Terraform shows the estimate of one such resource.
			others = "At the time of this plan, the project had " + say.CountOf(len(chapters), "chapter") + " and " + say.CountOf(*left, "unconverted character") + "."
		}
	}
	detail := say.InParagraphs(convert.Paragraphs(costLines), mayConvert.Paragraphs(costLines),
		wait.Paragraphs(func(names []string) string { return say.FirstDashed(names, "chapter") }), others, s.UnknownArguments)
	switch {
	case len(convert) > 0:
		diags.AddWarning("Conversions that cost credits in "+s.summary(total), detail)
	case len(mayConvert) > 0:
		diags.AddWarning("Conversions under way in "+s.summary(total), detail)
	case len(wait) > 0:
		diags.AddWarning("Conversions under way in "+s.summary(say.CountOf(waits, "chapter")), detail)
	}
}
