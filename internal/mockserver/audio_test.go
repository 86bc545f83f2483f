package mockserver_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// stream requests the snapshot of a project like testProject.
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
	project := testProject
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

// A player goes from frame to frame: each begins with a header, which tells how long the frame is.
func TestAnMP3FileHasAToneForEachChapter(t *testing.T) {
	t.Parallel()
	project := testProject
	project.Chapters = nil
	for range 8 {
		text := string(bytes.Repeat([]byte("0123456789"), 50)) // 1 s
		project.Chapters = append(project.Chapters, mockserver.Chapter{ID: fmt.Sprint(len(project.Chapters)), Text: text})
	}
	reply := stream(t, project, `{"convert_to_mpeg":true}`)
	if got := reply.header.Get("Content-Type"); got != "audio/mpeg" {
		t.Errorf("Content-Type: got %s", got)
	}
	const (
		samples        = 1152
		perSecond      = 48000
		bitsPerSecond  = 128000
		frameSize      = samples * bitsPerSecond / perSecond / 8
		headerOfFrames = 0xFFFB94C4 // MPEG 1, layer III, no checksum, 128 kbit/s, 48 kHz, no padding, mono
	)
	var tones [][]byte
	audio, frames := reply.body, 0
	for ; len(audio) >= frameSize; audio = audio[frameSize:] {
		if header := binary.BigEndian.Uint32(audio); header != headerOfFrames {
			t.Fatalf("frame %d begins with %08x, want %08x", frames, header, headerOfFrames)
		}
		if borrowed := binary.BigEndian.Uint16(audio[4:]) >> 7; borrowed != 0 {
			t.Fatalf("frame %d needs %d bytes of those before", frames, borrowed)
		}
		if frame := audio[:frameSize]; len(tones) == 0 || !bytes.Equal(frame, tones[len(tones)-1]) {
			tones = append(tones, frame)
		}
		frames++
	}
	if len(audio) > 0 {
		t.Errorf("%d bytes are left behind the last frame", len(audio))
	}
	if got := float64(frames) * samples / perSecond; math.Abs(got-8) > 0.2 {
		t.Errorf("got %.2f s for eight chapters of 1 s", got)
	}
	if len(tones) != 8 {
		t.Errorf("got %d tones for eight chapters", len(tones))
	}
}
