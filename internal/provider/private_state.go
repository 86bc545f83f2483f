package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// privateState is what Terraform keeps for a provider beside an object's state.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// replacementKey is set in the plan of a creation. Terraform passes it on to the destruction of what is to be
// replaced, and nothing else tells such a destruction from one for good.
const replacementKey = "replacement"

func setPrivate(ctx context.Context, private privateState, key string, value any) diag.Diagnostics {
	// What is kept are texts, numbers and times, which always encode.
	text, _ := json.Marshal(value)
	return private.SetKey(ctx, key, text)
}

// getPrivate reads what setPrivate has kept; the value stays as it is if there is nothing.
func getPrivate(ctx context.Context, private privateState, key string, value any) diag.Diagnostics {
	text, diags := private.GetKey(ctx, key)
	if len(text) == 0 {
		return diags
	}
	if err := json.Unmarshal(text, value); err != nil {
		diags.AddError("Unable to read private state", "It holds something else than what this provider writes there: "+err.Error())
	}
	return diags
}
