package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// conversionTakes is how long the conversion of a chapter takes.
const conversionTakes = 20 * time.Second

// BenchmarkSoak converts a library in one apply with -parallelism=100, beside lists and audio, and fails if the apply
// does or if a chapter is converted twice.
func BenchmarkSoak(b *testing.B) {
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
		{name: "FlappingAnd5RequestsPerSecond", projects: 20, chapters: 20, allowance: mockserver.Allowance{PerSecond: 5, Burst: 5}, down: 20 * time.Second},
	} {
		b.Run(service.name, func(b *testing.B) {
			for b.Loop() {
				s := serveFlapping(b)
				for i := range service.projects {
					s.AddProject(library(i, service.chapters))
				}
				if service.allowance.PerSecond > 0 {
					s.Allow(service.allowance)
				}
				s.Inject(mockserver.Fault{Times: -1, Hang: service.latency})
				if service.down > 0 {
					outage := time.AfterFunc(40*time.Second, func() { s.down(service.down) })
					defer outage.Stop()
				}
				used := applyLibrary(b, s, service.projects, service.chapters)
				b.ReportMetric(used.peak, "MiB")
				s.report(b, used.took, service.allowance)
				s.wantOneConversionEach(b, service.projects, service.chapters)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// library is a project of many.
func library(number, chapters int) mockserver.Project {
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

// applyLibrary applies the library in an empty folder, with a list of chapters and the audio of an earlier snapshot of each
// project.
func applyLibrary(b *testing.B, s *flapping, projects, chapters int) usage {
	c := newCLI(b, ours, server{&clitest.Service{Server: s.Server, Address: s.address}})
	c.WriteFile("main.tf", fmt.Sprintf(`
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
	return c.runWatched("apply", "-auto-approve", "-parallelism=100")
}

// flapping is a service that can be down for a while.
type flapping struct {
	*mockserver.Server
	b       testing.TB
	address string
	http    *http.Server
}

func serveFlapping(b testing.TB) *flapping {
	s := &flapping{Server: mockserver.New(), b: b}
	s.address = "http://" + s.listen("127.0.0.1:0")
	b.Cleanup(func() { s.http.Close() })
	return s
}

func (s *flapping) listen(at string) (address string) {
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
func (s *flapping) down(length time.Duration) {
	if err := s.http.Shutdown(context.Background()); err != nil {
		s.b.Error(err)
	}
	time.Sleep(length)
	s.listen(strings.TrimPrefix(s.address, "http://"))
}

func (s *flapping) report(b *testing.B, took time.Duration, allowance mockserver.Allowance) {
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

func (s *flapping) wantOneConversionEach(b *testing.B, projects, chapters int) {
	for i := range projects {
		for j := range chapters {
			if got := s.Conversions(fmt.Sprint("project-", i), fmt.Sprint("chapter-", j)); got != 1 {
				b.Errorf("conversions of chapter %d of project %d: got %d, want 1", j, i, got)
			}
		}
	}
}
