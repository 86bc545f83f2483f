package edges_test

import (
	"fmt"
	"maps"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// The ways in which a value is known: written in the configuration, from a variable, which the validation does not know, or from what is
// created in the apply.
const (
	argumentWritten  = "written"
	argumentVariable = "from a variable"
	argumentLate     = "late"
)

// argumentCase is a value of an argument, in a new block or in one that changes.
type argumentCase struct {
	argument
	argumentValue
	// changes says that the resource exists, with the first good value.
	changes bool
}

func (c argumentCase) String() string {
	text := fmt.Sprintf("%s = %#v", c.argument, c.value)
	for _, name := range slices.Sorted(maps.Keys(c.beside)) {
		text += fmt.Sprintf(", %s = %v", name, c.beside[name])
	}
	if c.changes {
		text += ", changed"
	}
	return text
}

// argumentCases are all of a block.
func (b argumentBlock) argumentCases() (all []argumentCase) {
	for _, a := range b.arguments() {
		for _, value := range a.values() {
			all = append(all, argumentCase{a, value, false})
			if b.kind == argumentsOfResources {
				all = append(all, argumentCase{a, value, true})
			}
		}
	}
	return all
}

// ways are those in which a value of the block can be known. A query has no apply.
func (b argumentBlock) ways() []string {
	if b.kind == argumentsOfListResources {
		return []string{argumentWritten, argumentVariable}
	}
	return []string{argumentWritten, argumentVariable, argumentLate}
}

// verdictAt is the moment at which a bad value is refused: the earliest at which it is known, and can be judged.
func (c argumentCase) verdictAt(way string) string {
	switch {
	case way == argumentLate && c.lateSays != "":
		return argumentsPlan
	case c.says == "":
		return ""
	}
	known := map[string]string{argumentWritten: argumentsValidation, argumentVariable: argumentsPlan, argumentLate: argumentsApply}[way]
	if known == argumentsValidation && c.from != "" {
		return c.from
	}
	return known
}

// run is the play of a case with its value known in a way.
func (c argumentCase) run(way string) *argumentsRun {
	run := &argumentsRun{block: c.argumentBlock, name: c.String() + ", " + way, at: map[string]argumentGiven{}}
	base := c.base()
	maps.Copy(base, c.beside)
	for _, moment := range argumentMoments {
		value := c.value
		if moment == argumentsValidation && way != argumentWritten || moment == argumentsPlan && way == argumentLate {
			value = tftypes.UnknownValue
		}
		run.at[moment] = argumentGiven{argumentBlockOf("provider audioprojects").base(), c.in(base, value)}
	}
	if c.changes {
		first := c.row().good[0]
		existed := c.base()
		maps.Copy(existed, first.beside)
		run.existed = c.in(existed, first.value)
	}
	return run
}

// TestArguments plays each value of each argument in each way in which it can be known.
func TestArguments(t *testing.T) {
	t.Parallel()
	debug.SetGCPercent(800) // there is enough memory, and collecting garbage takes time
	number := map[string]int{}
	for _, block := range argumentBlocks() {
		if block.kind == argumentsOfProvider {
			continue
		}
		var played []argumentCase
		for _, c := range block.argumentCases() {
			if strings.Contains(c.String(), *only) && (*all || *only != "" || c.isDue(number)) {
				played = append(played, c)
			}
		}
		t.Run(strings.ReplaceAll(block.kind+" "+block.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			for _, c := range played {
				c.play(t, c.run)
			}
		})
	}
}

// isDue reports whether a case is among those of each run: all that is refused in a new block, one of five of what is refused in a changed
// one, and one of five of what is good, because a conversion takes most time. number counts the cases of each kind.
func (c argumentCase) isDue(number map[string]int) bool {
	kind, stride := "", 1
	switch {
	case c.says == "":
		kind, stride = "good", 5
	case c.changes:
		kind, stride = "changed", 5
	}
	number[kind]++
	return number[kind]%stride == 0
}

// play plays a case in each way, and compares each with the first one.
func (c argumentCase) play(t *testing.T, runOf func(way string) *argumentsRun) {
	t.Helper()
	var written argumentOutcome
	for _, way := range c.ways() {
		run := runOf(way)
		run.traced = *only != ""
		if run.traced {
			t.Log(run.name)
		}
		got := argumentsPlayed(t, run)
		if way == argumentWritten {
			written = got
		}
		for _, wrong := range c.judge(way, got, written) {
			t.Errorf("%s: %s", run.name, wrong)
		}
	}
}

// argumentSentence is how a text begins and ends that people can read.
var argumentSentence = regexp.MustCompile(`(?s)^[A-Z][^\n]*\n["A-Z\x60].*[.!]$|^[A-Z][^\n]*\n.*\n  - .*$`)

// judge says what is wrong with the outcome of a play. written is the outcome with the value in the configuration.
func (c argumentCase) judge(way string, got, written argumentOutcome) (wrong []string) {
	want := c.verdictAt(way)
	if way == argumentLate && c.lateSays != "" {
		c.says, c.from, c.at = c.lateSays, argumentsPlan, c.lateAt
	}
	say := func(format string, values ...any) { wrong = append(wrong, fmt.Sprintf(format, values...)) }
	switch {
	case got.moment != want && want == "":
		say("refused at the %s: %q", got.moment, got.errors)
	case got.moment != want && got.moment == "":
		say("not refused, want an error at the %s that says %q", want, c.says)
	case got.moment != want:
		say("refused at the %s, want it at the %s: %q", got.moment, want, got.errors)
	case got.action == fakecore.Replace && written.action != fakecore.Replace:
		// Terraform replaces what may change, also if it turns out to be as before.
	case want == "":
		if !slices.Equal(got.costs, written.costs) {
			say("got the requests %q, and with the value in the configuration %q", got.costs, written.costs)
		}
		if got.result != written.result {
			say("got %s, and with the value in the configuration %s", got.result, written.result)
		}
		if got.next != "" && got.next != fakecore.NoOp {
			say("the next plan is %s", got.next)
		}
	default:
		at := c.at
		switch at {
		case "":
			at = c.path
		case "-":
			at = ""
		}
		if len(got.errors) != 1 || !strings.HasPrefix(got.errors[0], at+": ") || !strings.Contains(strings.Join(strings.Fields(got.errors[0]), " "), c.says) {
			say("got %q, want one error at %s that says %q", got.errors, at, c.says)
		}
		for _, text := range got.details {
			if !argumentSentence.MatchString(text) {
				say("the error has no sentence: %q", text)
			}
		}
		if len(got.costs) > 0 {
			say("it is refused, after the requests %q", got.costs)
		}
		if c.from == "" && !slices.Equal(got.errors, written.errors) {
			say("got %q, and with the value in the configuration %q", got.errors, written.errors)
		}
		if c.from == "" && want == argumentsValidation && got.free > 0 {
			say("it is refused after %d requests", got.free)
		}
	}
	return wrong
}
