package provider

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// privateState is data of the provider that Terraform stores with an object and does not show.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// replacementKey is set in the plan of a creation. If the creation is part of a replacement, Terraform passes the
// plan's private state to the Delete of the old object too. Only by this key does Delete know that the object
// is replaced, and not removed for good.
const replacementKey = "replacement"

// setPrivate stores nothing where there is nothing to store, and nothing was.
func setPrivate(ctx context.Context, private privateState, key string, value any) diag.Diagnostics {
	// The values are strings, numbers and times, which always encode.
	text, _ := json.Marshal(value)
	if before, diags := private.GetKey(ctx, key); bytes.Equal(text, before) || len(before) == 0 && string(text) == "{}" {
		return diags
	}
	return private.SetKey(ctx, key, text)
}

// getPrivate reads what setPrivate has stored. It leaves the value unchanged if nothing is stored.
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
