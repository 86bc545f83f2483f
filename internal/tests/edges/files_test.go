//go:build linux

package edges_test

import (
	"fmt"
	"strings"
	"testing"
)

// filesStride is how many plays of one operation and one row of the table there are for one that each run of the tests plays.
const filesStride = 149

// TestFiles plays each scenario with each change of one of its steps. The steps are those on Linux. The test is not parallel,
// because it may write the README.
func TestFiles(t *testing.T) {
	type kind struct {
		row       *filesRow
		operation string
	}
	steps, plays, number := 0, map[*filesRow]int{}, map[kind]int{}
	for _, scenario := range filesScenarios {
		usual := scenario.play(t, filesChange{}, filesResult{})
		steps += len(usual.steps)
		if len(usual.told) != scenario.tells {
			t.Errorf("%s: got %q, want %d warnings and errors", scenario.name, usual.told, scenario.tells)
		}
		for _, each := range usual.changes() {
			row := filesRowOf(scenario, each)
			if row == nil {
				t.Errorf("%s: no row of filesTable says what follows from %s; it is taken within %q", scenario.name, each.change, each.step.functions)
				continue
			}
			plays[row]++
			number[kind{row, each.step.operation}]++
			name := fmt.Sprintf("%s/%s", scenario.name, each.change)
			isPicked := *all || *only != "" || number[kind{row, each.step.operation}]%filesStride == 1
			if !isPicked || !strings.Contains(name, *only) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				result := scenario.play(t, each.change, usual)
				row.want(t, each, result)
				if *only != "" || t.Failed() {
					t.Log(result.course)
				}
			})
		}
	}
	filesReadme(t, steps, plays)
}
