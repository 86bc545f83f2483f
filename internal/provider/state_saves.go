package provider

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/hashicorp/go-version"
)

// stateSaves makes a pause before and after the reply of a failed creation. Without it Terraform 1.16.0 to 1.16.4
// crashes and leaves an empty state file (https://github.com/hashicorp/terraform/issues/39283): it records
// such a resource in three steps, and crashes if it must save the state after the second. It saves the state after
// every reply, and many replies come together when many conversions run out of time at once. The next apply would then
// pay again for everything that is missing from the state.
//
// Nothing that Terraform sends shows that it has saved: after the third step it sends something only if another resource still waits
// for one of its slots. So a pause is at least savePause, and as long as this machine needs for some work: where others keep it busy,
// both take longer. Ctrl-C shortens no pause, because Terraform saves after it as before.
type stateSaves struct {
	turn  chan struct{} // has an element while a reply has the turn
	quiet bool          // a pause has passed since the latest reply; whoever has the turn may use it
	work  func()
}

const (
	// savePause is far more than what Terraform needs to record a reply where the machine does nothing else. It is also for the disk:
	// Terraform lets nobody else write to its state until the file is synced. Where that takes longer than two pauses, two replies wait
	// for it together.
	savePause = 200 * time.Millisecond
	// workOfPause is how many bytes are hashed meanwhile, which takes 10 to 50 milliseconds there, and on a machine with a load of 25 so
	// many times longer.
	workOfPause = 16 << 20
)

// newStateSaves is nil for a version of Terraform that does not have the fault.
func newStateSaves(terraformVersion string) *stateSaves {
	running, err := version.NewVersion(terraformVersion)
	if err != nil || !affectedVersions.Check(running.Core()) {
		return nil
	}
	return &stateSaves{turn: make(chan struct{}, 1), quiet: true, work: hash}
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
		s.pause()
	}
	go func() {
		s.pause()
		s.quiet = true
		<-s.turn
	}()
}

// pause returns when Terraform should have recorded the reply before it.
func (s *stateSaves) pause() {
	var worked sync.WaitGroup
	worked.Go(s.work)
	<-time.After(savePause)
	worked.Wait()
}

// hash works.
func hash() {
	var block [1 << 20]byte
	for range workOfPause / len(block) {
		sum := sha256.Sum256(block[:])
		copy(block[:], sum[:]) // so that no compiler leaves it out
	}
}
