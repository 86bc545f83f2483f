// Package bench measures how long a user waits, and compares it with the least that is possible.
package bench

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// The packages of the providers that are compared.
const (
	ours  = "github.com/audioprojects/terraform-provider-audioprojects"
	floor = ours + "/internal/bench/floor"
)

// programs is the folder of the providers' programs; each has a folder of its own.
var programs string

// TestMain prints the tables of results, and writes them to the page.
func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "audioprojects-bench-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(programs)
	if code == 0 {
		report()
	}
	os.Exit(code)
}

// program builds a provider as a release does, once, and returns its file.
func program(b testing.TB, source string) string {
	file := filepath.Join(programs, filepath.Base(source), clitest.ProviderName)
	if _, err := os.Stat(file); err == nil {
		return file
	}
	if err := clitest.Build(file, source, "-trimpath", "-ldflags", "-s -w"); err != nil {
		b.Fatal(err)
	}
	return file
}

// server is the service in this process.
type server struct{ *clitest.Service }

// serve serves a handler that passes requests to the service.
func serve(b testing.TB, service *mockserver.Server, handler http.Handler) server {
	return server{clitest.StartService(b, service, handler)}
}

// cli is a folder with a configuration, a provider and a service.
type cli struct {
	testing.TB
	*clitest.CLI
	source string
}

// newCLI makes a folder without a configuration. If source is empty, there is no provider.
func newCLI(b testing.TB, source string, s server) *cli {
	if source == "" {
		return &cli{TB: b, CLI: clitest.Open(b, s.Address, "")}
	}
	c := &cli{TB: b, CLI: clitest.Open(b, s.Address, filepath.Dir(program(b, source))), source: source}
	c.WriteFile("versions.tf", clitest.RequiredProviders)
	return c
}

func (c *cli) copy(from *cli, names ...string) {
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(from.Folder, name))
		if err != nil {
			c.Fatal(err)
		}
		c.WriteFile(name, string(content))
	}
}

// run runs a command and returns how long it took.
func (c *cli) run(arguments ...string) time.Duration {
	took, screen, err := c.try(arguments...)
	if err != nil {
		c.Errorf("%q: %v\n%s", arguments, err, screen)
	}
	return took
}

// try is run for a command that may fail.
func (c *cli) try(arguments ...string) (took time.Duration, screen string, err error) {
	command := c.Command(arguments...)
	began := time.Now()
	said, err := command.CombinedOutput()
	return time.Since(began), string(said), err
}

// usage is what the provider's processes used.
type usage struct {
	took time.Duration // of the CLI's command
	peak float64       // peak memory of the biggest process, in MiB
	work time.Duration // processor time
}

func (u usage) most(other usage) usage {
	return usage{max(u.took, other.took), max(u.peak, other.peak), max(u.work, other.work)}
}

// runWatched runs a command, and measures the provider's processes meanwhile.
func (c *cli) runWatched(arguments ...string) usage {
	return c.watch(func() time.Duration { return c.run(arguments...) })
}

// watch measures the provider's processes while a CLI runs, which starts several of them.
func (c *cli) watch(command func() (took time.Duration)) (used usage) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		used.took = command()
	}()
	process, work := "", map[string]time.Duration{}
	var peak float64
	for {
		memory := clitest.PeakOf(process)
		if memory == 0 {
			process = clitest.Find(program(c.TB, c.source))
		}
		peak = max(peak, memory)
		work[process] = max(work[process], workOf(process))
		select {
		case <-ended:
			used.peak = peak
			for _, of := range work {
				used.work += of
			}
			return used
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// workOf is the processor time of a process so far; 0 if it has ended.
func workOf(process string) time.Duration {
	const tick = 10 * time.Millisecond
	stat, _ := os.ReadFile(filepath.Join(process, "stat"))
	_, after, _ := strings.Cut(string(stat), ") ") // after the program's name, which may contain any character
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}
