package provider

import "time"

// failurePause is how long Terraform is given to record a creation that failed, or whatever
// came before it: writing the state of some thousand objects takes it a part of that.
const failurePause = 200 * time.Millisecond

// stateSaves puts apart the moments at which Terraform saves the state, which it does after every
// change. Terraform 1.16.3 crashes, leaving an empty state file, if it saves one change just when it
// records that another object is tainted; and a timeout ends many at once. So a creation that failed
// is answered alone, with a pause before and after it. What an empty state has forgotten would be
// converted again.
type stateSaves struct {
	turn chan struct{} // holds a token while somebody has the turn
	last time.Time     // when the latest turn ended
}

func newStateSaves() *stateSaves { return &stateSaves{turn: make(chan struct{}, 1)} }

// inTurn returns when a change may be answered that Terraform records as it is.
func (s *stateSaves) inTurn() {
	s.turn <- struct{}{}
	s.last = time.Now()
	<-s.turn
}

// alone returns when a creation may be answered that Terraform records as tainted.
func (s *stateSaves) alone() {
	s.turn <- struct{}{}
	<-time.After(time.Until(s.last.Add(failurePause)))
	time.AfterFunc(failurePause, func() { <-s.turn })
}
