package histories_test

import (
	"slices"
	"strings"

	. "github.com/audioprojects/terraform-provider-audioprojects/internal/tests/histories"
)

// unpreventable is a case in which nobody can know better: all that any list shows fits another course, too, in which the provider would be
// right. A broken check is one of the first case that fits. A case that no history needs fails the test.
type unpreventable struct {
	name   string
	checks []string
	fits   func(combination) bool
}

// has says whether a history has an oddity whose kind begins so.
func (c combination) has(kinds ...string) bool {
	return slices.ContainsFunc(c.odd, func(o oddity) bool {
		return slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(o.kind, kind) })
	})
}

func with(kinds ...string) func(combination) bool {
	return func(c combination) bool { return c.has(kinds...) }
}

// and says whether both are so.
func and(a, b func(combination) bool) func(combination) bool {
	return func(c combination) bool { return a(c) && b(c) }
}

// failsAsBefore says whether a conversion fails and shows only the error message of before.
func failsAsBefore(c combination) bool {
	return c.has("a conversion fails with the error of before", "a conversion fails within a second") || c.has("an error stays") && c.has("somebody else's conversion fails")
}

// endsUnseen says whether a conversion may end and leave no trace.
func endsUnseen(c combination) bool {
	return c.has("a conversion is cancelled", "somebody cancels", "a conversion fails, and its message", "a conversion fails with the error of before", "a conversion fails within a second")
}

// convertsAgain says whether a resource converts a chapter that has no unconverted text: for new triggers, or another voice.
func convertsAgain(c combination) bool {
	h := c.history()
	return slices.ContainsFunc(h.Runs, func(r Run) bool {
		return slices.ContainsFunc(r.Changes, func(c Change) bool {
			return slices.Contains([]string{"triggers", "replace", "taint", "after", "rename"}, c.What)
		})
	})
}

// isOfAll says whether a resource is about all chapters of the project, and names none.
func isOfAll(c combination) bool {
	return slices.ContainsFunc(c.history().Resources, func(r Resource) bool { return r.Book && len(r.Chapters) == 0 })
}

// hidden says whether a message is dismissed before a list can show it.
func hidden(kind string) func(combination) bool {
	return func(c combination) bool {
		return slices.ContainsFunc(c.odd, func(o oddity) bool { return o.kind == kind && o.moment == ended.name })
	}
}

var paid, claimed, neverEnds, claimedOrSettled = []string{"I2", "I9"}, []string{"I1"}, []string{"I4"}, []string{"I1", "I4"}

var unpreventables = []unpreventable{
	{"A process is killed, and the resource converts also without unconverted text.", paid, and(with("a kill"), convertsAgain)},
	{"A conversion is cancelled after a part. A warning says what is left.", claimedOrSettled, with("a conversion is cancelled after a part")},
	{"A conversion fails after a part, and its message is dismissed before a list shows it. A warning says what is left.", claimedOrSettled, hidden("a conversion fails after a part, and its message is dismissed")},
	{"A conversion fails after a part, and its message is dismissed before a second list shows it. A warning says what is left, and the next plan counts it.", claimed, with("a conversion fails after a part, and its message")},
	{"A conversion of a chapter without unconverted text is cancelled.", claimed, and(with("a conversion is cancelled", "somebody cancels"), convertsAgain)},
	{"A conversion of a chapter without unconverted text fails, and shows only the error of before.", claimed, and(failsAsBefore, convertsAgain)},
	{"A conversion of a chapter without unconverted text fails, and its message is dismissed before a list shows it.", claimed, and(hidden("a conversion fails, and its message is dismissed"), convertsAgain)},
	{"A conversion of a chapter without unconverted text is not shown within 30 s. A warning says so.", claimed, and(with("a conversion is shown 45 s late"), convertsAgain)},
	{"The service accepts a request, and does nothing, because no text is unconverted. A warning says so.", claimed, and(with("requests have no effect"), convertsAgain)},
	{"The service accepts a request, and does nothing, and the timestamp stays before `converted_after`.", neverEnds, and(with("requests have no effect"), convertsAgain)},
	{"A conversion rests in its middle when its counts show all text as converted, because somebody has removed the rest.", claimed, and(with("a conversion rests for 10 s in its middle, and its counts move"), with("an edit removes"))},
	{"A conversion of a chapter without unconverted text rests in its middle for longer than a second look takes.", []string{"I1", "I2", "I8"}, and(with("a conversion rests for 10 s"), convertsAgain)},
	{"A conversion of a chapter without unconverted text shows an error, and is tried again while no apply looks.", paid, and(with("a conversion shows an error"), and(with("Ctrl-C", "a kill", "a timeout", "the service is down"), convertsAgain))},
	{"A chapter rests in a word of its own, and no list has shown its conversion run, or all of its text is replaced.", []string{"I4", "I10"}, and(with("a conversion ends in a word of its own"), with("an edit replaces", "Ctrl-C", "a kill", "a timeout", "the service is down", "a conversion ends at once", "no answer comes"))},
	{"Counts or lists come seconds late, and somebody else's conversion has ended in these seconds.", paid, and(with("counts come 5 s late", "lists lag", "every other list"), with("somebody else converts", "somebody has the whole"))},
	{"A conversion ends without a trace while no apply looks, and the next apply waits for it until its time is over.", []string{"I10"}, and(endsUnseen, with("Ctrl-C", "a kill", "a timeout", "the service is down", "an answer", "no answer comes", "a list is HTML", "a conversion is shown", "lists", "every other list"))},
	{"An error message of before stands, or the service sets no timestamps, and it converts nothing of the text: the apply fails.", []string{"I8"}, and(with("an error stays", "a conversion fails with the error of before", "the service sets no timestamps"), with("the service never converts"))},
	{"A conversion runs for more than a window in a word of its own, and its counts move.", []string{"I1", "I4", "I10"}, and(with("a conversion takes two minutes", "a conversion rests for 10 s in its middle, and its counts move"), with("a conversion runs in a word"))},
	{"Somebody else's conversion runs in a word of its own: the apply ends because of the state of the project.", []string{"I8"}, and(with("a conversion runs in a word"), with("somebody"))},
	{"`-replace` of a resource that knows what the service skips: Terraform shows what the plan says of an update, and not of the creation.", []string{"I9"}, with("changed: replace", "replaced with")},
	{"The first list lacks a chapter that nobody has named.", claimed, and(with("lists lack the chapter for 15 s"), isOfAll)},
	{"The service sets no timestamps, and `converted_after` needs one.", paid, with("the service sets no timestamps")},
	{"The service never converts a paragraph, and each resource and action has to learn that.", paid, with("the service never converts a paragraph")},
	{"Text is replaced with as much other text while it is converted. A warning says what is left.", claimedOrSettled, with("an edit replaces a paragraph")},
}

// caseOf is the case of a broken check; nil if it is in none.
func caseOf(c combination, b Break) *unpreventable {
	for i, u := range unpreventables {
		if slices.Contains(u.checks, b.Check) && u.fits(c) {
			return &unpreventables[i]
		}
	}
	return nil
}
