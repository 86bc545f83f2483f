package upgrade

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

var update = flag.Bool("update", false, "rewrite testdata/schema.json")

// recorded has the output of `terraform providers schema -json`, without descriptions, because a change of those breaks nobody.
const recorded = "testdata/schema.json"

func TestTheSchemaIsTheRecordedOne(t *testing.T) {
	t.Parallel()
	now, err := json.MarshalIndent(providerSchema(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	now = append(now, '\n')
	if *update {
		if err := os.WriteFile(recorded, now, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, now) {
		t.Errorf(`The schema has changed:
%s
Does that break anybody who has a state or a configuration of an earlier version? It does if an attribute is removed or
renamed, has another type, is newly required, or is no longer optional or computed. If it does, the state needs an
upgrade (a schema version and its upgrader), and the changelog a word on the configuration. Then record the schema:

  go test ./internal/upgrade -update
`, strings.Join(differences(t, before, now), "\n"))
	}
}

// providerSchema is in the form of `terraform providers schema -json`.
func providerSchema(t *testing.T) map[string]any {
	t.Helper()
	server := provider.NewServer("test")()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	identities, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	all := func(schemas map[string]*tfprotov6.Schema) map[string]any {
		found := map[string]any{}
		for name, schema := range schemas {
			found[name] = describe(t, schema)
		}
		return found
	}
	actions := map[string]any{}
	for name, action := range schemas.ActionSchemas {
		// An action is not in the state, so its schema has no version.
		actions[name] = map[string]any{"block": describe(t, action.Schema)["block"]}
	}
	identified := map[string]any{}
	for name, identity := range identities.IdentitySchemas {
		attributes := map[string]any{}
		for _, attribute := range identity.IdentityAttributes {
			attributes[attribute.Name] = withFlags(map[string]any{"type": attribute.Type}, map[string]bool{
				"required_for_import": attribute.RequiredForImport, "optional_for_import": attribute.OptionalForImport,
			})
		}
		identified[name] = map[string]any{"version": identity.Version, "attributes": attributes}
	}
	return map[string]any{
		"provider":                  describe(t, schemas.Provider),
		"resource_schemas":          all(schemas.ResourceSchemas),
		"data_source_schemas":       all(schemas.DataSourceSchemas),
		"list_resource_schemas":     all(schemas.ListResourceSchemas),
		"action_schemas":            actions,
		"resource_identity_schemas": identified,
	}
}

func describe(t *testing.T, schema *tfprotov6.Schema) map[string]any {
	t.Helper()
	if len(schema.Block.BlockTypes) > 0 {
		t.Fatal("a schema has nested blocks, which are not recorded yet")
	}
	block := map[string]any{}
	if attributes := describeAll(schema.Block.Attributes); len(attributes) > 0 {
		block["attributes"] = attributes
	}
	return map[string]any{"version": schema.Version, "block": block}
}

func describeAll(attributes []*tfprotov6.SchemaAttribute) map[string]any {
	found := map[string]any{}
	for _, attribute := range attributes {
		described := map[string]any{}
		if nested := attribute.NestedType; nested != nil {
			described["nested_type"] = map[string]any{
				"attributes": describeAll(nested.Attributes), "nesting_mode": strings.ToLower(nested.Nesting.String()),
			}
		} else {
			described["type"] = attribute.Type
		}
		found[attribute.Name] = withFlags(described, map[string]bool{
			"required": attribute.Required, "optional": attribute.Optional, "computed": attribute.Computed,
			"sensitive": attribute.Sensitive, "deprecated": attribute.Deprecated, "write_only": attribute.WriteOnly,
		})
	}
	return found
}

func withFlags(described map[string]any, flags map[string]bool) map[string]any {
	for name, set := range flags {
		if set {
			described[name] = true
		}
	}
	return described
}

// differences are the values that only one of two JSON texts has, each with its path.
func differences(t *testing.T, before, now []byte) []string {
	t.Helper()
	var was, is any
	if err := json.Unmarshal(before, &was); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(now, &is); err != nil {
		t.Fatal(err)
	}
	gone, added := map[string]bool{}, map[string]bool{}
	flatten("", was, gone)
	flatten("", is, added)
	var found []string
	for _, path := range slices.Sorted(maps.Keys(gone)) {
		if !added[path] {
			found = append(found, "  - "+path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(added)) {
		if !gone[path] {
			found = append(found, "  + "+path)
		}
	}
	return found
}

func flatten(path string, value any, into map[string]bool) {
	members, isObject := value.(map[string]any)
	if !isObject {
		into[fmt.Sprintf("%s: %v", path, value)] = true
	}
	for name, member := range members {
		flatten(strings.TrimPrefix(path+"."+name, "."), member, into)
	}
}
