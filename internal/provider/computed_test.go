package provider

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestFillComputed_refusesUnknownKey, also within a list of objects, but not in a map.
func TestFillComputed_refusesUnknownKey(t *testing.T) {
	t.Parallel()
	all := schema.Schema{Attributes: map[string]schema.Attribute{
		"name":     computedString("A name."),
		"chapters": computedList("Chapters.", map[string]schema.Attribute{"name": computedString("A name.")}),
		"failed":   schema.MapAttribute{Computed: true, ElementType: types.StringType},
	}}
	for name, test := range map[string]struct {
		shown any
		want  []string
	}{
		"every key":         {map[string]any{"name": "a", "chapters": []any{map[string]any{"name": "b"}}, "failed": map[string]any{"one": "c"}}, nil},
		"another one":       {map[string]any{"nom": "a"}, []string{"nom"}},
		"of a list's parts": {map[string]any{"chapters": []any{map[string]any{"nom": "b"}, map[string]any{"nom": "c"}}}, []string{"nom"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			kind := all.Type().TerraformType(context.Background())
			fillComputed(tfsdk.Config{Schema: all, Raw: nulls(kind)}, test.shown, &diags)
			if len(diags) != len(test.want) {
				t.Fatalf("got %v, want errors for %q", diags, test.want)
			}
			for i, key := range test.want {
				want := `The provider has a value for "` + key + `", but no attribute. This is a bug in the provider.`
				if diags[i].Detail() != want {
					t.Errorf("got %q, want %q", diags[i].Detail(), want)
				}
			}
		})
	}
}

// nulls is an object all of whose attributes are null.
func nulls(kind tftypes.Type) tftypes.Value {
	values := map[string]tftypes.Value{}
	for name, attribute := range kind.(tftypes.Object).AttributeTypes {
		values[name] = tftypes.NewValue(attribute, nil)
	}
	return tftypes.NewValue(kind, values)
}
