package forecast

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// TestResourceMemory_ofANewerVersion: a newer version has noted what this one does not know, and the plan does not refresh. It counts as a
// request, which is the most that it can cost.
func TestResourceMemory_ofANewerVersion(t *testing.T) {
	t.Parallel()
	var memory ResourceMemory
	err := json.Unmarshal([]byte(`{"planned":[{"chapter_id":"one","name":"\"one\"","action":"rests a while","characters":35}]}`), &memory)
	if err != nil {
		t.Fatal(err)
	}
	var diags diag.Diagnostics
	NewConversions(&Limit{Most: 34}).Estimate(context.Background(), Scope{Label: `project "book"`, Memory: memory}, &diags)
	if diags.ErrorsCount() != 1 || diags.WarningsCount() != 1 {
		t.Fatalf("got %v, want the estimate, and that it exceeds the limit", diags)
	}
	estimate := diags.Warnings()[0]
	if !strings.HasPrefix(estimate.Summary(), "Conversions that cost credits") || !strings.Contains(estimate.Detail(), `35  "one"`) {
		t.Errorf("got %s: %s, want what it costs", estimate.Summary(), estimate.Detail())
	}
}
