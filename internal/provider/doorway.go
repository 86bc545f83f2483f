package provider

import "time"

// failurePause is how long Terraform is given to record a creation that failed, or whatever
// came before it: writing the state of some thousand objects takes it a part of that.
const failurePause = 200 * time.Millisecond

// doorway is where the changes of a provider come out. Terraform 1.16.3 crashes, leaving an
// empty state file, if it saves the state for one of them just when it records that another
// is tainted; and a timeout ends many at once. So a creation that failed leaves alone, with
// a pause before and after it. What an empty state has forgotten would be converted again.
type doorway struct {
	door chan struct{} // holds a token while somebody is in the door
	last time.Time     // when the latest has left
}

func newDoorway() *doorway { return &doorway{door: make(chan struct{}, 1)} }

// leave lets a change go that Terraform will record as it is.
func (d *doorway) leave() {
	d.door <- struct{}{}
	d.last = time.Now()
	<-d.door
}

// leaveAlone lets a creation go that Terraform will record as tainted.
func (d *doorway) leaveAlone() {
	d.door <- struct{}{}
	<-time.After(time.Until(d.last.Add(failurePause)))
	time.AfterFunc(failurePause, func() { <-d.door })
}
