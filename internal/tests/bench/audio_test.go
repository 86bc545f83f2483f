package bench

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	bytesPerSecond = 44100 // of the mock server's WAV
	twoGiB         = 2 << 30
)

var audioTable = &table{title: "Audio: 2 GiB to a file", rows: [][]string{{"speed", "memory for a second of audio", "more for 2 GiB"}}}

// BenchmarkAudio downloads 2 GiB to a file. What a download of a second takes is Terraform's own time.
func BenchmarkAudio(b *testing.B) {
	service := mockserver.New()
	service.AddProject(mockserver.Project{ID: "book", Snapshots: []mockserver.ProjectSnapshot{
		{ID: "big", Length: twoGiB / bytesPerSecond * time.Second}, {ID: "small", Length: time.Second},
	}})
	s := serve(b, service)
	download := func(snapshotID string) usage {
		c := newCLI(b, ours, s)
		defer os.RemoveAll(c.Folder)
		c.WriteFile("main.tf", fmt.Sprintf(`
resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = "book"
  project_snapshot_id = %q
  filename            = "book.wav"
}
`, snapshotID))
		return c.runWatched("apply", "-auto-approve")
	}
	small, most := download("small"), 0.0
	var took []time.Duration
	for b.Loop() {
		big := download("big")
		took, most = append(took, big.took-small.took), max(most, big.peak)
	}
	b.ReportMetric(0, "ns/op")
	audioTable.add(fmt.Sprintf("%.0f MB/s", twoGiB/1e6/median(took).Seconds()), mebibytes(small.peak), mebibytes(most-small.peak))
}
