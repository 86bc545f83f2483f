package provider

import (
	"context"
	"maps"
	"time"

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
			MarkdownDescription: "Any strings. When one of them changes, the next apply converts the chapter again, in place. " +
				"If a conversion for the old ones is pending, it waits for that one first. The first map of an object that had none, after an import for example, converts nothing, and neither does the removal of a map.",
			ElementType: types.StringType,
			Optional:    true,
		},
		"keep_up_to_date": schema.BoolAttribute{
			MarkdownDescription: "Whether the audio follows the text. If it does, a chapter that has nothing left to convert is adopted at no cost, " +
				"and a plan that finds unconverted text plans a conversion. What a conversion has left unconverted is planned again only when its count changes. " +
				"The default is `false`.",
			Optional: true,
			Computed: true,
			Default:  booldefault.StaticBool(false),
		},
		"pending_conversion": schema.StringAttribute{
			MarkdownDescription: "A conversion that was requested or joined and is not known to have ended well, as JSON text; null if there is none. " +
				"The next apply looks for it before it requests another.",
			Computed: true,
		},
		"timeouts": timeoutsAttribute(ctx,
			"How long an apply waits for the conversion. If it is not done by then, the apply fails, the conversion goes on at the service, and the next apply waits for it.",
			"The time to wait for the conversion when the object is created, as a duration such as `90m`. The default is `1h`.",
			"The time to wait for the conversion when the object is updated, as a duration such as `90m`. The default is `1h`."),
	})
	resp.Schema = schema.Schema{
		MarkdownDescription: "Converts a chapter to audio, which costs credits, and waits until it is done. " +
			"If the chapter is being converted already, it waits for that conversion. After an interruption or a timeout, the next apply continues to wait. " +
			"Destroying requests nothing, and leaves the chapter and its audio as they are.",
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

// createTimeout ignores the errors, because the validator has refused what they are about; or it has postponed that, and Create
// must come as far as to save what was handed over.
func createTimeout(ctx context.Context, configured timeouts.Value, standard time.Duration) time.Duration {
	timeout, _ := configured.Create(ctx, standard)
	return timeout
}

func timeoutAttribute(description string) schema.Attribute {
	return schema.StringAttribute{
		MarkdownDescription: description,
		Optional:            true,
		Validators:          []validator.String{positiveDuration{}},
	}
}
