package forecast

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// The estimate of a plan is in its warnings. Where nobody approves, Terraform shows them after the apply, so they have no tense. It plans
// resources one by one, so none of them knows the whole. The summary is the same for all chapter resources of a project: Terraform shows
// the first of those warnings, and counts the others.

// LookAndEstimate looks at the chapters, and says what an apply costs. What the service has disproved is an error, because the apply
// would fail. That it cannot be asked is an unknown cost. Chapter resources say both once for a project, because a plan may have a
// thousand of them. An interruption is an error: without one, Terraform takes the plan of an action for complete, and saves it without an
// estimate.
func (c *Conversions) LookAndEstimate(ctx context.Context, s Scope, diags *diag.Diagnostics) {
	isFirst := func(what string) bool { return !s.SingleChapter || c.Once(what+" "+s.ProjectID) }
	if !c.Ready() {
		if isFirst("no estimate") {
			c.unknownCost(diag.NewWarningDiagnostic("Conversions of an unknown cost in "+say.Project(s.ProjectID), say.ProviderUnknown), diags)
		}
		return
	}
	err := c.look(ctx, &s, diags)
	switch {
	case diags.HasError():
	case ctx.Err() != nil:
		if isFirst("interrupted") {
			diags.AddError("Unable to plan the conversion of "+s.Label, "Interrupted before the cost was known. Nothing was requested. Plan again.")
		}
	case err == nil:
		c.Estimate(ctx, s, diags)
	case !isFirst("no estimate"):
	case conversion.IsNoOutage(err):
		diags.Append(say.Unable("read", say.Project(s.ProjectID), path.Root("project_id"), err))
	default:
		c.unknownCost(say.Unable("read", say.Project(s.ProjectID), path.Root("project_id"), err), diags)
	}
}

// EstimateUnknown says of a resource whose project or chapter is known only in the apply that so is its cost.
func (c *Conversions) EstimateUnknown(s Scope, diags *diag.Diagnostics) {
	c.unknownCost(diag.NewAttributeWarningDiagnostic(s.AttributePath, "Conversions of an unknown cost",
		"The chapters to convert are known only when the plan is applied. "+say.ApplyFirst), diags)
}

// unknownCost says that a plan does not know what the conversions cost, below the reason. With a limit that is an error: a limit that
// cannot be checked is not kept.
func (c *Conversions) unknownCost(reason diag.Diagnostic, diags *diag.Diagnostics) {
	const unknown = "\n\nThis plan does not know what the conversions cost"
	var cost diag.Diagnostic = diag.NewWarningDiagnostic(reason.Summary(), reason.Detail()+unknown+". The apply reads the chapters before it requests anything.")
	if c.limit.binds() {
		why := reason.Detail() + unknown + ", so it cannot check " + c.limit.set.String() + "."
		cost = diag.NewErrorDiagnostic(reason.Summary(), why+"\n\n"+say.IfDestroying)
	}
	at, isAt := reason.(diag.DiagnosticWithPath)
	if isAt {
		cost = diag.WithPath(at.Path(), cost)
	}
	diags.Append(cost)
}

// look notes what the chapters show now, and says what is wrong with them. The error is why one of them cannot be seen.
func (c *Conversions) look(ctx context.Context, s *Scope, diags *diag.Diagnostics) error {
	predicted, err := c.predict(ctx, *s)
	if err != nil {
		return err
	}
	say.WarnOfCache(c.cachedFor(*s), diags)
	allowed := s.allowed(predicted.Chapters)
	chapters, err := s.updateMemory(predicted)
	s.keepTo(allowed)
	s.TakePortion()
	requests := func(chapter PlannedChapter) bool { return !chapter.onlyWaits() }
	isEmpty, isUnderWay := len(predicted.Chapters) == 0, false
	if isEmpty || slices.ContainsFunc(s.Memory.Planned, requests) {
		isUnderWay = c.warnOfProjectUnderWay(ctx, *s, diags)
	}
	if isEmpty && s.All && !isUnderWay {
		diags.AddWarning("No chapters: "+say.Project(s.ProjectID), "The service lists no chapter of this project, so an apply requests nothing, and succeeds. "+
			"Check `project_id` if there should be some. The next plan after one is added names it.")
	}
	s.Refuse(diags)
	s.Count = len(chapters)
	return err
}

// summary ends the summary of an estimate. That of a chapter has no total, because Terraform groups such resources by their summaries.
func (s Scope) summary(total string) string {
	if s.SingleChapter {
		return say.Project(s.ProjectID)
	}
	return s.Label + ": " + total
}

