//go:build unix

package clitest

import (
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// TestIgnoredSignalsAreNotInherited tests signals that nohup, or a shell in the background, makes this process ignore.
func TestIgnoredSignalsAreNotInherited(t *testing.T) {
	for name, ignored := range map[string]syscall.Signal{"HUP": syscall.SIGHUP, "INT": syscall.SIGINT} {
		signal.Ignore(ignored)
		catchSignals()
		if said, err := exec.CommandContext(t.Context(), "sh", "-c", "kill -"+name+" $$; echo still there").Output(); err == nil || len(said) > 0 {
			t.Errorf("after SIG%s: %s", name, said)
		}
		signal.Reset(ignored)
	}
}
