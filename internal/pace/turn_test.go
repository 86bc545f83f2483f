package pace_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// TestTurns_order: that of the calls, but who was refused comes first, and who was interrupted not at all.
func TestTurns_order(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var turns pace.Turns
		var order []string
		held, err := turns.Take(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		interrupted, interrupt := context.WithCancel(t.Context())
		for i, name := range []string{"first", "interrupted", "second", "refused"} {
			time.Sleep(time.Second)
			ctx := t.Context()
			if name == "interrupted" {
				ctx = interrupted
			}
			go func() {
				turn, err := turns.Take(ctx, i == 3)
				if err == nil {
					order = append(order, name)
					turn.Pass()
				}
			}()
		}
		synctest.Wait()
		interrupt()
		synctest.Wait()
		if !turns.AreTaken() {
			t.Error("the turn is free")
		}
		held.Pass()
		held.Pass()
		synctest.Wait()
		if !slices.Equal(order, []string{"refused", "first", "second"}) || turns.AreTaken() {
			t.Errorf("got %v, taken: %t", order, turns.AreTaken())
		}
	})
}
