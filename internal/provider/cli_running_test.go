//go:build unix

package provider_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// runningCLI is a CLI at work. It and the providers that it starts are a process group of
// their own, as they are when a shell starts them.
type runningCLI struct {
	t       *testing.T
	command *exec.Cmd
	screen  bytes.Buffer
	err     error
	ended   chan struct{} // closed when screen and err are final
}

// start starts the CLI and leaves it at work, until the end of the test at the latest.
func (c *cli) start(arguments ...string) *runningCLI {
	c.t.Helper()
	return c.launch(c.command(arguments...))
}

// launch starts a command of the CLI. What nobody else reads is on its screen.
func (c *cli) launch(command *exec.Cmd) *runningCLI {
	c.t.Helper()
	r := &runningCLI{t: c.t, command: command, ended: make(chan struct{})}
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
		defer close(r.ended)
		r.err = r.command.Wait()
	}()
	return r
}

// wait returns what the CLI has printed when it has ended, and an error unless it succeeded.
func (r *runningCLI) wait() (screen string, err error) {
	<-r.ended
	return r.screen.String(), r.err
}

// when does something to a CLI that is still at work then.
func (r *runningCLI) when(moment <-chan struct{}, do func(*runningCLI)) {
	select {
	case <-moment:
		do(r)
	case <-r.ended:
	}
}

// interrupt is Ctrl-C: a terminal sends it to the provider as well.
func (r *runningCLI) interrupt() { r.signalGroup(syscall.SIGINT) }

func (r *runningCLI) terminate() { r.signalGroup(syscall.SIGTERM) }

// hangUp is what a terminal that is closed sends.
func (r *runningCLI) hangUp() { r.signalGroup(syscall.SIGHUP) }

func (r *runningCLI) signalGroup(signal syscall.Signal) {
	// ESRCH: all of them have ended.
	if err := syscall.Kill(-r.command.Process.Pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		r.t.Error(err)
	}
}

// kill kills the CLI, but not the provider.
func (r *runningCLI) kill() {
	if err := r.command.Process.Kill(); err != nil {
		r.t.Error(err)
	}
}

// killProvider kills what the CLI has started.
func (r *runningCLI) killProvider() {
	r.t.Helper()
	children := r.children()
	if len(children) == 0 {
		r.t.Error("the CLI has no provider at work")
	}
	for _, pid := range children {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			r.t.Error(err)
		}
	}
}

// children reads from Linux's /proc who has the CLI for a parent.
func (r *runningCLI) children() (pids []int) {
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

// pluginCrash is in what the CLI says when a provider ends in the middle of an apply.
const pluginCrash = `plugin6.(*GRPCProvider).ApplyResourceChange`

// whileApplyWaits does something to an apply when the chapter has been looked at twice since
// the request for its conversion, and returns what the CLI prints. The apply must not succeed.
func (c *cli) whileApplyWaits(service *service, do func(*runningCLI), options ...string) string {
	c.t.Helper()
	var looks atomic.Int32
	waiting := make(chan struct{})
	service.Watch(func(entry mockserver.Entry) {
		requested := service.Count(mockserver.ConvertChapter) > 0
		if entry.Operation == mockserver.ListChapters && requested && looks.Add(1) == 2 {
			close(waiting)
		}
	})
	apply := c.start(append([]string{"apply", "-auto-approve"}, options...)...)
	apply.when(waiting, do)
	screen, err := apply.wait()
	if err == nil {
		c.t.Fatalf("the apply went through:\n%s", screen)
	}
	return screen
}

// wantProvidersEnded waits until nothing is left of what the CLI had started.
func wantProvidersEnded(t *testing.T, pids []int) {
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

func running(t *testing.T, pid int) bool {
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
