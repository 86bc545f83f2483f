package provider

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

const (
	// taintedKey marks an object whose creation ended in an error: Terraform will replace
	// it, and the creation that follows needs its ticket even if all ended well meanwhile.
	taintedKey = "tainted"
	// leftoverKey holds how much text our own last conversion left unconverted. A service
	// that never reports 0 must not be paid for a conversion with every apply.
	leftoverKey = "left_unconverted"
	// replacementKey is set in the plan of a creation. Terraform passes it on to the
	// destruction of what is to be replaced, which nothing else tells from one for good.
	replacementKey = "replacement"
)

// replacement is what a destruction knows of the creation that follows.
type replacement struct {
	ID      string        `json:"id"`
	Timeout time.Duration `json:"timeout"`
}

// privateState is what Terraform keeps for a provider beside an object's state.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func isTainted(ctx context.Context, private privateState, diags *diag.Diagnostics) bool {
	text, problems := private.GetKey(ctx, taintedKey)
	diags.Append(problems...)
	return string(text) == "true"
}

// remember keeps what our own conversion has left unconverted.
func (a conversionAttempt) remember(ctx context.Context, private privateState) diag.Diagnostics {
	if a.err != nil || !a.outcome.Started && !a.outcome.Joined {
		return nil
	}
	left, _ := conversion.Unconverted(a.outcome.Chapter)
	return setLeftover(ctx, private, left)
}

func setLeftover(ctx context.Context, private privateState, left int64) diag.Diagnostics {
	return private.SetKey(ctx, leftoverKey, strconv.AppendInt(nil, left, 10))
}

// readLeftover is what our own last conversion left unconverted, 0 if nothing is known of one.
func readLeftover(ctx context.Context, private privateState, diags *diag.Diagnostics) int64 {
	text, problems := private.GetKey(ctx, leftoverKey)
	diags.Append(problems...)
	var left int64
	if len(text) > 0 {
		if err := json.Unmarshal(text, &left); err != nil {
			diags.AddError("Unable to read private state", "The state holds something else than what this provider writes there: "+err.Error())
		}
	}
	return left
}

// lowerLeftover follows the service's figure down: somebody else may have converted the
// rest, and what is unconverted after that is new.
func lowerLeftover(ctx context.Context, before, after privateState, unconverted int64) diag.Diagnostics {
	var diags diag.Diagnostics
	if unconverted < readLeftover(ctx, before, &diags) {
		diags.Append(setLeftover(ctx, after, unconverted)...)
	}
	return diags
}

func setReplacement(ctx context.Context, private privateState, creation replacement) diag.Diagnostics {
	// A text and a number always encode.
	text, _ := json.Marshal(creation)
	return private.SetKey(ctx, replacementKey, text)
}

// readReplacement tells whether the object of the given id is being replaced, and how long
// the creation that follows may wait.
func readReplacement(ctx context.Context, private privateState, id string, diags *diag.Diagnostics) (timeout time.Duration, replaced bool) {
	text, problems := private.GetKey(ctx, replacementKey)
	diags.Append(problems...)
	var creation replacement
	if len(text) > 0 {
		if err := json.Unmarshal(text, &creation); err != nil {
			diags.AddError("Unable to read private state", "The plan holds something else than what this provider writes there: "+err.Error())
		}
	}
	return creation.Timeout, creation.ID == id
}
