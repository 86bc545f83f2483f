package mockserver

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"net/http"
	"time"
	"unicode/utf8"
)

// tone is the audio of one chapter: a whole number of hertz, for some time.
type tone struct {
	hertz  int
	length time.Duration
}

const (
	timePerCharacter = 2 * time.Millisecond
	shortestTone     = 250 * time.Millisecond
)

// scale is the pitches that the chapters of a project take in turn, in hertz.
var scale = []int{220, 262, 294, 330, 392, 440, 524, 588}

// tones is the audio of a project snapshot: a tone for every chapter there was then, the longer the more text it had.
func (p *project) tones(snapshot ProjectSnapshot) []tone {
	if snapshot.Length > 0 {
		return []tone{{scale[0], snapshot.Length}}
	}
	var tones []tone
	for i, chapter := range p.chapters {
		if !chapter.existsAt(snapshot.CreatedAt) {
			continue
		}
		characters := 0
		for _, paragraph := range chapter.text(snapshot.CreatedAt) {
			characters += utf8.RuneCountInString(paragraph)
		}
		length := max(time.Duration(characters)*timePerCharacter, shortestTone)
		tones = append(tones, tone{scale[i%len(scale)], length})
	}
	if tones == nil {
		return []tone{{scale[0], shortestTone}}
	}
	return tones
}

// WAV: 16-bit samples, mono.
const (
	sampleRate     = 22050 // per second
	bytesPerSample = 2
	wavHeaderSize  = 44
)

func wavAnswer(tones []tone) answer {
	var size int64
	parts := make([]io.Reader, 1, 1+len(tones))
	for _, tone := range tones {
		samples := int64(tone.length) * sampleRate / int64(time.Second)
		size += samples * bytesPerSample
		parts = append(parts, &cycle{bytes: oneSecond(tone.hertz), left: samples * bytesPerSample})
	}
	parts[0] = bytes.NewReader(wavHeader(size))
	return answer{
		status: http.StatusOK,
		header: http.Header{"Content-Type": {"audio/wav"}},
		body:   io.MultiReader(parts...),
		length: wavHeaderSize + size,
	}
}

func wavHeader(size int64) []byte {
	const pcm, mono = 1, 1
	header := make([]byte, 0, wavHeaderSize)
	header = append(header, "RIFF"...)
	header = binary.LittleEndian.AppendUint32(header, uint32(wavHeaderSize-8+size))
	header = append(header, "WAVEfmt "...)
	header = binary.LittleEndian.AppendUint32(header, 16)
	header = binary.LittleEndian.AppendUint16(header, pcm)
	header = binary.LittleEndian.AppendUint16(header, mono)
	header = binary.LittleEndian.AppendUint32(header, sampleRate)
	header = binary.LittleEndian.AppendUint32(header, sampleRate*bytesPerSample)
	header = binary.LittleEndian.AppendUint16(header, bytesPerSample)
	header = binary.LittleEndian.AppendUint16(header, 8*bytesPerSample)
	header = append(header, "data"...)
	return binary.LittleEndian.AppendUint32(header, uint32(size))
}

// oneSecond is where a tone of whole hertz repeats without a click.
func oneSecond(hertz int) []byte {
	const loudness = 0.2 * math.MaxInt16
	samples := make([]byte, 0, sampleRate*bytesPerSample)
	for i := range sampleRate {
		angle := 2 * math.Pi * float64(hertz*i) / sampleRate
		samples = binary.LittleEndian.AppendUint16(samples, uint16(int16(loudness*math.Sin(angle))))
	}
	return samples
}

// cycle reads the same bytes over and over, so that no audio is held whole.
type cycle struct {
	bytes []byte
	at    int
	left  int64
}

func (c *cycle) Read(b []byte) (n int, err error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	for n < len(b) && c.left > 0 {
		end := min(int64(len(c.bytes)), int64(c.at)+c.left)
		copied := copy(b[n:], c.bytes[c.at:end])
		n += copied
		c.left -= int64(copied)
		c.at = (c.at + copied) % len(c.bytes)
	}
	return n, nil
}
