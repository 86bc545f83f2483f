package edges_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The blocks with which the arguments of the provider are played.
const (
	argumentsConversion = "resource audioprojects_chapter_conversion"
	argumentsChapters   = "data source audioprojects_chapters"
)

// ofProvider is the play of a case of the provider block, by another block that uses it.
func (c argumentCase) ofProvider(user, way string) *argumentsRun {
	run := c.run(way)
	run.block = argumentBlockOf(user)
	for moment, given := range run.at {
		run.at[moment] = argumentGiven{settings: given.arguments, arguments: run.block.base()}
	}
	return run
}

// argumentsWithoutEnvironment unsets the variables of the provider until the test ends.
func argumentsWithoutEnvironment(t *testing.T) {
	t.Helper()
	for variable := range argumentEnvironments {
		t.Setenv(variable, "") // which sets it back
		err := os.Unsetenv(variable)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestArgumentsOfTheProvider plays those of the provider block. It sets the environment, so it runs alone.
func TestArgumentsOfTheProvider(t *testing.T) {
	argumentsWithoutEnvironment(t)
	for _, c := range argumentBlockOf("provider audioprojects").argumentCases() {
		if strings.Contains(c.String(), *only) {
			c.play(t, func(way string) *argumentsRun { return c.ofProvider(argumentsConversion, way) })
		}
	}
}

// TestArgumentsOfTheProviderUnknown: while any of them is unknown, nothing is asked. A resource is planned without that, or deferred. A data
// source is refused: what needs its values cannot be planned.
func TestArgumentsOfTheProviderUnknown(t *testing.T) {
	argumentsWithoutEnvironment(t)
	for _, a := range argumentBlockOf("provider audioprojects").arguments() {
		if len(a.values()) == 0 {
			continue // TestArgumentsHaveValues says so.
		}
		c := argumentCase{argument: a, argumentValue: a.values()[0]}
		if !strings.Contains(c.String(), *only) {
			continue
		}
		got := argumentsPlayed(t, c.ofProvider(argumentsConversion, argumentLate))
		if got.planned > 0 || got.moment != "" {
			t.Errorf("%s, unknown in the plan: got %d requests in the plan, and %q", a, got.planned, got.errors)
		}
		got = argumentsPlayed(t, c.ofProvider(argumentsChapters, argumentLate))
		if got.moment != argumentsPlan || got.free > 0 || !strings.Contains(strings.Join(got.errors, ""), "The provider block depends on values that are known only when the plan is applied") {
			t.Errorf("%s, unknown in the plan: a data source makes %d requests, and says %q", a, got.free, got.errors)
		}
		synctest.Test(t, func(t *testing.T) {
			run := c.ofProvider(argumentsConversion, argumentLate)
			run.T, run.service, run.deferral = t, argumentsService(), true
			run.wantDeferred()
		})
	}
}

// wantDeferred plans a resource in a core that can defer it.
func (r *argumentsRun) wantDeferred() {
	r.begin()
	process, _ := r.start(argumentsPlan)
	defer process.End()
	config := r.core.Value(r.at[argumentsPlan].arguments)
	planned, err := process.PlanResourceChange(r.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: r.block.name, PriorState: r.core.Encode(r.core.Null()), Config: r.core.Encode(config),
		ProposedNewState:   r.core.Encode(r.core.Propose(r.core.Null(), config)),
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: true},
	})
	r.core.Must(err, planned.Diagnostics...)
	asked := len(r.service.Journal())
	if planned.Deferred == nil || planned.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown || asked > 0 {
		r.Errorf("got %v and %d requests, want it deferred until the provider is known", planned.Deferred, asked)
	}
}

// argumentEnvironmentCase is a case with a value of the environment variable.
type argumentEnvironmentCase struct {
	argumentCase
	is, text string // what the variable is, and its value
}

// environmentCases are those of an argument: each kind of text in the variable, beside each kind of value in the block.
func (a argument) environmentCases() (all []argumentEnvironmentCase) {
	env := argumentEnvironments[a.variable]
	good := a.row().good[0]
	var bad argumentValue
	for _, value := range a.row().bad {
		if value.from == "" {
			bad = value
			break
		}
	}
	type variable struct{ is, text, says string }
	texts := []variable{{"good", env.good, ""}, {"empty", "", env.emptySays}}
	for _, text := range env.bad {
		texts = append(texts, variable{"bad", text, env.badSays})
	}
	for _, text := range texts {
		for _, block := range []argumentValue{{}, good, bad} {
			given, isBeside := block, env.unknownSays != ""
			if text.says != "" && block.says == "" && (isBeside || block.value == nil) {
				given.says, given.from, given.at = text.says, argumentsPlan, a.path
			}
			if isBeside {
				given.lateSays, given.lateAt = cmp.Or(text.says, env.unknownSays), a.path
				if text.says == "" {
					given.lateAt = "-"
				}
			}
			all = append(all, argumentEnvironmentCase{argumentCase{argument: a, argumentValue: given}, text.is, text.text})
		}
	}
	return all
}

// TestArgumentsFromTheEnvironment plays each text of each variable, beside each value of the block. It sets the environment, so it runs
// alone.
func TestArgumentsFromTheEnvironment(t *testing.T) {
	argumentsWithoutEnvironment(t)
	for _, a := range argumentBlockOf("provider audioprojects").arguments() {
		_, known := argumentEnvironments[a.variable]
		if a.variable != "" && !known {
			t.Errorf("%s can be set by %s, which has no values: add a row to argumentEnvironments", a, a.variable)
		}
		if !known || len(a.values()) == 0 {
			continue
		}
		for _, c := range a.environmentCases() {
			name := fmt.Sprintf("%s, %s %s", c, c.is, a.variable)
			if !strings.Contains(name, *only) {
				continue
			}
			t.Run(c.is, func(t *testing.T) {
				t.Setenv(a.variable, c.text)
				c.play(t, func(way string) *argumentsRun {
					run := c.ofProvider(argumentsConversion, way)
					run.name = name + ", " + way
					return run
				})
			})
		}
		c := a.environmentCases()[6] // the first bad one, beside none in the block
		t.Run("while another is unknown", func(t *testing.T) {
			t.Setenv(a.variable, c.text)
			run := c.ofProvider(argumentsConversion, argumentWritten)
			for _, moment := range []string{argumentsValidation, argumentsPlan} {
				given := run.at[moment]
				given.settings = maps.Clone(given.settings)
				given.settings["request_timeout"] = tftypes.UnknownValue
				run.at[moment] = given
			}
			got := argumentsPlayed(t, run)
			if got.moment != argumentsPlan || len(got.errors) != 1 || !strings.Contains(got.errors[0], c.says) {
				t.Errorf("%s, bad %s, and request_timeout unknown: refused at the %s: %q, want it at the plan", c, a.variable, got.moment, got.errors)
			}
		})
	}
}
