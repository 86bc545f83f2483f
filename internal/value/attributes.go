package value

import (
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The functions below build attributes of the package datasource/schema. The schemas of resources, actions and list resources take them, too, because
// their interfaces of an attribute have the same methods.

// RequiredID is a required identifier of the service.
func RequiredID(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Required: true, Validators: []validator.String{Identifier}}
}

// Argument is a text that may be given.
func Argument(description string, validators ...validator.String) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Validators: validators}
}

// ArgumentBool is a truth value that may be given.
func ArgumentBool(description string) schema.Attribute {
	return schema.BoolAttribute{MarkdownDescription: description, Optional: true}
}

// ArgumentNumber is a number that may be given.
func ArgumentNumber(description string, rule WholeNumber) schema.Attribute {
	return schema.NumberAttribute{MarkdownDescription: description, Optional: true, Validators: []validator.Number{rule}}
}

// ArgumentIDs is a set of identifiers that may be given.
func ArgumentIDs(description string, validators []validator.Set) schema.Attribute {
	return schema.SetAttribute{MarkdownDescription: description, Optional: true, ElementType: types.StringType, Validators: validators}
}

// ComputedArgument is read if it is not given.
func ComputedArgument(description string, validators ...validator.String) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Computed: true, Validators: validators}
}

// ComputedString is a text that is read.
func ComputedString(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Computed: true}
}

// ComputedBool is a truth value that is read.
func ComputedBool(description string) schema.Attribute {
	return schema.BoolAttribute{MarkdownDescription: description, Computed: true}
}

// ComputedInt64 is a whole number that is read.
func ComputedInt64(description string) schema.Attribute {
	return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
}

// ComputedFloat64 is a number that is read.
func ComputedFloat64(description string) schema.Attribute {
	return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
}

// ComputedJSON is JSON as the service gave it.
func ComputedJSON(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Computed: true, CustomType: jsontypes.NormalizedType{}}
}

// ComputedStrings is a list of texts that is read.
func ComputedStrings(description string) schema.Attribute {
	return schema.ListAttribute{MarkdownDescription: description, Computed: true, ElementType: types.StringType}
}

// ComputedObject has attributes that are read together.
func ComputedObject(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{MarkdownDescription: description, Computed: true, Attributes: attributes}
}

// ComputedList is a list of records that is read.
func ComputedList(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.ListNestedAttribute{MarkdownDescription: description, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes}}
}