// warnOfProjectUnderWay says that the apply requests nothing now, if the project has such a state.
// Of the resources for a single chapter one says it. It reports whether the project has such a state.
func (c *Conversions) warnOfProjectUnderWay(ctx context.Context, s Scope, diags *diag.Diagnostics) bool {
	state := c.engine.ProjectUnderWay(ctx, s.ProjectID)
	if state == nil || s.SingleChapter && !c.Once("under way "+s.ProjectID) {
		return state != nil
	}
	says := "Somebody else is converting the whole project."
	if state.Comparable() == "creating" {
		says = "The service is still creating the project, and may add chapters that are not counted here."
	}
	says += " An apply that requests anything meanwhile ends in an error, at no cost. Apply when that has ended."
	shown := "No chapter is being converted, but the project is in this state:" + say.Quoted(state.Line())
	diags.AddWarning("Under way: "+say.Project(s.ProjectID), shown+"\n\n"+says)
	return true
}

// Refuse is an error for chapters that the resource names or leaves out, and that the project does not have.
func (s Scope) Refuse(diags *diag.Diagnostics) {
	if !s.Refuses() {
		return
	}
	at := s.AttributePath
	if s.All { // The others are what the project has.
		at = path.Root("exclude_chapter_ids")
	}
	diags.AddAttributeError(at, "Chapters that the project does not have",
		s.lackOf(s.Memory.Missing, "")+"\n\nThe data source `audioprojects_chapters` lists the chapters of a project.\n\n"+say.IfDestroying)
}

// Refuses reports whether there is anything that Refuse tells.
func (s Scope) Refuses() bool { return len(s.Memory.Missing) > 0 }

// warnOfExcludedMissing says which of the chapters that were left out are missing. That costs nothing, and a new one would have another id.
func (s Scope) warnOfExcludedMissing(diags *diag.Diagnostics) {
	if len(s.Memory.ExcludedMissing) > 0 {
		diags.AddAttributeWarning(path.Root("exclude_chapter_ids"), "Excluded chapters are gone",
			s.lackOf(s.Memory.ExcludedMissing, " of `exclude_chapter_ids`")+"\n\nNothing else changes. To get rid of this warning, remove them from the list.")
	}
}

// lackOf says which chapters a project does not have, and of what kind these are.
func (s Scope) lackOf(ids []string, kind string) string {
	var quoted []string
	for _, id := range ids {
		quoted = append(quoted, strconv.Quote(id))
	}
	return "In " + say.Project(s.ProjectID) + ", two lists " + inSeconds(conversion.SecondLook) + " apart lack these chapters" + kind + ":" + say.FirstDashed(quoted, "chapter")
}

// Estimate says what an apply does about the chapters that need something, and what that costs. It is an error if that is more than
// allowed.
func (c *Conversions) Estimate(ctx context.Context, s Scope, diags *diag.Diagnostics) {
	planned, adopted := s.Memory.Planned, 0
	isStuck := s.isStuck()
	if s.Template.New && len(planned) == 0 && !isStuck {
		adopted = s.Count
	}
	requested, waited := s.costs()
	untilHere, exceeded := c.limit.plan(plannedCost{s.Label, s.key(), requested, waited, adopted})
	if exceeded != nil {
		diags.AddAttributeError(s.AttributePath, "Too many characters to convert", exceeded.inPlan())
	}
	if c.limit.applying.Load() {
		return // The plan has shown the estimate.
	}
	if isStuck {
		s.refuseStuck(diags)
	}
	groups := map[conversion.Reason]*say.Groups[PlannedChapter]{}
	for _, reason := range inPlan {
		groups[reason] = new(say.Groups[PlannedChapter])
	}
	for _, chapter := range planned {
		groups[chapter.reasonInPlan()].Add(s.inPlan(chapter), "", chapter)
	}
	var paragraphs []string
	for _, reason := range inPlan {
		paragraphs = append(paragraphs, groups[reason].Paragraphs(costLines))
	}
	if !s.SingleChapter {
		paragraphs = append(paragraphs, waited.waited())
	}
	paragraphs = append(paragraphs, s.leftToLater(s.later), s.convertedSince(planned), c.others(s, untilHere), s.unknownArguments())
	detail := say.InParagraphs(paragraphs...)
	switch {
	case requested.chapters > 0:
		diags.AddWarning("Conversions that cost credits in "+s.summary(requested.requested()), detail)
	case waited.chapters > 0:
		none := ", 0 new characters"
		if waited.uncounted || waited.characters > 0 {
			none += " unless a conversion fails or leaves text"
		}
		diags.AddWarning("Conversions under way in "+s.summary(say.CountOf(waited.chapters, "chapter")+none), detail)
	case adopted > 0:
		others := ""
		if s.SingleChapter { // Terraform shows one such warning.
			others = say.InParagraphs("Adopted in this plan until here: "+say.CountOf(untilHere.adopted, "chapter")+".", c.wholeProject(s.ProjectID))
		}
		diags.AddWarning("Adopted at no cost in "+s.summary(say.CountOf(adopted, "chapter")), say.InParagraphs(
			"These chapters have no unconverted text, or a conversion requested earlier succeeded. Applying requests nothing and costs nothing, "+
				"unless somebody edits the text first.", others,
			"To convert them again, change `triggers`, or invoke an action."))
	}
}

