package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

const (
	// taintedKey marks an object whose creation ended in an error: Terraform will replace
	// it, and the creation that follows needs its ticket even if all ended well meanwhile.
	taintedKey = "tainted"
	// leftoverKey holds how much text our own last conversion left unconverted. A service
	// that never reports 0 must not be paid for a conversion with every apply.
	leftoverKey = "left_unconverted"
)

// replacement is what a destruction knows of the creation that follows.
type replacement struct {
	ID      string        `json:"id"`
	Timeout time.Duration `json:"timeout"`
}

func isTainted(ctx context.Context, private privateState, diags *diag.Diagnostics) (tainted bool) {
	diags.Append(getPrivate(ctx, private, taintedKey, &tainted)...)
	return tainted
}

// remember keeps what our own conversion has left unconverted.
func (a conversionAttempt) remember(ctx context.Context, private privateState) diag.Diagnostics {
	if a.err != nil || !a.outcome.Started && !a.outcome.Joined {
		return nil
	}
	return setLeftover(ctx, private, a.outcome.Leftover)
}

// setLeftover keeps no 0 where there is nothing: Terraform copies what is kept again and again.
func setLeftover(ctx context.Context, private privateState, left int64) diag.Diagnostics {
	var diags diag.Diagnostics
	if left != readLeftover(ctx, private, &diags) {
		diags.Append(setPrivate(ctx, private, leftoverKey, left)...)
	}
	return diags
}

// readLeftover is what our own last conversion left unconverted, 0 if nothing is known of one.
func readLeftover(ctx context.Context, private privateState, diags *diag.Diagnostics) (left int64) {
	diags.Append(getPrivate(ctx, private, leftoverKey, &left)...)
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

// readReplacement tells whether the object of the given id is being replaced, and how long
// the creation that follows may wait.
func readReplacement(ctx context.Context, private privateState, id string, diags *diag.Diagnostics) (timeout time.Duration, replaced bool) {
	var creation replacement
	diags.Append(getPrivate(ctx, private, replacementKey, &creation)...)
	return creation.Timeout, creation.ID == id
}
