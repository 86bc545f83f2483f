package provider

import (
	"time"

	"github.com/hashicorp/go-version"
)

// stateSaves makes a pause before and after the reply of a failed creation. Without it Terraform 1.16.0 to 1.16.4 crashes and leaves an
// empty state file (https://github.com/hashicorp/terraform/issues/39283). It records such a resource in three steps: tainted, then once
// more without any status, then tainted again. A state with the second cannot be written. Terraform saves the state after every reply, and
// many replies come together when many conversions run out of time at once. The next apply would then pay again for all that is
// missing from the state.
//
// Nothing that Terraform sends shows that it has saved: after the third step it sends something only if another resource still waits
// for one of its slots. Ctrl-C shortens no pause, because Terraform saves after it as before.
type stateSaves struct {
	turn  chan struct{} // has an element while a reply has the turn
	quiet bool          // a pause has passed since the latest reply; whoever has the turn may use it
}

// savePause is more than what Terraform needed to record a reply with a load of 25 on two processors: a quarter of a second. It is also for
// the disk: Terraform lets nobody else write to its state until the file is synced.
const savePause = 300 * time.Millisecond

// newStateSaves is nil for a version of Terraform that does not have the fault.
func newStateSaves(terraformVersion string) *stateSaves {
	running, err := version.NewVersion(terraformVersion)
	if err != nil || !affectedVersions.Check(running.Core()) {
		return nil
	}
	return &stateSaves{turn: make(chan struct{}, 1), quiet: true}
}

var affectedVersions = version.MustConstraints(version.NewConstraint(">= 1.16.0, < 1.16.5"))

// await returns when a reply may be sent.
func (s *stateSaves) await(failedCreation bool) {
	if s == nil {
		return
	}
	s.turn <- struct{}{}
	if !failedCreation {
		s.quiet = false
		<-s.turn
		return
	}
	if !s.quiet {
		<-time.After(savePause)
	}
	go func() {
		<-time.After(savePause)
		s.quiet = true
		<-s.turn
	}()
}
