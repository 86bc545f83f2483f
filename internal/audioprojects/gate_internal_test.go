package audioprojects

import (
	"context"
	"errors"
	"testing"
)

// Nobody waits for an answer of 32 MiB that is looked through for the key after a Ctrl-C.
func TestTheGateEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var chapters chapterList
	if err := newGate("mock-key").read(ctx, &chapters, []byte(`{"chapters":[{"chapter_id":"c"}]}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
