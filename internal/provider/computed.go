package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// readArguments sets the fields of a struct by the attributes of the same names, as far as the schema has them. The framework's own
// Get wants a field for each attribute, also for those that nobody reads.
func readArguments(ctx context.Context, config tfsdk.Config, arguments any, diags *diag.Diagnostics) {
	attributes := config.Schema.GetAttributes()
	for field, value := range reflect.ValueOf(arguments).Elem().Fields() {
		name := field.Tag.Get("tfsdk")
		if attributes[name] != nil {
			diags.Append(config.GetAttribute(ctx, path.Root(name), value.Addr().Interface())...)
		}
	}
}

// fillComputed sets the computed attributes of an object by what a struct or a map shows in JSON. A struct of the client gives its fields
// the names that the document has, which are those of the attributes as well, so that none is told again in this package. An argument
// stays as it was given, even if the service spells it differently. Where some are unknown, the resource is planned, and what is known
// stays as well: Terraform refuses a result that differs from its plan. A key that the schema lacks is an error: its attribute would be
// null for ever.
func fillComputed(object tfsdk.Config, shown any, diags *diag.Diagnostics) tftypes.Value {
	var values map[string]tftypes.Value
	var fields map[string]any
	text, _ := json.Marshal(shown) // Texts, numbers and booleans always encode.
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if object.Raw.As(&values) != nil || decoder.Decode(&fields) != nil {
		return object.Raw // Neither happens: both are objects.
	}
	planned := !object.Raw.IsFullyKnown()
	for _, key := range unknownKeys(object.Raw.Type(), fields) {
		diags.AddError("Attribute that the schema lacks", "The provider has a value for "+strconv.Quote(key)+", but no attribute. This is a bug in the provider.")
	}
	for name, attribute := range object.Schema.GetAttributes() {
		value := values[name]
		field, shows := fields[name]
		switch {
		case !attribute.IsComputed(), attribute.IsOptional() && !value.IsNull(), planned && value.IsKnown():
		case shows:
			values[name] = terraformValue(value.Type(), field)
		case !value.IsKnown():
			values[name] = tftypes.NewValue(value.Type(), nil)
		}
	}
	return tftypes.NewValue(object.Raw.Type(), values)
}

// unknownKeys are the keys of a value of JSON for which an object's type has no attribute.
func unknownKeys(wanted tftypes.Type, value any) (keys []string) {
	switch value := value.(type) {
	case []any:
		list, _ := wanted.(tftypes.List)
		for _, element := range value {
			keys = append(keys, unknownKeys(list.ElementType, element)...)
		}
	case map[string]any:
		object, isObject := wanted.(tftypes.Object)
		for key, part := range value {
			attribute, exists := object.AttributeTypes[key]
			if isObject && !exists {
				keys = append(keys, key)
			} else if isObject {
				keys = append(keys, unknownKeys(attribute, part)...)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// terraformValue is a value of JSON that has the type of its attribute. What the library has for that makes a decoder for every number,
// and takes seconds for a long book.
func terraformValue(wanted tftypes.Type, value any) tftypes.Value {
	switch value := value.(type) {
	case json.Number:
		number, _, _ := big.ParseFloat(value.String(), 10, 512, big.ToNearestEven) // as precisely as Terraform
		return tftypes.NewValue(wanted, number)
	case []any:
		list, _ := wanted.(tftypes.List)
		elements := make([]tftypes.Value, len(value))
		for i := range value {
			elements[i] = terraformValue(list.ElementType, value[i])
		}
		return tftypes.NewValue(wanted, elements)
	case map[string]any:
		parts := map[string]tftypes.Value{}
		object, isObject := wanted.(tftypes.Object)
		if isObject {
			for name, part := range object.AttributeTypes {
				parts[name] = terraformValue(part, value[name])
			}
		} else {
			for key, text := range value {
				parts[key] = terraformValue(tftypes.String, text)
			}
		}
		return tftypes.NewValue(wanted, parts)
	}
	return tftypes.NewValue(wanted, value)
}
