package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// dataSource reads what its arguments name. A has a field for each attribute that a configuration may set.
type dataSource[A any] struct {
	*providerData
	name   string
	schema schema.Schema
	// read returns the other attributes: a struct of the client, or a map by their names.
	read func(ctx context.Context, d *providerData, arguments A, diags *diag.Diagnostics) any
}

var _ datasource.DataSourceWithConfigure = &dataSource[ofProject]{}

func (s *dataSource[A]) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + s.name
}

func (s *dataSource[A]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = s.schema
}

func (s *dataSource[A]) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	s.providerData, _ = req.ProviderData.(*providerData)
}

func (s *dataSource[A]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var arguments A
	readArguments(ctx, req.Config, &arguments, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !s.ready() {
		resp.Diagnostics.Append(say.UnknownProvider("read", strings.ReplaceAll(s.name[1:], "_", " ")))
		return
	}
	found := s.read(ctx, s.providerData, arguments, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.State.Raw = fillComputed(req.Config, found, &resp.Diagnostics)
	}
}

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
// stays as well: Terraform refuses a result that differs from its plan. A key that the schema lacks is an error: its attribute would be null for ever.
func fillComputed(object tfsdk.Config, shown any, diags *diag.Diagnostics) tftypes.Value {
	var values map[string]tftypes.Value
	var fields map[string]any
	text, _ := json.Marshal(shown) // Texts, numbers and booleans always encode.
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = errors.Join(object.Raw.As(&values), decoder.Decode(&fields)) // They are objects.
	planned := !object.Raw.IsFullyKnown()
	for _, key := range keysBeside(object.Raw.Type(), fields) {
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

// keysBeside are the keys of a value of JSON for which an object's type has no attribute.
func keysBeside(wanted tftypes.Type, value any) (keys []string) {
	switch value := value.(type) {
	case []any:
		list, _ := wanted.(tftypes.List)
		for _, element := range value {
			keys = append(keys, keysBeside(list.ElementType, element)...)
		}
	case map[string]any:
		object, isObject := wanted.(tftypes.Object)
		for key, part := range value {
			attribute, exists := object.AttributeTypes[key]
			if isObject && !exists {
				keys = append(keys, key)
			} else if isObject {
				keys = append(keys, keysBeside(attribute, part)...)
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

// ofProject are the arguments of a data source that is about all of a project.
type ofProject struct {
	ProjectID types.String `tfsdk:"project_id"`
}

// These build attributes of the package datasource/schema. The schemas of resources, actions and list resources take them, too, because
// their interfaces of an attribute have the same methods.

func requiredID(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Required: true, Validators: []validator.String{identifier}}
}

func argument(description string, validators ...validator.String) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Validators: validators}
}

func argumentBool(description string) schema.Attribute {
	return schema.BoolAttribute{MarkdownDescription: description, Optional: true}
}

func argumentNumber(description string, rule wholeNumber) schema.Attribute {
	return schema.NumberAttribute{MarkdownDescription: description, Optional: true, Validators: []validator.Number{rule}}
}

func argumentIDs(description string, validators []validator.Set) schema.Attribute {
	return schema.SetAttribute{MarkdownDescription: description, Optional: true, ElementType: types.StringType, Validators: validators}
}

// computedArgument is read if it is not given.
func computedArgument(description string, validators ...validator.String) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Computed: true, Validators: validators}
}

func computedString(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Computed: true}
}

func computedBool(description string) schema.Attribute {
	return schema.BoolAttribute{MarkdownDescription: description, Computed: true}
}

func computedInt64(description string) schema.Attribute {
	return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
}

func computedFloat64(description string) schema.Attribute {
	return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
}

// computedJSON is JSON as the service gave it.
func computedJSON(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Computed: true, CustomType: jsontypes.NormalizedType{}}
}

func computedStrings(description string) schema.Attribute {
	return schema.ListAttribute{MarkdownDescription: description, Computed: true, ElementType: types.StringType}
}

func computedObject(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{MarkdownDescription: description, Computed: true, Attributes: attributes}
}

func computedList(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.ListNestedAttribute{MarkdownDescription: description, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes}}
}
