package provider

import (
	"context"
	"time"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// savePause is how long Terraform is given to record a creation that has failed, or whatever came before it.
const savePause = 50 * time.Millisecond

// stateSaves sends a creation that has failed alone, with a pause before and after it. Terraform 1.16.0 to 1.16.4
// crashes otherwise, and leaves an empty state file: it records such an object in three steps, and cannot save the
// second (https://github.com/hashicorp/terraform/issues/39283). Terraform saves the state after every reply, and
// many conversions run out of time at once. What an empty state has forgotten would be paid for again.
type stateSaves struct {
	turn chan struct{} // holds a token while somebody has the turn
	last time.Time     // when the latest turn ended
}

// newStateSaves is nil for a version of Terraform that saves every state.
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

// isFailedCreation tells whether Terraform will record the object as tainted.
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