// convertedSince says which chapters may have been converted for changed triggers by an apply that was killed, and could
// not say so.
func (s Scope) convertedSince(planned []PlannedChapter) string {
	var names []string
	for _, chapter := range planned {
		if chapter.IsNewer {
			names = append(names, chapter.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	says := "Newer than all timestamps that the last apply saw: the timestamps of " + say.CountOf(len(names), "chapter") + " of these. " +
		"If an apply was killed since, it may have converted them for these `triggers` already."
	switch {
	case s.SingleChapter:
		return says
	case s.All:
		says += " To leave them out for now, name them in `exclude_chapter_ids`:"
	default:
		says += " To leave them out for now, take them out of `chapter_ids`:"
	}
	return says + say.FirstDashed(names, "chapter")
}

// unknownArguments says why the estimate is for more than the apply may cost; empty if all is known.
func (s Scope) unknownArguments() string {
	if s.UnknownArguments == "" || s.CharactersPerApply == nil {
		return s.UnknownArguments
	}
	return s.UnknownArguments + " `characters_per_apply` lets the apply request at most " +
		say.CountOf(*s.CharactersPerApply, "character") + "."
}

// others says what there is besides: the chapters of a book that need nothing, or the rest of a chapter's project; what the plan has until
// here, if the resource does not show it all; and of when the estimate is, if the plan is a saved one, or has not refreshed.
func (c *Conversions) others(s Scope, untilHere planSum) string {
	const staleNote = time.Minute
	noted, planned := time.Unix(s.Memory.NotedAtUnix, 0), s.Memory.Planned
	settled := s.Count - len(planned) - s.leftOut
	for _, chapter := range s.later {
		if !s.waitsFor(chapter) {
			settled--
		}
	}
	var says []string
	if len(planned) == 0 {
		return ""
	}
	requested, waited := s.costs()
	isAll := untilHere.requested == requested && untilHere.waited == waited
	if s.SingleChapter || !isAll {
		sum := "In this plan until here: " + untilHere.requested.requested() + "."
		says = append(says, strings.TrimSpace(sum+" "+untilHere.waited.waited()))
	}
	isRefreshed := time.Since(noted) < staleNote
	switch {
	case !isRefreshed:
		says = append(says, "The service showed this at "+noted.UTC().Format(time.DateTime)+" UTC, and was not asked since.")
	case !s.SingleChapter && settled > 0:
		says = append(says, "No conversion needed: "+say.CountOf(settled, "chapter")+".")
	case s.SingleChapter && c.Ready():
		says = append(says, c.wholeProject(s.ProjectID))
	}
	return say.InParagraphs(append(says, s.leavesOut())...)
}

// leavesOut says how many chapters the update leaves to the next plan.
func (s Scope) leavesOut() string {
	if s.leftOut == 0 {
		return ""
	}
	return "Probably edited, added or converted since the last refresh, and left to the next one: " + say.CountOf(s.leftOut, "chapter") + "."
}

// wholeProject says what all chapters of a project have, because Terraform shows the estimate of one of its chapter resources. That none
// of it is unconverted does not mean that nothing costs.
func (c *Conversions) wholeProject(projectID string) string {
	chapters := c.engine.LatestChapters(projectID)
	totals := audioprojects.TotalsOf(chapters)
	left, converted := totals.CharactersUnconverted, totals.CharactersConverted
	if len(chapters) == 0 || left == nil || converted == nil {
		return ""
	}
	unconverted := say.Number(*left) + " of them unconverted."
	if *left == 0 {
		unconverted = "none of them unconverted. Converting them again costs credits."
	}
	return "At the time of this plan, the project had " + say.CountOf(len(chapters), "chapter") + " with " +
		say.CountOf(conversion.Sum(*converted, *left), "character") + ", " + unconverted
}
