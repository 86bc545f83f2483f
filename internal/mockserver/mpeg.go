package mockserver

import (
	"io"
	"math"
	"net/http"
	"time"
)

// MPEG: version 1, layer III, at 128 kbit/s and 44100 samples per second, mono.
const (
	frameRate       = 44100                    // samples per second
	frameSize       = 144 * 128000 / frameRate // bytes
	samplesPerFrame = 1152
)

// mpegAnswer gives every tone its length in frames. The length of it all is not announced,
// as of audio converted on the way.
func mpegAnswer(tones []tone) answer {
	var parts []io.Reader
	for _, tone := range tones {
		frames := int64(tone.length)*frameRate/int64(time.Second)/samplesPerFrame + 1
		parts = append(parts, &cycle{bytes: mpegTone(tone.hertz), left: frames * frameSize})
	}
	return answer{
		status: http.StatusOK,
		header: http.Header{"Content-Type": {"audio/mpeg"}},
		body:   io.MultiReader(parts...),
		length: -1,
	}
}

// mpegTone is two frames that repeat as a steady tone. Layer III keeps sound as the strength
// of 576 frequencies, anew for every half of a frame; a tone is one of them, whose sign
// follows the wave from half to half and is back where it was after four.
func mpegTone(hertz int) []byte {
	const spacing = frameRate / samplesPerFrame // hertz from one frequency to the next
	line := hertz / spacing
	minus := [4]bool{false, line%2 == 0, true, line%2 == 1}
	return append(mpegFrame(line, minus[0], minus[1]), mpegFrame(line, minus[2], minus[3])...)
}

// mpegFrame has a single frequency in each half, with its sign.
func mpegFrame(line int, minus ...bool) []byte {
	const (
		loudness  = 0.2
		codebook  = 1            // for strengths of 0 and 1, in pairs
		quietPair = 0b1          // 0, 0
		codeLast  = 0b001        // 0, 1
		codeFirst = 0b01         // 1, 0
		anyRegion = 7            // all regions use the same code
		unity     = 210          // the gain that leaves a strength of 1 as it is
		perGain   = 4 / math.Ln2 // steps of the gain to a factor of e
	)
	quietPairs := line / 2
	code, width := uint(codeFirst), 2
	if line%2 == 1 {
		code, width = codeLast, 3
	}
	frame := &bits{}
	frame.write(0xFFFB90C0, 32)
	frame.write(0, 9+5+4) // nothing borrowed from the frame before, nothing private, nothing shared
	for range minus {
		frame.write(uint(quietPairs+width+1), 12)
		frame.write(uint(quietPairs+1), 9)
		frame.write(uint(unity+perGain*math.Log(loudness)), 8)
		frame.write(0, 4+1) // no factors for parts of the spectrum, no short windows
		frame.write(codebook, 5)
		frame.write(codebook, 5)
		frame.write(codebook, 5)
		frame.write(anyRegion, 4)
		frame.write(anyRegion, 3)
		frame.write(0, 3)
	}
	for _, minus := range minus {
		for range quietPairs {
			frame.write(quietPair, 1)
		}
		frame.write(code, width)
		sign := uint(0)
		if minus {
			sign = 1
		}
		frame.write(sign, 1)
	}
	return append(frame.bytes, make([]byte, frameSize-len(frame.bytes))...)
}

// bits is bytes written bit by bit, the highest first.
type bits struct {
	bytes []byte
	free  int // of the last byte
}

func (b *bits) write(value uint, width int) {
	for i := width - 1; i >= 0; i-- {
		if b.free == 0 {
			b.bytes, b.free = append(b.bytes, 0), 8
		}
		b.free--
		b.bytes[len(b.bytes)-1] |= byte(value>>i&1) << b.free
	}
}
