package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// requiresReplace is a required string; another one replaces the resource.
func requiresReplace(description string, rule validator.String) schema.Attribute {
	return schema.StringAttribute{
		MarkdownDescription: description + " Changing this forces replacement.",
		Required:            true,
		Validators:          []validator.String{rule},
		PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
}

// falseByDefault is a truth value that is false if it is not given.
func falseByDefault(description string) schema.Attribute {
	return schema.BoolAttribute{MarkdownDescription: description, Optional: true, Computed: true, Default: booldefault.StaticBool(false)}
}

// triggersAttribute are strings of which a change converts again.
func triggersAttribute(effect string) schema.Attribute {
	return schema.MapAttribute{
		MarkdownDescription: "Any strings. " + effect + " If a conversion for the old strings is pending, or one of somebody else's, the apply waits for it first. " +
			"Adding `triggers` to a resource that had none, for example after an import, converts nothing, and neither does removing them. " +
			"An empty map is none, and so is a value that is null.",
		ElementType: types.StringType,
		Optional:    true,
	}
}

// serviceURL keeps a plan from being applied at another service. Terraform plans again in the apply and compares both plans, and this value
// is known in each. For an update, the provider compares first, and says what to do. A creation has no state in which its second plan could
// find the first address: there Terraform reports an inconsistent final plan. The page about errors explains that message.
func serviceURL() schema.Attribute {
	return schema.StringAttribute{
		MarkdownDescription: "The address of the service: `base_url` and `api_path` of the provider. A plan that converts can be applied only at the address that it was made for.",
		Computed:            true,
	}
}

// charactersRequested is what one apply has requested.
func charactersRequested() schema.Attribute {
	return computedInt64("The number of characters that this resource requested in its last apply that requested any, at most. " +
		"Null before that, or if the service does not count the characters of one of these chapters.")
}

// resumeToken has what a later apply must know of pending conversions. It is in the state, because Terraform gives
// nobody the private state of a tainted resource. A plan does not show it: nobody reads it, and that of a long book is
// a line of many kilobytes.
func resumeToken(description string) schema.Attribute {
	const note = " It is sensitive, because a plan would show it otherwise, for nobody's use; an output of the whole resource needs `sensitive = true`."
	return schema.StringAttribute{MarkdownDescription: description + note, Computed: true, Sensitive: true}
}

// misspelledNamesNote is said where there are timeouts: Terraform drops the name before the provider sees the object.
const misspelledNamesNote = " Terraform ignores misspelled names in it."

// timeoutsAttribute is the attribute of the timeouts library with a validator of its own: the library accepts a timeout of zero or less.
func timeoutsAttribute(description, create, update string) schema.Attribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: description + misspelledNamesNote,
		Optional:            true,
		CustomType:          timeouts.Type{ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"create": types.StringType, "update": types.StringType}}},
		Attributes:          map[string]schema.Attribute{"create": optionalString(create, positiveDuration), "update": optionalString(update, positiveDuration)},
	}
}

// createTimeout ignores the errors: the validator has refused an invalid timeout. Where it could not, Create must still save the resume token
// that it was given.
func createTimeout(ctx context.Context, plan tfsdk.Plan, standard time.Duration) time.Duration {
	var configured timeouts.Value
	_ = plan.GetAttribute(ctx, path.Root("timeouts"), &configured)
	timeout, _ := configured.Create(ctx, standard)
	return timeout
}

// durationOrDefault is a duration of the configuration, whose validator has refused everything that is none.
func durationOrDefault(configured types.String, standard time.Duration) time.Duration {
	duration, err := time.ParseDuration(configured.ValueString())
	if err != nil {
		return standard
	}
	return duration
}

// joinedID joins the ids of a project and of something in it, both path-escaped, with a slash. One id alone stays as it is. It is
// unknown if an id is.
func joinedID(ids ...types.String) types.String {
	var escaped []string
	for _, id := range ids {
		if id.IsUnknown() {
			return types.StringUnknown()
		}
		escaped = append(escaped, url.PathEscape(id.ValueString()))
	}
	if len(ids) == 1 {
		return ids[0]
	}
	return types.StringValue(strings.Join(escaped, "/"))
}

// splitID is the inverse of joinedID.
func splitID(id string, count int) (parts []string, err error) {
	if count == 1 {
		return []string{id}, nil
	}
	parts = strings.Split(id, "/")
	if len(parts) != count {
		return nil, errors.New("The id must be project_id/chapter_id, with each slash within an id written as %2F")
	}
	for i := range parts {
		parts[i], err = url.PathUnescape(parts[i])
		if err != nil {
			return nil, fmt.Errorf("The id cannot be decoded: %w", err)
		}
	}
	return parts, nil
}

// unchangedByConversion are the computed attributes that no conversion changes.
var unchangedByConversion = []string{"id", "name"}

// markUnknown makes the computed attributes of a plan unknown if only the apply decides about them, and otherwise what they are. More of
// them may stay.
func markUnknown(plan *tfsdk.Plan, state tfsdk.State, converts bool, stay ...string) {
	stay = append(stay, unchangedByConversion...)
	var planned, known map[string]tftypes.Value
	if plan.Raw.As(&planned) != nil || state.Raw.As(&known) != nil {
		return // Neither happens: both are objects of the same schema.
	}
	for name, attribute := range plan.Schema.GetAttributes() {
		switch {
		case !attribute.IsComputed() || attribute.IsOptional():
		case converts && !slices.Contains(stay, name):
			planned[name] = tftypes.NewValue(planned[name].Type(), tftypes.UnknownValue)
		default:
			planned[name] = known[name]
		}
	}
	plan.Raw = tftypes.NewValue(plan.Raw.Type(), planned)
}

// privateState is data of the provider that Terraform stores with a resource and does not show.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// setPrivate stores a value.
func setPrivate(ctx context.Context, private privateState, key string, value any) diag.Diagnostics {
	text, _ := json.Marshal(value) // The values are strings, numbers and times, which always encode.
	return private.SetKey(ctx, key, text)
}

// getPrivate reads what setPrivate has stored. It leaves the value unchanged if nothing is stored.
func getPrivate(ctx context.Context, private privateState, key string, value any) diag.Diagnostics {
	text, diags := private.GetKey(ctx, key)
	if len(text) == 0 {
		return diags
	}
	if err := json.Unmarshal(text, value); err != nil {
		diags.AddError("Unable to read private state", "The private state contains something that this provider does not write there: "+err.Error())
	}
	return diags
}
