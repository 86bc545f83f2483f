package upgrade

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

var update = flag.Bool("update", false, "rewrite testdata/schema.txt")

// recorded has a line for each attribute, without its description, because a change of that breaks nobody.
const recorded = "testdata/schema.txt"

func TestSchema_isTheRecordedOne(t *testing.T) {
	t.Parallel()
	now := lines(t)
	if *update {
		if err := os.WriteFile(recorded, []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	var changed []string
	for sign, lines := range map[string][2][]string{"- ": {before, now}, "+ ": {now, before}} {
		for _, line := range lines[0] {
			if !slices.Contains(lines[1], line) {
				changed = append(changed, sign+line)
			}
		}
	}
	slices.Sort(changed)
	if len(changed) > 0 {
		t.Errorf(`The schema has changed:

%s

Does that break anybody who has a state or a configuration of an earlier version? It does if an attribute is removed or
renamed, has another type, is newly required, or is no longer optional or computed. If it does, the state needs an
upgrade (a schema version and its upgrader), and the changelog a word on the configuration. Then record the schema:

  go test ./internal/tests/upgrade -update
`, strings.Join(changed, "\n"))
	}
}

// schemas are those of this version.
func schemas(t *testing.T) (*tfprotov6.GetProviderSchemaResponse, *tfprotov6.GetResourceIdentitySchemasResponse) {
	t.Helper()
	server := provider.NewServer("test", provider.Machine{})()
	all, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	identities, failed := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return all, identities
}

// lines are the attributes of all schemas.
func lines(t *testing.T) (found []string) {
	t.Helper()
	schemas, identities := schemas(t)
	add := func(kind, name string, schema *tfprotov6.Schema) {
		if len(schema.Block.BlockTypes) > 0 {
			t.Fatal("a schema has nested blocks, which are not recorded yet")
		}
		found = append(found, describe(fmt.Sprintf("%s %s, version %d:", kind, name, schema.Version), schema.Block.Attributes)...)
	}
	add("provider", "audioprojects", schemas.Provider)
	for kind, all := range map[string]map[string]*tfprotov6.Schema{
		"resource": schemas.ResourceSchemas, "data source": schemas.DataSourceSchemas, "list resource": schemas.ListResourceSchemas,
	} {
		for name, schema := range all {
			add(kind, name, schema)
		}
	}
	for name, action := range schemas.ActionSchemas {
		add("action", name, action.Schema)
	}
	for name, identity := range identities.IdentitySchemas {
		for _, attribute := range identity.IdentityAttributes {
			found = append(found, fmt.Sprintf("identity %s, version %d: %s %s%s", name, identity.Version, attribute.Name, attribute.Type,
				flags(" required for import", attribute.RequiredForImport, " optional for import", attribute.OptionalForImport)))
		}
	}
	for i, line := range found {
		found[i] = strings.ReplaceAll(strings.ReplaceAll(line, "tftypes.", ""), ". ", ".")
	}
	slices.Sort(found)
	return found
}

// describe is a line for each attribute, and those of its own after it.
func describe(of string, attributes []*tfprotov6.SchemaAttribute) (found []string) {
	for _, attribute := range attributes {
		kind := fmt.Sprint(attribute.Type)
		nested := attribute.NestedType
		if nested != nil {
			kind = strings.ToLower(nested.Nesting.String())
			found = append(found, describe(of+" "+attribute.Name+".", nested.Attributes)...)
		}
		found = append(found, of+" "+attribute.Name+" "+kind+flags(" required", attribute.Required, " optional", attribute.Optional,
			" computed", attribute.Computed, " sensitive", attribute.Sensitive, " deprecated", attribute.Deprecated, " write-only", attribute.WriteOnly))
	}
	return found
}

// flags are the words that a true value follows.
func flags(wordsAndValues ...any) (set string) {
	for i := 0; i < len(wordsAndValues); i += 2 {
		if wordsAndValues[i+1].(bool) {
			set += wordsAndValues[i].(string)
		}
	}
	return set
}
