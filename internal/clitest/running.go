//go:build unix

package clitest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Running is a CLI at work. It and the providers that it starts are a process group of
// their own, as they are when a shell starts them.
type Running struct {
	t       testing.TB
	command *exec.Cmd
	screen  bytes.Buffer
	err     error
	Ended   chan struct{} // closed when screen and err are final
}

// Start starts the CLI and leaves it at work, until the end of the test at the latest.
func (c *CLI) Start(arguments ...string) *Running {
	c.t.Helper()
	return c.Launch(c.Command(arguments...))
}

// Launch starts a command of the CLI. What nobody else reads is on its screen.
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
	if err := r.command.Start(); err != nil {
		c.t.Fatal(err)
	}
	// A provider does not end with a CLI that is killed.
	c.t.Cleanup(func() { r.signalGroup(syscall.SIGKILL) })
	go func() {
		defer close(r.Ended)
		r.err = r.command.Wait()
	}()
	return r
}

// Wait returns what the CLI has printed when it has ended, and an error unless it succeeded.
func (r *Running) Wait() (screen string, err error) {
	<-r.Ended
	return r.screen.String(), r.err
}

// When does something to a CLI that is still at work then.
func (r *Running) When(moment <-chan struct{}, do func(*Running)) {
	select {
	case <-moment:
		do(r)
	case <-r.Ended:
	}
}

// Interrupt is Ctrl-C: a terminal sends it to the provider as well.
func (r *Running) Interrupt() { r.signalGroup(syscall.SIGINT) }

// Terminate is what a supervisor sends.
func (r *Running) Terminate() { r.signalGroup(syscall.SIGTERM) }

// HangUp is what a terminal that is closed sends.
func (r *Running) HangUp() { r.signalGroup(syscall.SIGHUP) }

func (r *Running) signalGroup(signal syscall.Signal) {
	// ESRCH: all of them have ended.
	if err := syscall.Kill(-r.command.Process.Pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		r.t.Error(err)
	}
}

// Kill kills the CLI, but not the provider.
func (r *Running) Kill() {
	if err := r.command.Process.Kill(); err != nil {
		r.t.Error(err)
	}
}

// KillProvider kills what the CLI has started.
func (r *Running) KillProvider() {
	r.t.Helper()
	children := r.Providers()
	if len(children) == 0 {
		r.t.Error("the CLI has no provider at work")
	}
	for _, pid := range children {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			r.t.Error(err)
		}
	}
}

// Providers are the processes that have the CLI for a parent; Linux's /proc tells.
func (r *Running) Providers() (pids []int) {
	r.t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		r.t.Error(err)
	}
	for _, folder := range folders {
		status, err := os.ReadFile(filepath.Join(folder, "stat"))
		if err != nil {
			continue // ended meanwhile
		}
		// pid (name) state parent …, and the name may hold anything.
		fields := strings.Fields(string(status[bytes.LastIndexByte(status, ')')+1:]))
		if fields[1] != strconv.Itoa(r.command.Process.Pid) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil {
			r.t.Error(err)
			continue
		}
		pids = append(pids, pid)
	}
	return pids
}

// WantEnded waits until nothing is left of these processes.
func WantEnded(t testing.TB, pids []int) {
	t.Helper()
	for _, pid := range pids {
		for running(t, pid) {
			select {
			case <-t.Context().Done():
				t.Fatalf("provider %d is still at work", pid)
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
}

func running(t testing.TB, pid int) bool {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "stat"))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	_, state, _ := strings.Cut(string(status), ") ")
	return !strings.HasPrefix(state, "Z") // ended, and nobody has asked how
}
