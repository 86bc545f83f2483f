package provider

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func (r *chapterConversionResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := computedAttributes(chapterAttributes())
	maps.Copy(attributes, map[string]schema.Attribute{
		"id": schema.StringAttribute{
			MarkdownDescription: "The ids as `project_id/chapter_id`, each path-escaped, which is also the import id.",
			Computed:            true,
		},
		"project_id": schema.StringAttribute{
			MarkdownDescription: "The identifier of the project. Changing this forces replacement.",
			Required:            true,
			Validators:          []validator.String{identifier{}},
			PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"chapter_id": schema.StringAttribute{
			MarkdownDescription: "The identifier of the chapter. Changing this forces replacement.",
			Required:            true,
			Validators:          []validator.String{identifier{}},
			PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"triggers": schema.MapAttribute{
			MarkdownDescription: "Arbitrary strings. When one of them changes, the chapter is converted again, in place; a conversion that is still pending for the old ones is waited for first. " +
				"A map given for the first time to an object without one, after an import for example, is only recorded, and so is its removal.",
			ElementType: types.StringType,
			Optional:    true,
		},
		"keep_up_to_date": schema.BoolAttribute{
			MarkdownDescription: "Whether the audio follows the text. If so, a chapter that has nothing left to convert is adopted without a conversion, " +
				"and text that a plan finds unconverted plans a new conversion. An object that is replaced by `-replace` or `replace_triggered_by` is converted again all the same, but not with `create_before_destroy`. What a conversion has left unconverted is planned again only when its count moves. The default is `false`.",
			Optional: true,
			Computed: true,
			Default:  booldefault.StaticBool(false),
		},
		"pending_conversion": schema.StringAttribute{
			MarkdownDescription: "What is remembered of a conversion that was requested or joined and has not been seen to succeed, as JSON text; null when there is none. " +
				"The next apply looks for that conversion before it requests another.",
			Computed: true,
		},
		"timeouts": timeoutsAttribute(ctx,
			"How long an apply waits for the conversion. What is not done by then goes on at the service, and the next apply waits for it or looks for it.",
			"The time to wait for the conversion when the object is created, as a duration such as `90m`. The default is `1h`.",
			"The time to wait for the conversion when the object is updated, as a duration such as `90m`. The default is `1h`."),
	})
	resp.Schema = schema.Schema{
		MarkdownDescription: "Converts a chapter to audio, which costs credits, and waits until it is done. " +
			"A conversion that is already under way is waited for, and none is requested twice: " +
			"what an interrupted or timed-out apply was waiting for, the next one waits for or looks for. " +
			"Reading, importing and destroying request nothing; destroying forgets the object and leaves the chapter and its audio as they are.",
		Attributes: attributes,
	}
}

func (r *chapterConversionResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"project_id": identityschema.StringAttribute{
				Description:       "The identifier of the project.",
				RequiredForImport: true,
			},
			"chapter_id": identityschema.StringAttribute{
				Description:       "The identifier of the chapter.",
				RequiredForImport: true,
			},
		},
	}
}

// computedAttributes turns the computed attributes of a data source into those of a resource.
func computedAttributes(read map[string]datasource.Attribute) map[string]schema.Attribute {
	computed := make(map[string]schema.Attribute, len(read))
	for name, attribute := range read {
		description := attribute.GetMarkdownDescription()
		switch attribute := attribute.(type) {
		case datasource.StringAttribute:
			computed[name] = schema.StringAttribute{MarkdownDescription: description, Computed: true}
		case datasource.BoolAttribute:
			computed[name] = schema.BoolAttribute{MarkdownDescription: description, Computed: true}
		case datasource.Int64Attribute:
			computed[name] = schema.Int64Attribute{MarkdownDescription: description, Computed: true}
		case datasource.Float64Attribute:
			computed[name] = schema.Float64Attribute{MarkdownDescription: description, Computed: true}
		case datasource.SingleNestedAttribute:
			computed[name] = schema.SingleNestedAttribute{
				MarkdownDescription: description,
				Computed:            true,
				Attributes:          computedAttributes(attribute.Attributes),
			}
		}
	}
	return computed
}

// timeoutsAttribute is the attribute of the timeouts library with our descriptions and our validator, because the
// library's validator accepts a timeout of zero or less.
func timeoutsAttribute(ctx context.Context, description, create, update string) schema.Attribute {
	attribute := timeouts.Attributes(ctx, timeouts.Opts{Create: true, Update: true})
	if nested, ok := attribute.(schema.SingleNestedAttribute); ok {
		nested.MarkdownDescription = description
		nested.Attributes = map[string]schema.Attribute{"create": timeoutAttribute(create), "update": timeoutAttribute(update)}
		return nested
	}
	return attribute
}

func timeoutAttribute(description string) schema.Attribute {
	return schema.StringAttribute{
		MarkdownDescription: description,
		Optional:            true,
		Validators:          []validator.String{positiveDuration{}},
	}
}
