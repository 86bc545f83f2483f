package conversion

import "testing"

// TestEveryStepAndReasonHasAName: one without would end whatever prints it.
func TestEveryStepAndReasonHasAName(t *testing.T) {
	t.Parallel()
	for step := Look; step <= Unknown; step++ {
		if int(step) >= len(stepNames) || step.String() == "" {
			t.Errorf("step %d has no name", int(step))
		}
	}
	for reason := NoReason; reason <= Outdated; reason++ {
		if int(reason) >= len(reasonNames) || reason.String() == "" {
			t.Errorf("reason %d has no name", int(reason))
		}
	}
}
