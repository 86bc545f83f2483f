package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The functions below build attributes of the package datasource/schema. The schemas of resources, actions and list resources take them,
// too, because their interfaces of an attribute have the same methods.

// requiredID is a required identifier of the service.
func requiredID(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Required: true, Validators: []validator.String{identifier}}
}

// optionalString is a text that may be given.
func optionalString(description string, validators ...validator.String) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Validators: validators}
}

// optionalBool is a truth value that may be given.
func optionalBool(description string) schema.Attribute {
	return schema.BoolAttribute{MarkdownDescription: description, Optional: true}
}

// optionalNumber is a number that may be given.
func optionalNumber(description string, rule wholeNumberValidator) schema.Attribute {
	return schema.NumberAttribute{MarkdownDescription: description, Optional: true, Validators: []validator.Number{rule}}
}

// optionalIDs is a set of identifiers that may be given.
func optionalIDs(description string, validators []validator.Set) schema.Attribute {
	return schema.SetAttribute{
		MarkdownDescription: description, Optional: true,
		CustomType: newChapterIDsType(), ElementType: types.StringType, Validators: validators,
	}
}

// optionalComputedString is read if it is not given.
func optionalComputedString(description string, validators ...validator.String) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Computed: true, Validators: validators}
}

// computedString is a text that is read.
func computedString(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Computed: true}
}

// computedBool is a truth value that is read.
func computedBool(description string) schema.Attribute {
	return schema.BoolAttribute{MarkdownDescription: description, Computed: true}
}

// computedInt64 is a whole number that is read.
func computedInt64(description string) schema.Attribute {
	return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
}

// computedFloat64 is a number that is read.
func computedFloat64(description string) schema.Attribute {
	return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
}

// computedJSON is JSON as the service gave it.
func computedJSON(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Computed: true, CustomType: jsontypes.NormalizedType{}}
}

// computedStrings is a list of texts that is read.
func computedStrings(description string) schema.Attribute {
	return schema.ListAttribute{MarkdownDescription: description, Computed: true, ElementType: types.StringType}
}

// computedObject has attributes that are read together.
func computedObject(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{MarkdownDescription: description, Computed: true, Attributes: attributes}
}

// computedList is a list of records that is read.
func computedList(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.ListNestedAttribute{MarkdownDescription: description, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes}}
}
