package fakecore

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// ValueOf makes a value from texts, numbers, booleans, sets of texts and maps of them. Attributes that a map lacks are null.
func ValueOf(kind tftypes.Type, from any) tftypes.Value {
	texts, isSet := from.([]string)
	if isSet {
		var elements []tftypes.Value
		for _, text := range texts {
			elements = append(elements, tftypes.NewValue(tftypes.String, text))
		}
		return tftypes.NewValue(kind, elements)
	}
	given, isMap := from.(map[string]any)
	if !isMap {
		return tftypes.NewValue(kind, from)
	}
	values := map[string]tftypes.Value{}
	switch kind := kind.(type) {
	case tftypes.Object:
		for name, kind := range kind.AttributeTypes {
			values[name] = ValueOf(kind, given[name])
		}
	case tftypes.Map:
		for key, value := range given {
			values[key] = ValueOf(kind.ElementType, value)
		}
	default:
		panic(fmt.Sprintf("no map fits a %s", kind))
	}
	return tftypes.NewValue(kind, values)
}

// AttributesOf are the attributes of an object, by name; none if it is null.
func AttributesOf(object tftypes.Value) map[string]tftypes.Value {
	var attributes map[string]tftypes.Value
	if err := object.As(&attributes); err != nil {
		panic(err)
	}
	return attributes
}

// changedAttribute names an attribute that was known and has another value now; empty if there is none.
func changedAttribute(before, now tftypes.Value) string {
	if before.IsNull() || now.IsNull() {
		if before.IsNull() != now.IsNull() {
			return "the object itself"
		}
		return ""
	}
	after := AttributesOf(now)
	for name, want := range AttributesOf(before) {
		if want.IsFullyKnown() && !want.Equal(after[name]) {
			return fmt.Sprintf("%s: %s became %s", name, want, after[name])
		}
	}
	return ""
}
