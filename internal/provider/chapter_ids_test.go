package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestSameValues compares sets without their order, and tells null, empty and unknown ones apart.
func TestSameValues(t *testing.T) {
	t.Parallel()
	object := func(ids any) tftypes.Value {
		set := tftypes.Set{ElementType: tftypes.String}
		of := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"ids": set, "name": tftypes.String}}
		return tftypes.NewValue(of, map[string]tftypes.Value{"ids": tftypes.NewValue(set, ids), "name": tftypes.NewValue(tftypes.String, "book")})
	}
	element := func(value any) tftypes.Value { return tftypes.NewValue(tftypes.String, value) }
	values := map[string]tftypes.Value{
		"null": object(nil), "unknown": object(tftypes.UnknownValue), "empty": object([]tftypes.Value{}),
		"one and two":         object([]tftypes.Value{element("one"), element("two")}),
		"one and three":       object([]tftypes.Value{element("one"), element("three")}),
		"one and an unknown":  object([]tftypes.Value{element("one"), element(tftypes.UnknownValue)}),
		"one, two, and three": object([]tftypes.Value{element("one"), element("two"), element("three")}),
	}
	for one, value := range values {
		for other, another := range values {
			if sameValues(value, another) != (one == other) {
				t.Errorf("%s and %s: got %t", one, other, one != other)
			}
		}
	}
	if !sameValues(values["one and two"], object([]tftypes.Value{element("two"), element("one")})) {
		t.Error("another order is another set")
	}
}
