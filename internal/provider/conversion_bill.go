package provider

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// The bill of a plan is in its warnings. Terraform plans objects one by one, so none of them knows the whole. Each says what
// it costs itself, and what is open in its project. The summary is the same for all of a project: Terraform shows the first
// of those warnings, and counts the others. It shows them again after an apply, so they say nothing about the future.

// once remembers what has been said in this process.
type once struct {
	mu   sync.Mutex
	said map[string]bool
}

// first tells whether this is said for the first time.
func (o *once) first(what string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.said[what]
	if o.said == nil {
		o.said = map[string]bool{}
	}
	o.said[what] = true
	return !before
}

// look looks at the chapter. If the apply needs it, what the service has disproved is an error, because the apply would fail.
// That it cannot be asked is a warning. Both are said once for a project, because a plan may have a thousand of its chapters.
func (d *providerData) look(ctx context.Context, wish conversion.Demand, needed bool, diags *diag.Diagnostics) conversion.Prediction {
	if !d.ready() {
		return conversion.Prediction{Pending: wish.Pending}
	}
	predicted, err := d.engine.Predict(ctx, wish)
	project, at := fmt.Sprintf("project %q", wish.ProjectID), path.Root("project_id")
	var missing *conversion.MissingChapterError
	switch {
	case err == nil, ctx.Err() != nil:
	case errors.As(err, &missing) && needed:
		diags.Append(unable("convert", chapterThing(wish.ProjectID, audioprojects.Chapter{ChapterID: wish.ChapterID}), at, err))
	case errors.As(err, &missing):
		// The next refresh says so, and forgets the object.
	case conversion.Permanent(err) && needed:
		if d.said.first("error of " + project) {
			diags.Append(unable("read", project, at, err))
		}
	case d.said.first("warning of " + project):
		unread := unable("read", project, at, err, "So this plan does not know whether the chapters exist, or what their conversions cost. "+
			"The apply looks at each chapter before it requests anything.")
		diags.AddWarning(unread.Summary(), unread.Detail())
	}
	return predicted
}

// tell says what the apply, or the action, will do for a wish, and what that costs. It is an error if the plan costs more than allowed.
// adoptable: with keep_up_to_date the object would adopt a chapter that has nothing left.
func (d *providerData) tell(ctx context.Context, wish conversion.Demand, predicted conversion.Prediction, adoptable bool, diags *diag.Diagnostics) {
	var cost, bill string
	if d.ready() {
		if predicted.Requests(wish) {
			if err := d.engine.PlanRequest(wish, predicted.Chapter); err != nil {
				diags.Append(tooMany(path.Root("chapter_id"), err, "Together with what else this plan requests"))
			}
		}
		if !d.engine.Applying() {
			cost, bill = d.bill(ctx, wish, predicted, adoptable)
		}
	}
	switch summary, detail := predict(wish, predicted); {
	case summary == "":
		warn(diags, cost, bill)
	case predicted.Requests(wish) && bill != "":
		warn(diags, summary, detail+"\n\n"+bill)
	default:
		warn(diags, summary, detail)
	}
}

func warn(diags *diag.Diagnostics, summary, detail string) {
	if summary != "" {
		diags.AddWarning(summary, detail)
	}
}

// bill says what a new conversion for the wish costs, or that none is needed for a new object.
func (d *providerData) bill(ctx context.Context, wish conversion.Demand, predicted conversion.Prediction, adoptable bool) (summary, detail string) {
	project := fmt.Sprintf("project %q", wish.ProjectID)
	chapter := "Chapter " + identified(predicted.Chapter)
	left, counted := conversion.Unconverted(predicted.Chapter)
	most, known := wish.Characters(predicted.Chapter)
	switch adopted := predicted.Decision.Reason == conversion.NothingLeft && !wish.Known; {
	case adopted && !d.said.first("adopted in "+project), !adopted && !predicted.Requests(wish):
		return "", ""
	case adopted:
		return "Adopted at no cost in " + project, quoting("A chapter that has nothing left to convert when its turn comes is adopted: no conversion is requested for it. "+
			d.openIn(ctx, wish.ProjectID)) + "\n\nTo convert a chapter again all the same, " + convertChapterAgain
	case !known:
		return "Conversions that cost credits in " + project, quoting(chapter + " needs a conversion. The service does not count its characters.")
	case adoptable && counted && left == 0 && predicted.Pending == nil:
		return "Converted again although nothing is left in " + project, quoting(chapter+" has nothing left to convert, and applying converts it again: "+
			characters(most)+".") + "\n\nTo adopt it without a conversion, set `keep_up_to_date = true`, or import it."
	case wish.UpToDate:
		return "Conversions that cost credits in " + project, quoting(chapter + " needs a conversion of " + characters(most) + " at most. " + d.openIn(ctx, wish.ProjectID))
	default:
		return "Conversions that cost credits in " + project, quoting(chapter + " needs a conversion of all its text, " + characters(most) + " at most.")
	}
}

