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

func TestAudio_wavHasToneForEachChapter(t *testing.T) {
	t.Parallel()
	project := testProject
	project.Chapters = []mockserver.Chapter{
		{ID: "c1", Text: "0123456789"},                                   // 250 ms, the shortest
		{ID: "c2", Text: string(bytes.Repeat([]byte("0123456789"), 50))}, // 1 s
	}
	reply := stream(t, project, "")
	got := reply.header.Get("Content-Type")
	if got != "audio/wav" || reply.length != int64(len(reply.body)) {
		t.Errorf("Content-Type: got %s; Content-Length: got %d of %d bytes", got, reply.length, len(reply.body))
	}
	const header = 44
	if len(reply.body) < header || string(reply.body[:4])+string(reply.body[8:16]) != "RIFFWAVEfmt " {
		t.Fatalf("the file begins with %q", reply.body[:min(header, len(reply.body))])
	}
	// 250 ms and 1 s of 44,100 bytes a second.
	length := len(reply.body) - header
	if math.Abs(float64(length)/44100-1.25) > 0.001 {
		t.Errorf("got %d bytes of audio", length)
	}
}

// The test reads the file like a player: frame by frame, each of which begins with a header.
func TestAudio_mp3HasToneForEachChapter(t *testing.T) {
	t.Parallel()
	project := testProject
	project.Chapters = nil
	for range 8 {
		text := string(bytes.Repeat([]byte("0123456789"), 50)) // 1 s
		project.Chapters = append(project.Chapters, mockserver.Chapter{ID: fmt.Sprint(len(project.Chapters)), Text: text})
	}
	reply := stream(t, project, `{"convert_to_mpeg":true}`)
	got := reply.header.Get("Content-Type")
	if got != "audio/mpeg" {
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
		header := binary.BigEndian.Uint32(audio)
		if header != headerOfFrames {
			t.Fatalf("frame %d begins with %08x, want %08x", frames, header, headerOfFrames)
		}
		borrowed := binary.BigEndian.Uint16(audio[4:]) >> 7
		if borrowed != 0 {
			t.Fatalf("frame %d needs %d bytes of those before", frames, borrowed)
		}
		frame := audio[:frameSize]
		if len(tones) == 0 || !bytes.Equal(frame, tones[len(tones)-1]) {
			tones = append(tones, frame)
		}
		frames++
	}
	if len(audio) > 0 {
		t.Errorf("%d bytes are left behind the last frame", len(audio))
	}
	seconds := float64(frames) * samples / perSecond
	if math.Abs(seconds-8) > 0.2 {
		t.Errorf("got %.2f s for eight chapters of 1 s", seconds)
	}
	if len(tones) != 8 {
		t.Errorf("got %d tones for eight chapters", len(tones))
	}
}
