package edges_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// argumentValue is a value of an argument.
type argumentValue struct {
	value any
	// beside are other arguments that the block has then; nil removes one.
	beside map[string]any
	// says is a part of the error; empty for a good value.
	says string
	// at is where the error points, if that is not at the argument. A dash: at none.
	at string
	// from is where a known value can be refused first; empty: at validation.
	from string
	// lateSays is a part of the plan's error where the argument is unknown, and the environment is enough to judge; lateAt is its place.
	lateSays, lateAt string
}

// argumentRow has the values of an argument. A null has no need to be named: it is good where the argument is optional, and refused
// where it is required.
type argumentRow struct {
	argument string
	// blocks is the beginning of the names of the blocks that it is about, as [argument.String] writes them; empty: all.
	blocks    string
	good, bad []argumentValue
	// free says why there is no bad value.
	free string
}

func argumentGood(values ...any) (good []argumentValue) {
	for _, value := range values {
		good = append(good, argumentValue{value: value})
	}
	return good
}

func argumentBad(says string, values ...any) (bad []argumentValue) {
	for _, value := range values {
		bad = append(bad, argumentValue{value: value, says: says})
	}
	return bad
}

type argumentsMap = map[string]any

// argumentsBase are the arguments that a block needs.
var argumentsBase = argumentsMap{
	"project_id": "book", "chapter_id": "one", "project_snapshot_id": "old", "filename": argumentFolder + "/book.wav",
	"base_url": "http://localhost", "api_key": mockserver.Secret,
}

// base are those of a block: its required ones, and ids.
func (b argumentBlock) base() argumentsMap {
	given := argumentsMap{}
	for _, attribute := range b.schema.Block.Attributes {
		value, known := argumentsBase[attribute.Name]
		if known && (attribute.Required || attribute.Optional) {
			given[attribute.Name] = value
		}
	}
	return given
}

// row is that of an argument; an empty one if there is none.
func (a argument) row() *argumentRow {
	for i := range argumentRows {
		row := &argumentRows[i]
		if row.argument == a.path && strings.HasPrefix(a.String(), row.blocks) {
			return row
		}
	}
	return &argumentRow{}
}

// values are those of an argument: good ones, bad ones, and null. None, if there is no good one: TestArgumentsHaveValues says so.
func (a argument) values() []argumentValue {
	row := a.row()
	if len(row.good) == 0 {
		return nil
	}
	all := slices.Concat(row.good, row.bad)
	if !slices.ContainsFunc(all, func(v argumentValue) bool { return v.value == nil }) {
		null := argumentValue{}
		if a.required {
			null.says = "Must set a configuration value for the " + a.path + " attribute"
		}
		all = append(all, null)
	}
	return all
}

// TestArgumentsHaveValues: each argument of the schemas has a row of values, and each row has an argument.
func TestArgumentsHaveValues(t *testing.T) {
	t.Parallel()
	used := map[*argumentRow]bool{}
	for _, block := range argumentBlocks() {
		for _, a := range block.arguments() {
			row := a.row()
			used[row] = true
			switch {
			case row.argument == "":
				t.Errorf("%s has no values: add a row to argumentRows, with two good values, and bad ones with what their errors say", a)
			case len(row.good) == 0:
				t.Errorf("%s has no good value: add one to its row in argumentRows", a)
			case len(row.bad) == 0 && row.free == "" && !a.parts:
				t.Errorf("%s has no bad value: add one to its row in argumentRows, or say in free why there is none", a)
			case len(row.bad) > 0 && row.free != "":
				t.Errorf("%s has bad values, and says that there are none: %s", a, row.free)
			}
		}
	}
	for i := range argumentRows {
		if !used[&argumentRows[i]] {
			t.Errorf("no schema has an argument for this row of argumentRows: %s %s", argumentRows[i].blocks, argumentRows[i].argument)
		}
	}
}
