package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

const (
	// taintedKey marks an object whose creation ended in an error: Terraform will replace
	// it, and the creation that follows needs what is pending even if all ended well meanwhile.
	taintedKey = "tainted"
	// leftoverKey holds how much text our own last conversion left unconverted. A service
	// that never reports 0 must not be paid for a conversion with every apply.
	leftoverKey = "left_unconverted"
	// leftOnceKey holds how much text our own last conversion left if the service dated it, and nothing shows
	// that it has converted any. The same figure once more is a leftover.
	leftOnceKey = "left_once"
)

// replacement is what a destruction knows of the creation that follows.
type replacement struct {
	ID      string        `json:"id"`
	Timeout time.Duration `json:"timeout"`
	// ByHand: the object is not replaced because its creation has failed. What is pending began before that was
	// wished, like somebody else's conversion.
	ByHand bool `json:"by_hand,omitempty"`
}

func isTainted(ctx context.Context, private privateState, diags *diag.Diagnostics) (tainted bool) {
	diags.Append(getPrivate(ctx, private, taintedKey, &tainted)...)
	return tainted
}

// remember keeps what the conversion has left unconverted.
func (r chapterConversionResult) remember(ctx context.Context, private privateState) diag.Diagnostics {
	if r.err != nil || !r.outcome.Requested && !r.outcome.Joined {
		return nil
	}
	diags := setLeftover(ctx, private, r.outcome.Leftover)
	return append(diags, setLeftOnce(ctx, private, r.outcome.LeftOnce)...)
}

// setLeftOnce keeps nothing where there is nothing.
func setLeftOnce(ctx context.Context, private privateState, left *int64) diag.Diagnostics {
	var before *int64
	diags := getPrivate(ctx, private, leftOnceKey, &before)
	if left != nil || before != nil {
		diags.Append(setPrivate(ctx, private, leftOnceKey, left)...)
	}
	return diags
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

// lowerLeftover follows the service's figure down: somebody else may have converted the rest, and what is unconverted
// after that is new. If the text has another length than before, nothing of it is left over any more.
func lowerLeftover(ctx context.Context, before, after privateState, was, now chapterModel) diag.Diagnostics {
	var diags diag.Diagnostics
	left := now.unconverted()
	if left >= readLeftover(ctx, before, &diags) {
		return diags
	}
	if was.length() != now.length() {
		left = 0
	}
	diags.Append(setLeftover(ctx, after, left)...)
	return diags
}

// readReplacement is the creation that replaces the object of the given id; false if none does.
func readReplacement(ctx context.Context, private privateState, id string, diags *diag.Diagnostics) (creation replacement, replaced bool) {
	diags.Append(getPrivate(ctx, private, replacementKey, &creation)...)
	return creation, creation.ID == id
}
