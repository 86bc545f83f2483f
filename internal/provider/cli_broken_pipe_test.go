//go:build unix

package provider_test

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestAccNobodyListens is an apply in a pipe to head, whose reader goes away while it waits.
// A CLI that prints its next line then is ended by that, and saves nothing.
func TestAccNobodyListens(t *testing.T) {
	t.Parallel()
	stdout := func(command *exec.Cmd, pipe *os.File) { command.Stdout = pipe }
	stderr := func(command *exec.Cmd, pipe *os.File) { command.Stderr = pipe }
	both := func(command *exec.Cmd, pipe *os.File) { command.Stdout, command.Stderr = pipe, pipe }
	goOn := func(*service) {}
	for name, test := range map[string]struct {
		attach    func(*exec.Cmd, *os.File)
		arguments string
		then      func(*service) // when nobody listens any more
		dies      bool
		meanwhile func(*service) // when the CLI has ended
	}{
		"stdout, and the conversion goes on": {stdout, ``, goOn, true, (*service).endWhenWaitedFor},
		"stdout, and the conversion ends":    {stdout, `keep_up_to_date = true`, (*service).end, true, goOn},
		"both, and the conversion goes on":   {both, ``, goOn, true, (*service).endWhenWaitedFor},
		"both, and the conversion ends":      {both, `keep_up_to_date = true`, (*service).end, true, goOn},
		"stderr, and the conversion ends":    {stderr, ``, (*service).end, false, goOn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newService(t, book(long))
			terraform := newCLI(t, service)
			terraform.Write(conversionBlock(test.arguments))
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			command := terraform.Command("apply", "-auto-approve")
			test.attach(command, writer)
			var apply *clitest.Running
			var providers []int
			launched := make(chan struct{})
			leave := sync.OnceFunc(func() {
				<-launched
				providers = apply.Providers()
				reader.Close()
				test.then(service)
			})
			service.Watch(func(mockserver.Entry) {
				if service.Count(mockserver.ConvertChapter) > 0 && service.Count(mockserver.ListChapters) > 3 {
					leave()
				}
			})
			apply = terraform.Launch(command)
			close(launched)
			writer.Close()
			_, err = apply.Wait()
			ended := command.ProcessState.Sys().(syscall.WaitStatus)
			if died := ended.Signaled() && ended.Signal() == syscall.SIGPIPE; died != test.dies || !died && err != nil {
				t.Errorf("got %v, want death by a broken pipe to be %t", err, test.dies)
			}
			service.WantPaid("book", "one", 1)
			clitest.WantEnded(t, providers)

			test.meanwhile(service)
			terraform.Run("apply", "-auto-approve")
			terraform.wantSettled()
			service.WantPaid("book", "one", 1)
		})
	}
}
