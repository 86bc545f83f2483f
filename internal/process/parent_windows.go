package process

import "os"

// waitForParent returns when the process that started this one has ended. On Windows its number stays what it was, so that
// the process itself is waited for, by its handle.
func waitForParent(parent int) {
	process, err := os.FindProcess(parent)
	if err == nil {
		_, err = process.Wait()
	}
	if err != nil {
		select {} // Nothing tells, and to end too early would lose what Terraform waits for.
	}
}
