package provider

import (
	"context"
	"time"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// savePause is the time that Terraform gets to record a failed creation, or the reply before it.
const savePause = 50 * time.Millisecond

// stateSaves makes a pause before and after the reply of a failed creation. Without it Terraform 1.16.0 to 1.16.4
// crashes and leaves an empty state file (https://github.com/hashicorp/terraform/issues/39283): it records
// such an object in three steps, and crashes if it must save the state after the second. It saves the state after
// every reply, and many replies come together when many conversions run out of time at once. The next apply would then
// pay again for everything that is missing from the state.
type stateSaves struct {
	turn chan struct{} // has an element while a reply has the turn
	last time.Time     // when the latest turn ended
}

// newStateSaves is nil for a version of Terraform that does not have the fault.
func newStateSaves(terraformVersion string) *stateSaves {
	running, err := version.NewVersion(terraformVersion)
	if err != nil || !affectedVersions.Check(running.Core()) {
		return nil
	}
	return &stateSaves{turn: make(chan struct{}, 1)}
}

var affectedVersions = version.MustConstraints(version.NewConstraint(">= 1.16.0, < 1.16.5"))

// await returns when a reply may be sent, or when the context ends.
func (s *stateSaves) await(ctx context.Context, failedCreation bool) {
	if s == nil {
		return
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return
	}
	if !failedCreation {
		s.last = time.Now()
		<-s.turn
		return
	}
	select {
	case <-time.After(time.Until(s.last.Add(savePause))):
	case <-ctx.Done():
	}
	time.AfterFunc(savePause, func() { <-s.turn })
}

// isFailedCreation reports whether Terraform will record a new object as tainted: one with a state and an error.
func isFailedCreation(req *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse) bool {
	created := isNull(req.PriorState) && resp != nil && !isNull(resp.NewState)
	if !created {
		return false
	}
	for _, problem := range resp.Diagnostics {
		if problem.Severity == tfprotov6.DiagnosticSeverityError {
			return true
		}
	}
	return false
}

func isNull(object *tfprotov6.DynamicValue) bool {
	if object == nil {
		return true
	}
	null, err := object.IsNull()
	return err == nil && null
}
