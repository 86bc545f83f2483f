//go:build unix

package clitest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Running is a running CLI. The CLI and the providers that it starts are a process group of
// their own, as when a shell starts them.
type Running struct {
	t       testing.TB
	command *exec.Cmd
	screen  bytes.Buffer
	err     error
	Ended   chan struct{} // closed when screen and err are final
}

// Start starts the CLI and does not wait for it. At the end of the test, the CLI is killed if it still runs.
func (c *CLI) Start(arguments ...string) *Running {
	c.t.Helper()
	return c.Launch(c.Command(arguments...))
}

// Launch starts a command of the CLI. Its screen has the output that the command does not send elsewhere.
func (c *CLI) Launch(command *exec.Cmd) *Running {
	c.t.Helper()
	r := &Running{t: c.t, command: command, Ended: make(chan struct{})}
	if command.Stdout == nil {
		command.Stdout = &r.screen
	}
	if command.Stderr == nil {
		command.Stderr = &r.screen
	}
	r.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := r.command.Start()
	if err != nil {
		c.t.Fatal(err)
	}
	// If a CLI is killed, its provider goes on running.
	c.t.Cleanup(func() { r.signalGroup(syscall.SIGKILL) })
	go func() {
		defer close(r.Ended)
		r.err = r.command.Wait()
	}()
	return r
}

// Wait waits for the end of the CLI and returns its output, and an error if the CLI failed.
func (r *Running) Wait() (screen string, err error) {
	<-r.Ended
	return r.screen.String(), r.err
}

// When waits for the channel and then calls do, if the CLI still runs.
func (r *Running) When(moment <-chan struct{}, do func(*Running)) {
	select {
	case <-moment:
		do(r)
	case <-r.Ended:
	}
}

// Interrupt is Ctrl-C. Like a terminal, it sends the signal to the provider, too.
func (r *Running) Interrupt() { r.signalGroup(syscall.SIGINT) }

// Terminate sends SIGTERM, as a supervisor does.
func (r *Running) Terminate() { r.signalGroup(syscall.SIGTERM) }

// HangUp sends SIGHUP, as a terminal does when it is closed.
func (r *Running) HangUp() { r.signalGroup(syscall.SIGHUP) }

func (r *Running) signalGroup(signal syscall.Signal) {
	// ESRCH: all of them have ended.
	err := syscall.Kill(-r.command.Process.Pid, signal)
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		r.t.Error(err)
	}
}

// Kill kills the CLI, but not the provider.
func (r *Running) Kill() {
	if err := r.command.Process.Kill(); err != nil {
		r.t.Error(err)
	}
}

// KillProvider kills the providers that the CLI has started: the processes whose parent it is, read from Linux's /proc.
func (r *Running) KillProvider() {
	r.t.Helper()
	killed := 0
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		status, err := os.ReadFile(filepath.Join(folder, "stat"))
		if err != nil {
			continue // ended meanwhile
		}
		// The format is: pid (name) state parent …; the name may contain any character.
		fields := strings.Fields(string(status[bytes.LastIndexByte(status, ')')+1:]))
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil || fields[1] != strconv.Itoa(r.command.Process.Pid) {
			continue
		}
		killed++
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			r.t.Error(err)
		}
	}
	if killed == 0 {
		r.t.Error("the CLI has no running provider")
	}
}
