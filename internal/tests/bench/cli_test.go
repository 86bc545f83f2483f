// Package bench measures how long a user waits, and compares it with the least that is possible.
package bench

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// The packages of the providers that are compared.
const (
	ours  = "github.com/audioprojects/terraform-provider-audioprojects"
	floor = ours + "/internal/tests/bench/floor"
)

// programs is the folder of the providers' programs; each has a folder of its own.
var programs string

// TestMain prints the tables of a measurement, and writes them to the page.
func TestMain(m *testing.M) {
	var err error
	programs, err = os.MkdirTemp("", "audioprojects-bench-")
	if err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(programs)
	if code == 0 && measuring() {
		report()
	}
	os.Exit(code)
}

// program builds a provider as a release does, once, and returns its file.
func program(b testing.TB, source string) string {
	file := filepath.Join(programs, filepath.Base(source), clitest.ProviderName)
	_, err := os.Stat(file)
	if err == nil {
		return file
	}
	if err := clitest.Build(file, source, "-ldflags", "-s -w"); err != nil {
		b.Fatal(err)
	}
	return file
}

// serve serves the service in this process.
func serve(b testing.TB, service *mockserver.Server) *clitest.Service {
	return clitest.StartService(b, service, service)
}

// cli is a folder with a configuration, a provider and a service.
type cli struct {
	testing.TB
	*clitest.CLI
	source string
}

// newCLI makes a folder without a configuration. If source is empty, there is no provider.
func newCLI(b testing.TB, source string, s *clitest.Service) *cli {
	c := &cli{TB: b, source: source}
	if source == "" {
		c.CLI = clitest.Open(b, s.Address, "")
		return c
	}
	c.CLI = clitest.Open(b, s.Address, filepath.Dir(program(b, source)))
	c.WriteFile("versions.tf", clitest.RequiredProviders)
	return c
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
}

func (u usage) most(other usage) usage {
	return usage{max(u.took, other.took), max(u.peak, other.peak)}
}

// runWatched runs a command, and measures the provider's processes meanwhile.
func (c *cli) runWatched(arguments ...string) usage {
	return c.watch(func() time.Duration { return c.run(arguments...) })
}

// watch measures the provider's processes while a CLI runs, which starts several of them.
func (c *cli) watch(command func() (took time.Duration)) (used usage) {
	ended, most := make(chan struct{}), 0.0
	go func() {
		defer close(ended)
		used.took = command()
	}()
	process := ""
	for {
		peak := peakOf(process)
		if peak == 0 {
			process = find(program(c.TB, c.source))
		}
		most = max(most, peak)
		select {
		case <-ended:
			used.peak = most
			return used
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// find finds the folder under /proc, which Linux alone has, of the process that runs a program; empty if none does.
func find(program string) (process string) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		target, err := os.Readlink(link)
		if err == nil && target == program {
			return filepath.Dir(link)
		}
	}
	return ""
}

// peakOf is the most memory that a process has had so far, in MiB; 0 if it has ended.
func peakOf(process string) float64 {
	status, _ := os.ReadFile(filepath.Join(process, "status"))
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	peak, _ := strconv.Atoi(strings.TrimSpace(strings.Split(after, "kB")[0]))
	return float64(peak) / 1024
}
