// Package edges_test changes what comes to the provider from outside, in each way: each answer of the service (wire), each argument of a
// configuration (arguments), and each step of a file (files). The README says what follows from which change.
package edges_test

import (
	"context"
	"flag"
	"net/http"
	"os"
	"regexp"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

var (
	all    = flag.Bool("all", false, "play all, and not only as many as each change of the code can wait for")
	only   = flag.String("only", "", "play only what has this text in its name, and print its course")
	update = flag.Bool("update", false, "write the tables of the README")
)

func TestMain(m *testing.M) { os.Exit(clitest.Main(m)) }

// schemas are the provider's. Blocks and arguments are taken from them, so that a new one is not forgotten.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	all, err := provider.NewServer("test", provider.Machine{})().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	return all
})

// newProcess starts a provider that is not configured yet, with a network of its own.
func newProcess(transport *http.Transport, end func()) *fakecore.Process {
	server := provider.NewServer("test", provider.Machine{Transport: transport})()
	return &fakecore.Process{Provider: server.(fakecore.Provider), End: end}
}

// recorded compares a part of the README with a text that the tests make, or writes it.
func recorded(t *testing.T, part *regexp.Regexp, text string) {
	t.Helper()
	const readme = "README.md"
	all, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	now := part.ReplaceAllLiteralString(string(all), text)
	switch {
	case !part.Match(all):
		t.Errorf("the README lacks a part that reads %s", part)
	case now == string(all):
	case !*update:
		t.Errorf("the README says something else than this, which -update records:\n%s", text)
	default:
		if err := os.WriteFile(readme, []byte(now), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
