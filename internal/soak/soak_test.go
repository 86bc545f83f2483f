// Package soak applies many projects with a real Terraform, against a service with many faults.
package soak

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// conversionTakes is how long the conversion of a chapter takes.
const conversionTakes = 20 * time.Second

// BenchmarkApply converts a library in one apply with -parallelism=100, beside lists and audio, and fails if the apply
// does or if a chapter is converted twice.
func BenchmarkApply(b *testing.B) {
	for _, service := range []struct {
		name               string
		projects, chapters int // chapters of each project
		allowance          mockserver.Allowance
		latency            time.Duration
		// down is how long the service refuses connections, beginning 40 s after its start.
		down time.Duration
	}{
		{name: "5RequestsPerSecond", projects: 20, chapters: 100, allowance: mockserver.Allowance{PerSecond: 5, Burst: 5}},
		{name: "Slow", projects: 20, chapters: 20, latency: 2 * time.Second},
		{name: "Flapping", projects: 20, chapters: 20, down: 20 * time.Second},
		{name: "FlappingAnd5RequestsPerSecond", projects: 20, chapters: 20, allowance: mockserver.Allowance{PerSecond: 5, Burst: 5}, down: 20 * time.Second},
	} {
		b.Run(service.name, func(b *testing.B) {
			for b.Loop() {
				s := serve(b)
				for i := range service.projects {
					s.AddProject(project(i, service.chapters))
				}
				if service.allowance.PerSecond > 0 {
					s.Allow(service.allowance)
				}
				s.Inject(mockserver.Fault{Times: -1, Hang: service.latency})
				if service.down > 0 {
					outage := time.AfterFunc(40*time.Second, func() { s.down(service.down) })
					defer outage.Stop()
				}
				took, memory := apply(b, s.address, service.projects, service.chapters)
				b.ReportMetric(memory, "MiB")
				s.report(b, took, service.allowance)
				s.wantOneConversionEach(b, service.projects, service.chapters)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func project(number, chapters int) mockserver.Project {
	p := mockserver.Project{
		ID:        fmt.Sprint("project-", number),
		Snapshots: []mockserver.ProjectSnapshot{{ID: "earlier", Length: 10 * time.Minute}},
	}
	for i := range chapters {
		p.Chapters = append(p.Chapters, mockserver.Chapter{
			ID: fmt.Sprint("chapter-", i), Text: "The lamp was lit.", Conversions: []mockserver.Conversion{{Takes: conversionTakes}},
		})
	}
	return p
}

// apply applies the library in an empty folder, with a list of chapters and the audio of an earlier snapshot of each
// project. It returns how long the apply took, and the most memory, in MiB, that the provider needed.
func apply(b *testing.B, address string, projects, chapters int) (took time.Duration, memory float64) {
	cli := clitest.Open(b, address, filepath.Dir(program(b)))
	cli.Write(clitest.RequiredProviders, fmt.Sprintf(`
		resource "audioprojects_chapter_conversion" "all" {
		  count      = %d
		  project_id = "project-${count.index %% %d}"
		  chapter_id = "chapter-${floor(count.index / %[2]d)}"
		}

		data "audioprojects_chapters" "all" {
		  count      = %[2]d
		  project_id = "project-${count.index}"
		}

		resource "audioprojects_project_snapshot_audio" "all" {
		  count               = %[2]d
		  project_id          = "project-${count.index}"
		  project_snapshot_id = "earlier"
		  filename            = "${path.module}/${count.index}.wav"
		}`, projects*chapters, projects))
	terraform := cli.Command("apply", "-auto-approve", "-parallelism=100")
	peak := watch(b)
	began := time.Now()
	run(b, terraform)
	return time.Since(began), peak()
}

func run(b *testing.B, command *exec.Cmd) {
	if screen, err := command.CombinedOutput(); err != nil {
		text := string(screen)
		if at := strings.Index(text, "Error:"); at > 0 {
			text = text[at:]
		}
		b.Fatalf("%v: %v\n%s", command.Args, err, text)
	}
}

// server is a service that can be down for a while.
type server struct {
	*mockserver.Server
	b       testing.TB
	address string
	http    *http.Server
}

func serve(b testing.TB) *server {
	s := &server{Server: mockserver.New(), b: b}
	s.address = "http://" + s.listen("127.0.0.1:0")
	b.Cleanup(func() { s.http.Close() })
	return s
}

func (s *server) listen(at string) (address string) {
	listener, err := net.Listen("tcp", at)
	if err != nil {
		s.b.Error(err)
		return ""
	}
	s.http = &http.Server{Handler: s}
	go func(serving *http.Server) {
		if err := serving.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.b.Error(err)
		}
	}(s.http)
	return listener.Addr().String()
}

// down lets requests under way end, and then refuses connections for so long.
func (s *server) down(length time.Duration) {
	if err := s.http.Shutdown(context.Background()); err != nil {
		s.b.Error(err)
	}
	time.Sleep(length)
	s.listen(strings.TrimPrefix(s.address, "http://"))
}

func (s *server) report(b *testing.B, took time.Duration, allowance mockserver.Allowance) {
	journal := s.Journal()
	answered, refused := 0, 0
	for _, entry := range journal {
		if entry.Status == http.StatusTooManyRequests {
			refused++
		} else {
			answered++
		}
	}
	b.ReportMetric(took.Seconds(), "s-apply")
	b.ReportMetric(float64(answered), "requests")
	b.ReportMetric(float64(refused), "refused")
	if allowance.PerSecond > 0 {
		length := journal[len(journal)-1].At.Sub(journal[0].At)
		b.ReportMetric(100*float64(answered)/(allowance.PerSecond*length.Seconds()), "%-of-allowance")
	}
}

func (s *server) wantOneConversionEach(b *testing.B, projects, chapters int) {
	for i := range projects {
		for j := range chapters {
			if got := s.Conversions(fmt.Sprint("project-", i), fmt.Sprint("chapter-", j)); got != 1 {
				b.Errorf("conversions of chapter %d of project %d: got %d, want 1", j, i, got)
			}
		}
	}
}
