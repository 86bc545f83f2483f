package edges_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// argumentsWhy says for each kind of block and each way in which a value is known why the verdict comes when it does.
var argumentsWhy = map[[2]string]string{
	{argumentsOfResources, argumentWritten}:      "Validators go by the value alone. What only the service or the disk knows, the plan asks.",
	{argumentsOfResources, argumentVariable}:     "A validation knows no variables. Terraform validates once more before it plans.",
	{argumentsOfResources, argumentLate}:         "Terraform validates and plans once more with all values, before it creates or updates. Only what a plan replaces is destroyed before that.",
	{argumentsOfDataSources, argumentWritten}:    "Arguments that do not go together are refused here, too: the read may come after a conversion that has been paid for.",
	{argumentsOfDataSources, argumentVariable}:   "As for a resource.",
	{argumentsOfDataSources, argumentLate}:       "Terraform reads in the plan nothing of which an argument is unknown, and validates once more before it reads.",
	{argumentsOfActions, argumentWritten}:        "As for a resource.",
	{argumentsOfActions, argumentVariable}:       "Terraform validates an action once, before it knows anything. So the provider validates it when it is planned, ...",
	{argumentsOfActions, argumentLate}:           "... and when it is invoked. Nothing is requested if the project lacks a chapter that the action names or leaves out.",
	{argumentsOfListResources, argumentWritten}:  "As for a resource. A query has no apply: what it asks, it asks at once.",
	{argumentsOfListResources, argumentVariable}: "Terraform validates once more before it lists.",
	{argumentsOfProvider, argumentWritten}:       "The environment is not judged by a validation, which may run elsewhere: what it can change is judged by the plan.",
	{argumentsOfProvider, argumentVariable}:      "Terraform validates once more before it configures the provider.",
	{argumentsOfProvider, argumentLate}:          "The plan asks nothing. It plans resources without that, and refuses data sources.",
	{argumentsOfEnvironment, argumentWritten}:    "Only a process that is configured reads its environment. A block that is refused is refused first.",
	{argumentsOfEnvironment, argumentVariable}:   "As above.",
	{argumentsOfEnvironment, argumentLate}:       "What the block may still set waits for it. `AUDIOPROJECTS_MAX_CHARACTERS` holds beside the block, and a plan without an estimate does not keep it.",
}

// argumentsOfEnvironment is the kind of the cases that have an environment variable.
const argumentsOfEnvironment = "provider, with a variable of the environment"

var argumentsTable = regexp.MustCompile(`\| block \| the value is known \|.*\n(\|.*\n)+`)

// argumentsClass counts the cases that are alike.
type argumentsClass struct {
	good       int
	bad, asked map[string]int // by the moment at which they are refused: by the value alone, or by what it is compared with
}

// classes are all cases by the kind of the block and the way in which the value is known.
func argumentsClasses() (classes map[[2]string]*argumentsClass, values, arguments int) {
	classes = map[[2]string]*argumentsClass{}
	add := func(kind string, c argumentCase) {
		values++
		for _, way := range c.ways() {
			key := [2]string{kind, way}
			if classes[key] == nil {
				classes[key] = &argumentsClass{bad: map[string]int{}, asked: map[string]int{}}
			}
			class, verdict := classes[key], c.verdictAt(way)
			switch {
			case verdict == "":
				class.good++
			case c.from == "":
				class.bad[verdict]++
			default:
				class.asked[verdict]++
			}
		}
	}
	for _, block := range argumentBlocks() {
		for _, c := range block.argumentCases() {
			add(block.kind, c)
		}
		for _, a := range block.arguments() {
			arguments++
			if a.variable == "" || len(a.values()) == 0 {
				continue
			}
			for _, c := range a.environmentCases() {
				add(argumentsOfEnvironment, c.argumentCase)
			}
		}
	}
	return classes, values, arguments
}

func argumentMomentsOf(counts map[string]int) string {
	var texts []string
	for _, moment := range argumentMoments {
		if counts[moment] > 0 {
			texts = append(texts, fmt.Sprintf("%s: %d", moment, counts[moment]))
		}
	}
	return strings.Join(texts, ", ")
}

// TestArgumentsTable compares the README's table with the cases.
func TestArgumentsTable(t *testing.T) {
	t.Parallel()
	classes, values, arguments := argumentsClasses()
	var table strings.Builder
	table.WriteString("| block | the value is known | good | refused by its value alone at | refused by the service, the disk or the environment at | why then |\n|---|---|---|---|---|---|\n")
	plays := 0
	for _, kind := range []string{argumentsOfResources, argumentsOfDataSources, argumentsOfActions, argumentsOfListResources, argumentsOfProvider, argumentsOfEnvironment} {
		for _, way := range []string{argumentWritten, argumentVariable, argumentLate} {
			class := classes[[2]string{kind, way}]
			if class == nil {
				continue
			}
			why := argumentsWhy[[2]string{kind, way}]
			if why == "" {
				t.Errorf("%s, %s: argumentsWhy does not say why the verdict comes when it does", kind, way)
			}
			fmt.Fprintf(&table, "| %s | %s | %d | %s | %s | %s |\n", kind, way, class.good, argumentMomentsOf(class.bad), argumentMomentsOf(class.asked), why)
			plays += class.good
			for _, count := range slices.Concat(slices.Collect(maps.Values(class.bad)), slices.Collect(maps.Values(class.asked))) {
				plays += count
			}
		}
	}
	fmt.Fprintf(&table, "| together | %d plays of %d values of %d arguments | | | | |\n", plays, values, arguments)
	recorded(t, argumentsTable, table.String())
}
