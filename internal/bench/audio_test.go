package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	bytesPerSecond = 44100 // of the mock server's WAV
	twoGiB         = 2 << 30
)

// audiobook has a snapshot of 2 GiB and one of a second.
var audiobook = mockserver.Project{ID: "book", Snapshots: []mockserver.ProjectSnapshot{
	{ID: "big", Length: twoGiB / bytesPerSecond * time.Second},
	{ID: "small", Length: time.Second},
}}

var audioTable = &table{title: "Audio: 2 GiB to a file", rows: [][]string{{"provider", "memory for a second", "more for 2 GiB"}}}

// BenchmarkAudio downloads 2 GiB to a file. The time runs from the arrival of the request until the file is there, so Terraform's
// own time is not in it.
func BenchmarkAudio(b *testing.B) {
	service := mockserver.New()
	service.AddProject(audiobook)
	s := serve(b, service, service)
	_, least := s.provider(b, "small")
	var took []time.Duration
	var most float64
	for b.Loop() {
		now, peak := s.provider(b, "big")
		took, most = append(took, now), max(most, peak)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(most-least, "more-MiB")
	audioTable.add(throughput(took), mebibytes(least), mebibytes(most-least))
}

func throughput(took []time.Duration) string {
	return fmt.Sprintf("%.0f MB/s", twoGiB/1e6/median(took).Seconds())
}

// provider downloads with the provider. It returns the time from the arrival of the request until the file is there, and
// the peak memory of the provider's process, in MiB.
func (s server) provider(b *testing.B, snapshotID string) (took time.Duration, peak float64) {
	c := newCLI(b, ours, s)
	defer os.RemoveAll(c.Folder)
	c.WriteFile("main.tf", fmt.Sprintf(`
resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = "book"
  project_snapshot_id = %q
  filename            = "book.wav"
}
`, snapshotID))
	s.ResetJournal()
	ended := make(chan struct{})
	arrived := s.await(filepath.Join(c.Folder, "book.wav"), ended)
	used := c.runWatched("apply", "-auto-approve")
	close(ended)
	return <-arrived, used.peak
}

// await measures the time from the arrival of the request until the file is there.
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
