package mockserver_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/hajimehoshi/go-mp3"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// stream asks for the snapshot of a project like story.
func stream(t *testing.T, project mockserver.Project, body string) reply {
	t.Helper()
	reply := overTCP(t, project).request(http.MethodPost, "/v1/projects/p/snapshots/s/stream", body)
	if reply.err != nil {
		t.Fatal(reply.err)
	}
	return reply
}

func TestWAV(t *testing.T) {
	t.Parallel()
	project := story
	project.Chapters = []mockserver.Chapter{
		{ID: "c1", Text: "0123456789"},                                   // 250 ms, the shortest
		{ID: "c2", Text: string(bytes.Repeat([]byte("0123456789"), 50))}, // 1 s
	}
	reply := stream(t, project, "")
	if got := reply.header.Get("Content-Type"); got != "audio/wav" {
		t.Errorf("Content-Type: got %s", got)
	}
	if reply.length != int64(len(reply.body)) {
		t.Errorf("Content-Length: got %d of %d bytes", reply.length, len(reply.body))
	}
	var header struct {
		RIFF           [4]byte
		Size           uint32
		WAVE, Format   [4]byte
		FormatSize     uint32
		Encoding       uint16
		Channels       uint16
		SampleRate     uint32
		BytesPerSecond uint32
		BlockSize      uint16
		BitsPerSample  uint16
		Data           [4]byte
		DataSize       uint32
	}
	reader := bytes.NewReader(reply.body)
	if err := binary.Read(reader, binary.LittleEndian, &header); err != nil {
		t.Fatal(err)
	}
	if string(header.RIFF[:])+string(header.WAVE[:])+string(header.Format[:])+string(header.Data[:]) != "RIFFWAVEfmt data" ||
		int(header.Size) != len(reply.body)-8 || header.FormatSize != 16 || header.Encoding != 1 ||
		header.Channels != 1 || header.SampleRate != 22050 || header.BytesPerSecond != 44100 ||
		header.BlockSize != 2 || header.BitsPerSample != 16 || int(header.DataSize) != reader.Len() {
		t.Errorf("header: got %+v", header)
	}
	samples := make([]int16, header.DataSize/2)
	if err := binary.Read(reader, binary.LittleEndian, samples); err != nil {
		t.Fatal(err)
	}
	first, second := samples[:22050/4], samples[22050/4:]
	if got := float64(len(second)) / 22050; math.Abs(got-1) > 0.001 {
		t.Errorf("second chapter: got %.3f s, want 1 s", got)
	}
	for i, want := range []float64{220, 262} {
		if got := pitch([][]int16{first, second}[i]); math.Abs(got-want) > 5 {
			t.Errorf("chapter %d: got %.0f Hz, want %.0f Hz", i+1, got, want)
		}
	}
}

// pitch counts how often a tone rises through zero, per second.
func pitch(samples []int16) float64 {
	rises := 0
	for i := 1; i < len(samples); i++ {
		if samples[i-1] < 0 && samples[i] >= 0 {
			rises++
		}
	}
	return float64(rises) * 22050 / float64(len(samples))
}

func TestMP3(t *testing.T) {
	t.Parallel()
	project := story
	project.Snapshots = []mockserver.ProjectSnapshot{{ID: "s", Length: 2 * time.Second}}
	reply := stream(t, project, `{"convert_to_mpeg":true}`)
	if got := reply.header.Get("Content-Type"); got != "audio/mpeg" {
		t.Errorf("Content-Type: got %s", got)
	}
	decoder, err := mp3.NewDecoder(bytes.NewReader(reply.body))
	if err != nil {
		t.Fatal(err)
	}
	pcm, err := io.ReadAll(decoder)
	if err != nil {
		t.Fatal(err)
	}
	// The decoder gives two channels of 16 bits.
	seconds := float64(len(pcm)) / 4 / float64(decoder.SampleRate())
	if math.Abs(seconds-2) > 0.1 {
		t.Errorf("got %.2f s, want 2 s", seconds)
	}
	if bytes.ContainsFunc(pcm, func(r rune) bool { return r != 0 }) {
		t.Error("not silent")
	}
}
