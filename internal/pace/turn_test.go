package pace_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// TestTurn_order: that of the calls, but who was refused comes first, and who was interrupted not at all.
func TestTurn_order(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var turn pace.Turn
		var order []string
		err := turn.Take(t.Context(), false)
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
				if turn.Take(ctx, i == 3) == nil {
					order = append(order, name)
					turn.Pass()
				}
			}()
		}
		synctest.Wait()
		interrupt()
		synctest.Wait()
		if !turn.IsTaken() {
			t.Error("the turn is free")
		}
		turn.Pass()
		synctest.Wait()
		if !slices.Equal(order, []string{"refused", "first", "second"}) || turn.IsTaken() {
			t.Errorf("got %v, taken: %t", order, turn.IsTaken())
		}
	})
}
