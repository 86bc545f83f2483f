//go:build unix

package process

import (
	"os"
	"time"
)

// waitForParent returns when the process that started this one has ended: then the system gives this one another parent.
func waitForParent(parent int) {
	for os.Getppid() == parent {
		<-time.After(500 * time.Millisecond)
	}
}
