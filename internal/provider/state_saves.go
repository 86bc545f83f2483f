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
	latest chan savedReply // has one element, unless a reply has its turn
}

// savedReply is one after which Terraform saves the state.
type savedReply struct {
	at             time.Time
	failedCreation bool
}

// savePause is far more than what Terraform needs to record a reply. With 25 busy processes beside it on two cores, 50 milliseconds
// were too short, and once 200 were. Ten failures at a time take 5 seconds, because after Ctrl-C somebody may kill what takes much longer.
// It is also for the disk: Terraform lets nobody else write to its state until the file is synced.
const savePause = 500 * time.Millisecond

// newStateSaves is nil for a version of Terraform that does not have the fault.
func newStateSaves(terraformVersion string) *stateSaves {
	running, err := version.NewVersion(terraformVersion)
	if err != nil || !affectedVersions.Check(running.Core()) {
		return nil
	}
	s := &stateSaves{latest: make(chan savedReply, 1)}
	s.latest <- savedReply{}
	return s
}

var affectedVersions = version.MustConstraints(version.NewConstraint(">= 1.16.0, < 1.16.5"))

// await returns when a reply may be sent.
func (s *stateSaves) await(failedCreation bool) {
	if s == nil {
		return
	}
	latest := <-s.latest
	if failedCreation || latest.failedCreation {
		<-time.After(time.Until(latest.at.Add(savePause)))
	}
	s.latest <- savedReply{time.Now(), failedCreation}
}
