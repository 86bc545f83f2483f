package provider

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// tellBill says what the plan costs. It is an error if that is more than allowed.
func (d *providerData) tellBill(memory objectMemory, plan projectConversionModel, count int64, diags *diag.Diagnostics) {
	if d.ready() {
		most := map[string]*int64{}
		for _, open := range memory.Open {
			if !open.Waits && !open.Gone {
				most[open.ChapterID] = open.Characters
			}
		}
		if err := d.engine.PlanProject(plan.ProjectID.ValueString(), most); err != nil {
			diags.Append(memory.tooMany(plan, len(most), err))
		}
	}
	summary, detail := memory.bill(plan.thing(), count)
	if why := plan.onlyKnownLater(); why != "" {
		detail += "\n\n" + why
	}
	warn(diags, summary, detail)
}

// tooMany is the error for so many conversions of a book that exceed max_characters.
func (m objectMemory) tooMany(plan projectConversionModel, count int, err error) diag.Diagnostic {
	var bound *conversion.BoundError
	errors.As(err, &bound)
	at := path.Root("project_id")
	if !plan.ChapterIDs.IsNull() {
		at = path.Root("chapter_ids")
	}
	const summary = "Too many characters to convert"
	if bound.Uncounted > 0 {
		var names []string
		for _, open := range m.Open {
			if !open.Waits && !open.Gone && open.Characters == nil {
				names = append(names, open.Name)
			}
		}
		return diag.NewAttributeErrorDiagnostic(at, summary, quoting(fmt.Sprintf("The service does not count the characters of %s of %s, "+
			"so that their conversions cannot be kept within the %s that `max_characters` allows: %s.", countOf(bound.Uncounted, "chapter"), plan.thing(), grouped(bound.Most), firstOf(names)))+
			"\n\nTake `max_characters` or "+maxCharactersVariable+" away for this project, or name other chapters in `chapter_ids`.")
	}
	sum := fmt.Sprintf("The conversions of %s of %s may take %s together", countOf(count, "chapter"), plan.thing(), characters(bound.Characters))
	if bound.Together > bound.Characters {
		sum += ". Together with what else this plan requests, that is " + grouped(bound.Together)
	}
	return diag.NewAttributeErrorDiagnostic(at, summary, quoting(sum+", and `max_characters` allows "+grouped(bound.Most)+".")+
		"\n\nNothing is requested. Raise `max_characters` or "+maxCharactersVariable+", or convert fewer chapters at a time: name them in `chapter_ids`.")
}

// bill says what the apply costs. Terraform shows it again after the apply, so that it says nothing about the future. It is
// empty for a book with nothing to do.
func (m objectMemory) bill(thing string, count int64) (summary, detail string) {
	var convert, wait, paragraphs []string
	var together int64
	counted := true
	for _, chapter := range m.Open {
		switch {
		case chapter.Gone:
		case chapter.Waits:
			wait = append(wait, chapter.Name)
		case chapter.Characters == nil:
			counted = false
			convert = append(convert, chapter.Name+" (not counted)")
		default:
			together = conversion.Sum(together, *chapter.Characters)
			convert = append(convert, chapter.Name+" "+grouped(*chapter.Characters))
		}
	}
	if len(convert) > 0 {
		paragraphs = append(paragraphs, quoting("To convert: "+firstOf(convert)+"."))
	}
	if len(wait) > 0 {
		paragraphs = append(paragraphs, quoting("Waited for, and requested again only if nothing has been converted: "+firstOf(wait)+"."))
	}
	if settled := count - int64(len(m.Open)-len(m.gone())); settled > 0 {
		paragraphs = append(paragraphs, "Nothing left to convert, and nothing to pay: "+countOf(int(settled), "chapter")+".")
	}
	detail = strings.Join(paragraphs, "\n\n")
	costs := characters(together) + " at most"
	if !counted {
		costs = "not all of them counted"
	}
	switch {
	case len(convert) > 0:
		return "Conversions that cost credits in " + thing + ": " + countOf(len(convert), "chapter") + ", " + costs, detail
	case len(wait) > 0:
		return "Conversions under way in " + thing + ": " + countOf(len(wait), "chapter"), detail
	default:
		return "", ""
	}
}

// mostNamed is how many chapters are named in a message.
const mostNamed = 20

// firstOf names the first of many.
func firstOf(names []string) string {
	if count := len(names); count > mostNamed {
		return strings.Join(names[:mostNamed], ", ") + fmt.Sprintf(" and %d more", count-mostNamed)
	}
	return strings.Join(names, ", ")
}
