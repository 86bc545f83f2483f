package mockserver_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"testing"

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

func TestAWAVFileHasAToneForEachChapter(t *testing.T) {
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
		if got := pitch([][]int16{first, second}[i], 22050); math.Abs(got-want) > 5 {
			t.Errorf("chapter %d: got %.0f Hz, want %.0f Hz", i+1, got, want)
		}
	}
}

// pitch counts how often a tone rises through zero, per second.
func pitch(samples []int16, perSecond int) float64 {
	rises := 0
	for i := 1; i < len(samples); i++ {
		if samples[i-1] < 0 && samples[i] >= 0 {
			rises++
		}
	}
	return float64(rises) * float64(perSecond) / float64(len(samples))
}

func TestAnMP3FileHasAToneForEachChapter(t *testing.T) {
	t.Parallel()
	project := story
	project.Chapters = nil
	for range 8 {
		text := string(bytes.Repeat([]byte("0123456789"), 50)) // 1 s
		project.Chapters = append(project.Chapters, mockserver.Chapter{ID: fmt.Sprint(len(project.Chapters)), Text: text})
	}
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
	var samples []int16
	for i := 0; i < len(pcm); i += 4 {
		samples = append(samples, int16(binary.LittleEndian.Uint16(pcm[i:])))
	}
	chapter := len(samples) / 8
	if got := float64(chapter) / float64(decoder.SampleRate()); math.Abs(got-1) > 0.03 {
		t.Errorf("got %.2f s for a chapter, want 1 s", got)
	}
	for i, want := range []float64{220, 262, 294, 330, 392, 440, 524, 588} {
		middle := samples[i*chapter+chapter/4 : i*chapter+chapter*3/4]
		if got := pitch(middle, decoder.SampleRate()); math.Abs(got-want) > 20 {
			t.Errorf("chapter %d: got %.0f Hz, want about %.0f Hz", i+1, got, want)
		}
		if loudest := float64(slices.Max(middle)) / math.MaxInt16; loudest < 0.1 || loudest > 0.3 {
			t.Errorf("chapter %d: got %.2f of full loudness, want about 0.2", i+1, loudest)
		}
	}
}
