package provider_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// fullSentence begins with a capital letter and ends with a full stop.
var fullSentence = regexp.MustCompile(`^\p{Lu}(?s:.*)\.$`)

func TestSchemas_valid(t *testing.T) {
	t.Parallel()
	schemas, identities := everySchema(t)
	for _, diagnostic := range append(schemas.Diagnostics, identities.Diagnostics...) {
		t.Errorf("%s: %s", diagnostic.Summary, diagnostic.Detail)
	}
}

func TestSchemas_describedInFullSentences(t *testing.T) {
	t.Parallel()
	for name, description := range descriptions(everySchema(t)) {
		if !fullSentence.MatchString(description) {
			t.Errorf("%s: got description %q, want a full sentence", name, description)
		}
	}
}

// TestSchemas_haveTheirTestRows names the tests in which a new block is still missing.
func TestSchemas_haveTheirTestRows(t *testing.T) {
	t.Parallel()
	wantNames := func(table string, got, want []string) {
		t.Helper()
		slices.Sort(got)
		slices.Sort(want)
		got = slices.Compact(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s has rows for %v, want %v", table, got, want)
		}
	}
	schemas, _ := everySchema(t)
	var sources, resources, shown []string
	for _, source := range dataSources {
		sources = append(sources, source.name)
	}
	wantNames("dataSources", sources, slices.Collect(maps.Keys(schemas.DataSourceSchemas)))
	for _, kind := range resourceTypes {
		resources = append(resources, kind.name)
	}
	wantNames("resourceTypes", resources, slices.Collect(maps.Keys(schemas.ResourceSchemas)))

	// All data sources report errors in the same way, as TestDataSources_askOnceAndNameWhatTheyCannotRead shows.
	blocks := []string{"data audioprojects_project"}
	for name := range schemas.ResourceSchemas {
		blocks = append(blocks, "resource "+name)
	}
	for name := range schemas.ActionSchemas {
		blocks = append(blocks, "action "+name)
	}
	for name := range schemas.ListResourceSchemas {
		blocks = append(blocks, "list "+name)
	}
	for _, failingRequest := range failingRequests {
		shown = append(shown, failingRequest.block)
	}
	wantNames("meetings", shown, blocks)
}

// TestSchemas_chapterIsTheSameEverywhere: the resource has the same attributes of a chapter as the data sources.
func TestSchemas_chapterIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	schemas, _ := everySchema(t)
	resource := map[string]*tfprotov6.SchemaAttribute{}
	for _, attribute := range schemas.ResourceSchemas["audioprojects_chapter_conversion"].Block.Attributes {
		resource[attribute.Name] = attribute
	}
	for _, attribute := range schemas.DataSourceSchemas["audioprojects_chapters"].Block.Attributes {
		if attribute.NestedType == nil {
			continue
		}
		for _, read := range attribute.NestedType.Attributes {
			kept := resource[read.Name]
			switch {
			case kept == nil:
				t.Errorf("%s: the resource has no such attribute", read.Name)
			case !kept.ValueType().Equal(read.ValueType()):
				t.Errorf("%s: the resource has a %s, the data source a %s", read.Name, kept.ValueType(), read.ValueType())
			case read.Name != "chapter_id" && kept.Description != read.Description:
				t.Errorf("%s: got descriptions %q and %q", read.Name, kept.Description, read.Description)
			}
		}
	}
}

// everySchema requests the provider's schemas, and so makes the framework validate them.
func everySchema(t *testing.T) (*tfprotov6.GetProviderSchemaResponse, *tfprotov6.GetResourceIdentitySchemasResponse) {
	t.Helper()
	server := provider.NewServer("test", provider.Machine{})()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	identities, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return schemas, identities
}

// descriptions are the descriptions of every block and attribute, by path.
func descriptions(schemas *tfprotov6.GetProviderSchemaResponse, identities *tfprotov6.GetResourceIdentitySchemasResponse) map[string]string {
	found := ofBlock("provider", schemas.Provider.Block)
	for kind, all := range map[string]map[string]*tfprotov6.Schema{
		"resource": schemas.ResourceSchemas, "data": schemas.DataSourceSchemas, "list": schemas.ListResourceSchemas,
	} {
		for name, schema := range all {
			maps.Copy(found, ofBlock(kind+"."+name, schema.Block))
		}
	}
	for name, action := range schemas.ActionSchemas {
		maps.Copy(found, ofBlock("action."+name, action.Schema.Block))
	}
	for name, identity := range identities.IdentitySchemas {
		for _, attribute := range identity.IdentityAttributes {
			found["identity."+name+"."+attribute.Name] = attribute.Description
		}
	}
	return found
}

func ofBlock(path string, block *tfprotov6.SchemaBlock) map[string]string {
	found := map[string]string{path: block.Description}
	maps.Copy(found, ofAttributes(path, block.Attributes))
	for _, nested := range block.BlockTypes {
		maps.Copy(found, ofBlock(path+"."+nested.TypeName, nested.Block))
	}
	return found
}

func ofAttributes(path string, attributes []*tfprotov6.SchemaAttribute) map[string]string {
	found := map[string]string{}
	for _, attribute := range attributes {
		path := path + "." + attribute.Name
		found[path] = attribute.Description
		if attribute.NestedType != nil {
			maps.Copy(found, ofAttributes(path, attribute.NestedType.Attributes))
		}
	}
	return found
}
