package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

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