// openIn says how much text of a project is open.
func (d *providerData) openIn(ctx context.Context, projectID string) string {
	chapters, err := d.engine.Chapters(ctx, projectID)
	if err != nil {
		return ""
	}
	count, together := 0, int64(0)
	for _, chapter := range chapters {
		if s := chapter.Statistics; s != nil && s.CharactersUnconverted != nil && *s.CharactersUnconverted > 0 {
			count++
			together = conversion.Sum(together, int64(*s.CharactersUnconverted))
		}
	}
	return fmt.Sprintf("The project has %s left to convert, in %s of its %s.", characters(together), grouped(int64(count)), countOf(len(chapters), "chapter"))
}

// tooMany is the error for a conversion that exceeds max_characters, at the attribute that names the chapter or its project.
func tooMany(at path.Path, err error, together string) diag.Diagnostic {
	var bound *conversion.BoundError
	errors.As(err, &bound)
	what := "The conversion of " + chapterThing(bound.ProjectID, audioprojects.Chapter{ChapterID: bound.ChapterID, Name: bound.Name}) + " may take "
	hint := ""
	if at.Equal(path.Root("chapter_id")) {
		hint = " With `keep_up_to_date = true`, only text that is not converted yet counts."
	}
	if bound.Uncounted > 0 {
		return diag.NewAttributeErrorDiagnostic(at, "Too many characters to convert",
			quoting(what+"any number of characters, because the service does not count them. `max_characters` allows "+grouped(bound.Most)+".")+
				"\n\nTake `max_characters` or "+maxCharactersVariable+" away for this chapter, or take the chapter out.")
	}
	return diag.NewAttributeErrorDiagnostic(at, "Too many characters to convert",
		quoting(what+characters(bound.Characters)+". "+together+", that is "+grouped(bound.Together)+", and `max_characters` allows "+grouped(bound.Most)+".")+
			"\n\nNothing is requested for this chapter. Raise `max_characters` or "+maxCharactersVariable+", or convert fewer chapters at a time."+hint)
}

func characters(count int64) string {
	if count == 1 {
		return "1 character"
	}
	return grouped(count) + " characters"
}

// grouped writes a number with a comma after each third digit.
func grouped(number int64) string {
	digits := strconv.FormatInt(number, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// predict says what the apply will do about a conversion that exists already; it says nothing if there is none.
func predict(wish conversion.Demand, predicted conversion.Prediction) (summary, detail string) {
	const pending = "Conversion pending"
	switch decided, p := predicted.Decision, predicted.Pending; {
	case decided.Step == conversion.Join,
		p != nil && p.Joined() && decided.Reason == conversion.Converting:
		return "Conversion under way", "The chapter is being converted at this moment. Applying will join: it waits for that conversion, " +
			"and requests one only if text is still unconverted when it has ended."
	case p == nil:
		return "", ""
	case p.Failure != nil && decided.Step == conversion.Done:
		return pending, quoting("A conversion requested earlier failed. The service says: "+p.Failure.Line()) + "\n\nThe chapter has been converted since. Applying will request none."
	case p.Failure != nil:
		return "Conversion failed", quoting("A conversion requested earlier failed. The service says: "+p.Failure.Line()) + "\n\nApplying will request another conversion."
	case decided.Reason == conversion.Error:
		return "Conversion failed", quoting("A conversion requested earlier failed. The service says: "+decided.Words.Line()) + "\n\nApplying will request another conversion."
	case decided.Reason == conversion.OldError:
		return "Conversion failed", quoting("A conversion requested earlier has converted nothing. The service says: "+decided.Words.Line()) + olderError +
			"\n\nApplying will request another conversion."
	case decided.Reason == conversion.Nothing:
		return "Conversion failed", "A conversion requested earlier has ended without converting anything, and the service gives no error. Applying will request another conversion."
	case decided.Reason == conversion.NewTriggers:
		return pending, "A conversion requested earlier has ended well meanwhile. It was for other `triggers`, so applying will request one for these."
	case decided.Reason == conversion.OpenText:
		return pending, "The conversion that was waited for has ended and has left text unconverted, probably because the text was edited after it began. Applying will request one for the rest."
	case decided.Step == conversion.Done:
		return pending, "A conversion requested earlier has ended well meanwhile. Applying will take it up and request none."
	case !p.Confirmed:
		return pending, "It is not known whether the service received an earlier request for a conversion. " +
			"Applying will look for it first, and request one only if there is no sign of it."
	case decided.Reason == conversion.NoSignBefore, p.TimedOut:
		return pending, "The service accepted an earlier request, and has shown no conversion since. " +
			"Applying will look for it for 30 seconds, and request another only if there is no sign of it."
	case decided.Reason == conversion.NotShown:
		return pending, "The service accepted an earlier request, and does not show the conversion yet. " +
			"Applying will wait for a sign of it, and request another only if there is none."
	case decided.Reason == conversion.Watching, decided.Reason == conversion.Confirming:
		return pending, "It is not clear yet whether a conversion requested earlier has ended. Applying will wait until it is, and request one only if nothing was converted."
	case wish.Triggers != "" && wish.Triggers != p.Triggers && p.Triggers != "":
		return pending, "A conversion requested earlier is still running. It is for other `triggers`, so applying will wait for it and then request one for these."
	default:
		return pending, "A conversion requested earlier is still running. Applying will wait for it and request none."
	}
}
