// Command conftest does what the tests of a policy need of Conftest, and builds in a sixth of its time: it tests a file of JSON against the
// policy's package main, each element of an array by itself, prints what the policy denies, and exits with 1 if that is anything.
// Usage: conftest test --policy POLICY FILE
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/open-policy-agent/opa/v1/rego"
)

func main() {
	if len(os.Args) != 5 || os.Args[1] != "test" || os.Args[2] != "--policy" {
		fail("usage: conftest test --policy POLICY FILE")
	}
	policy, file := os.Args[3], os.Args[4]
	text, err := os.ReadFile(file)
	if err != nil {
		fail(err)
	}
	var input any
	if err := json.Unmarshal(text, &input); err != nil {
		fail(file, err)
	}
	inputs, isArray := input.([]any)
	if !isArray {
		inputs = []any{input}
	}
	denied := map[string]bool{}
	for _, input := range inputs {
		results, err := rego.New(rego.Query("data.main.deny[_]"), rego.Load([]string{policy}, nil), rego.Input(input)).Eval(context.Background())
		if err != nil {
			fail(err)
		}
		for _, result := range results {
			denied[fmt.Sprint(result.Expressions[0].Value)] = true
		}
	}
	for message := range denied {
		fmt.Println("FAIL -", file, "- main -", message)
	}
	if len(denied) > 0 {
		os.Exit(1)
	}
}

func fail(what ...any) {
	fmt.Fprintln(os.Stderr, append([]any{"Error:"}, what...)...)
	os.Exit(1)
}
