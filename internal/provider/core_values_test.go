package provider_test

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// schemas asks for the schema once: core does so, too.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	server := provider.NewServer("test")()
	all, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	return all
})

// kind is a resource, with the arguments that objects of it have unless a test says otherwise.
type kind struct {
	name     string
	defaults map[string]any
}

var chapterConversion = kind{"audioprojects_chapter_conversion", map[string]any{"project_id": "book", "chapter_id": "one"}}

const keepUpToDate = "keep_up_to_date"

func (k kind) schema() *tfprotov6.Schema { return schemas().ResourceSchemas[k.name] }

func (c *core) config() tftypes.Value {
	arguments := maps.Clone(c.defaults)
	maps.Copy(arguments, c.arguments)
	return valueOf(c.schema().ValueType(), arguments)
}

// propose is core's proposal: the configuration, and the prior value of what it leaves to the provider.
func (c *core) propose(prior, config tftypes.Value) tftypes.Value {
	proposed := maps.Clone(attributesOf(config))
	for _, attribute := range c.schema().Block.Attributes {
		if attribute.Computed && proposed[attribute.Name].IsNull() && !prior.IsNull() {
			proposed[attribute.Name] = attributesOf(prior)[attribute.Name]
		}
	}
	return tftypes.NewValue(c.schema().ValueType(), proposed)
}

// pending is the resume ticket in the state; empty if there is none.
func (c *core) pending() string {
	c.Helper()
	var text *string
	c.must(attributesOf(c.object.value)["pending_conversion"].As(&text))
	if text == nil {
		return ""
	}
	return *text
}

func (c *core) wire(value tftypes.Value) *tfprotov6.DynamicValue {
	c.Helper()
	encoded, err := tfprotov6.NewDynamicValue(value.Type(), value)
	c.must(err)
	return &encoded
}

func (c *core) read(encoded *tfprotov6.DynamicValue) tftypes.Value {
	c.Helper()
	value, err := encoded.Unmarshal(c.schema().ValueType())
	c.must(err)
	return value
}

func (c *core) must(err error, diagnostics ...*tfprotov6.Diagnostic) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
	for _, diagnostic := range diagnostics {
		c.Fatalf("%s: %s", diagnostic.Summary, diagnostic.Detail)
	}
}

func attributesOf(value tftypes.Value) map[string]tftypes.Value {
	var attributes map[string]tftypes.Value
	if err := value.As(&attributes); err != nil {
		panic(err)
	}
	return attributes
}

// valueOf makes a value of texts, booleans and maps of them; what a map leaves out is null.
func valueOf(kind tftypes.Type, from any) tftypes.Value {
	given, isMap := from.(map[string]any)
	if !isMap {
		return tftypes.NewValue(kind, from)
	}
	values := map[string]tftypes.Value{}
	switch kind := kind.(type) {
	case tftypes.Object:
		for name, kind := range kind.AttributeTypes {
			values[name] = valueOf(kind, given[name])
		}
	case tftypes.Map:
		for key, value := range given {
			values[key] = valueOf(kind.ElementType, value)
		}
	default:
		panic(fmt.Sprintf("no map fits a %s", kind))
	}
	return tftypes.NewValue(kind, values)
}
