//go:build linux

// Package bench measures what a user waits for, side by side with what cannot be faster.
package bench

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	bytesPerSecond = 44100 // of the mock server's WAV
	twoGiB         = 2 << 30
	gigabit        = 1e9 / 8 // bytes
)

// audiobook has a snapshot of 2 GiB and one of a second.
var audiobook = mockserver.Project{ID: "book", Snapshots: []mockserver.ProjectSnapshot{
	{ID: "big", Length: twoGiB / bytesPerSecond * time.Second},
	{ID: "small", Length: time.Second},
}}

// BenchmarkAudio brings 2 GiB to a file with curl, and with Terraform and the provider. The
// time is that from the request's arrival to the file's: Terraform's own is not in it.
func BenchmarkAudio(b *testing.B) {
	for _, link := range []struct {
		name string
		rate float64 // bytes per second; 0: as fast as this machine sends
	}{{"1Gbit", gigabit}, {"2.5Gbit", 2.5 * gigabit}, {"5Gbit", 5 * gigabit}, {"unlimited", 0}} {
		b.Run(link.name, func(b *testing.B) {
			s := serve(b, link.rate)
			s.curl(b, "big") // The first to use so much of a machine's memory waits for it.
			_, least := s.provider(b, "small")
			var curl, provider time.Duration
			var most int
			for b.Loop() {
				curl += s.curl(b, "big")
				took, peak := s.provider(b, "big")
				provider += took
				most = max(most, peak)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(megabytes(curl, b.N), "curl-MB/s")
			b.ReportMetric(megabytes(provider, b.N), "provider-MB/s")
			b.ReportMetric(float64(curl)/float64(provider), "of-curl")
			b.ReportMetric(float64(least)/1024, "MiB-for-small")
			b.ReportMetric(float64(most-least)/1024, "MiB-more-for-big")
		})
	}
}

func megabytes(took time.Duration, times int) float64 {
	return float64(times) * twoGiB / 1e6 / took.Seconds()
}

type server struct {
	*mockserver.Server
	address string
}

// serve is the service behind a link of the given rate.
func serve(b *testing.B, rate float64) server {
	mock := mockserver.New()
	mock.AddProject(audiobook)
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rate > 0 {
			w = &link{ResponseWriter: w, rate: rate, began: time.Now()}
		}
		mock.ServeHTTP(w, r)
	}))
	b.Cleanup(listening.Close)
	return server{mock, listening.URL}
}

// link lets a body through at a steady rate.
type link struct {
	http.ResponseWriter
	rate  float64
	began time.Time
	sent  int
}

func (l *link) Write(p []byte) (int, error) {
	n, err := l.ResponseWriter.Write(p)
	l.sent += n
	<-time.After(time.Until(l.began.Add(time.Duration(float64(l.sent) / l.rate * float64(time.Second)))))
	return n, err
}

// curl returns how long it takes from the arrival of the request.
func (s server) curl(b *testing.B, snapshotID string) time.Duration {
	target := filepath.Join(b.TempDir(), "curl.wav")
	defer os.Remove(target)
	s.ResetJournal()
	run(b, exec.CommandContext(b.Context(), "curl", "--fail", "--silent", "--show-error", "--output", target,
		"--header", "xi-api-key: "+mockserver.Secret, "--json", `{"convert_to_mpeg":false}`,
		s.address+"/v1/projects/book/snapshots/"+snapshotID+"/stream"))
	return time.Since(s.Journal()[0].At)
}

// provider returns how long it takes from the arrival of the request to that of the file, and
// the most memory that its process has had, in KiB.
func (s server) provider(b *testing.B, snapshotID string) (took time.Duration, peak int) {
	folder := b.TempDir()
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "terraform-provider-audioprojects")
	run(b, exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-o", program, "../.."))
	write(b, filepath.Join(folder, "cli.tfrc"), fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n  }\n}\n", "audioprojects/audioprojects", folder))
	write(b, filepath.Join(folder, "main.tf"), fmt.Sprintf(`
terraform {
  required_providers {
    audioprojects = {
      source = "audioprojects/audioprojects"
    }
  }
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = "book"
  project_snapshot_id = %q
  filename            = "book.wav"
}
`, snapshotID))
	apply := exec.CommandContext(b.Context(), os.Getenv("TF_ACC_TERRAFORM_PATH"), "apply", "-auto-approve", "-no-color")
	apply.Dir = folder
	apply.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(folder, "cli.tfrc"), "CHECKPOINT_DISABLE=1",
		"AUDIOPROJECTS_BASE_URL="+s.address, "AUDIOPROJECTS_API_KEY="+mockserver.Secret)
	s.ResetJournal()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run(b, apply)
	}()
	arrived := s.await(filepath.Join(folder, "book.wav"), ended)
	process := ""
	for {
		// Terraform starts the program more than once.
		now := peakOf(process)
		if now == 0 {
			process = find(program)
		}
		peak = max(peak, now)
		select {
		case <-ended:
			return <-arrived, peak
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// await gives the time from the arrival of the request to that of the file.
func (s server) await(name string, ended <-chan struct{}) <-chan time.Duration {
	arrived := make(chan time.Duration, 1)
	go func() {
		defer close(arrived)
		for {
			if _, err := os.Stat(name); err == nil {
				arrived <- time.Since(s.Journal()[0].At)
				return
			}
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return arrived
}

// peakOf is the most memory that a process has had so far, in KiB; 0 if it has ended.
func peakOf(process string) int {
	status, _ := os.ReadFile(filepath.Join(process, "status"))
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	peak, _ := strconv.Atoi(strings.TrimSpace(strings.Split(after, "kB")[0]))
	return peak
}

// find finds the process that runs a program; empty if none does.
func find(program string) (process string) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == program {
			return filepath.Dir(link)
		}
	}
	return ""
}

func write(b *testing.B, name, content string) {
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		b.Fatal(err)
	}
}

func run(b *testing.B, command *exec.Cmd) {
	var screen bytes.Buffer
	command.Stdout, command.Stderr = &screen, &screen
	if err := command.Run(); err != nil {
		b.Errorf("%s: %v\n%s", command, err, &screen)
	}
}
