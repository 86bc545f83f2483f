package simulation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

const (
	resourceType = "audioprojects_chapter_conversion"
	actionType   = "audioprojects_convert_chapter"
)

// schema is what every process says of its types; it is asked for once.
type schema struct {
	provider, resource, action *tfprotov6.Schema
	types                      struct{ provider, resource, action tftypes.Type }
}

var schemas = sync.OnceValue(func() (s schema) {
	all, err := provider.NewServer("test")().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	s.provider, s.resource, s.action = all.Provider, all.ResourceSchemas[resourceType], all.ActionSchemas[actionType].Schema
	s.types.provider, s.types.resource, s.types.action = s.provider.ValueType(), s.resource.ValueType(), s.action.ValueType()
	return s
})

func wire(value tftypes.Value) *tfprotov6.DynamicValue {
	encoded, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		panic(err)
	}
	return &encoded
}

func read(encoded *tfprotov6.DynamicValue) tftypes.Value {
	value, err := encoded.Unmarshal(schemas().types.resource)
	if err != nil {
		panic(err)
	}
	return value
}

func null() tftypes.Value { return tftypes.NewValue(schemas().types.resource, nil) }

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

// propose is core's proposal: the configuration, and the prior value of what it leaves to the provider.
func propose(prior, config tftypes.Value) tftypes.Value {
	proposed := maps.Clone(attributesOf(config))
	for _, attribute := range schemas().resource.Block.Attributes {
		if attribute.Computed && proposed[attribute.Name].IsNull() && !prior.IsNull() {
			proposed[attribute.Name] = attributesOf(prior)[attribute.Name]
		}
	}
	return tftypes.NewValue(schemas().types.resource, proposed)
}

// differs names an attribute that was known and is not the same now.
func differs(before, now tftypes.Value) string {
	if before.IsNull() || now.IsNull() {
		if before.IsNull() != now.IsNull() {
			return "the object itself"
		}
		return ""
	}
	after := attributesOf(now)
	for name, want := range attributesOf(before) {
		if want.IsFullyKnown() && !want.Equal(after[name]) {
			return fmt.Sprintf("%s: %s became %s", name, want, after[name])
		}
	}
	return ""
}

// pending is the ticket in an object, and whether the conversion is our own.
func pending(value tftypes.Value) (text string, own bool) {
	if value.IsNull() {
		return "", false
	}
	ticket := attributesOf(value)["pending_conversion"]
	if ticket.IsNull() || !ticket.IsKnown() {
		return "", false
	}
	if err := ticket.As(&text); err != nil {
		panic(err)
	}
	var known struct {
		RequestedAtUnix *float64 `json:"requested_at_unix"`
	}
	if err := json.Unmarshal([]byte(text), &known); err != nil {
		panic(err)
	}
	return text, known.RequestedAtUnix != nil
}
