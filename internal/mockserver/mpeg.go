package mockserver

import (
	_ "embed"
	"io"
	"net/http"
	"slices"
	"time"
)

// mpegFrames has one frame for each pitch of the scale: MPEG version 1, layer III, at 128 kbit/s and 48000 samples per
// second, mono. A frame holds whole waves and borrows nothing from the frames before it, so that one frame again and
// again is a steady tone. The pitches are those of the scale, but for a few hertz. ffmpeg made the tones, and LAME
// 3.100 the frames, of which the first 20, where a tone begins, are left out:
//
//	for waves in 5 6 7 8 9 10 12 14; do
//	  ffmpeg -f lavfi -i "aevalsrc=0.2*sin(2*PI*t*$waves/0.024):s=48000:d=3" -f wav - |
//	    lame --nores -t --cbr -b 128 -m m - - | tail -c +7681 | head -c 384
//	done >tones.mp3
//
//go:embed tones.mp3
var mpegFrames []byte

const (
	mpegFrameSize   = 384                   // bytes
	mpegFrameLength = 24 * time.Millisecond // how long it sounds
)

// mpegAnswer gives every tone its length in whole frames. The length of it all is not announced, as of audio converted
// on the way.
func mpegAnswer(tones []tone) answer {
	parts := make([]io.Reader, len(tones))
	for i, tone := range tones {
		pitch := slices.Index(scale, tone.hertz) * mpegFrameSize
		frames := int64(tone.length/mpegFrameLength) + 1
		parts[i] = &cycle{bytes: mpegFrames[pitch : pitch+mpegFrameSize], left: frames * mpegFrameSize}
	}
	return answer{
		status: http.StatusOK,
		header: http.Header{"Content-Type": {"audio/mpeg"}},
		body:   io.MultiReader(parts...),
		length: -1,
	}
}
