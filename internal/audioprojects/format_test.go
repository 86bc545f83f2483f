package audioprojects_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// The service may have stored something else, and sends it as audio or as anything.
func TestStreamProjectSnapshot_knownFormats(t *testing.T) {
	t.Parallel()
	var tape bytes.Buffer
	archive := tar.NewWriter(&tape)
	_ = archive.WriteHeader(&tar.Header{Name: "book.wav"})
	var picture, packed bytes.Buffer
	_ = jpeg.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8)), nil)
	zipper := gzip.NewWriter(&packed)
	_, _ = zipper.Write([]byte("RIFF"))
	_ = zipper.Close()
	font := "\x00\x01\x00\x00\x00\x0b\x00\x80\x00\x03\x00\x30GSUB\xb1\x44\x5a\x07\x00\x00\x01\x38\x00\x00\x00\x54OS/2"
	icon := "\x00\x00\x01\x00\x01\x00\x00\x00\x00\x00\x01\x00\x20\x00\xa8\x25\x00\x00\x16\x00\x00\x00\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for beginning, want := range map[string]string{
		"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR": "image/png", "GIF89a\x01\x00": "image/gif", "\xff\xd8\xff\xe0\x00\x10JFIF\x00": "image/jpeg",
		"RIFF\x24\x00\x00\x00WEBPVP8 ": "image/webp", "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00": "image/heic", icon: "image/x-icon",
		"wOF2\x00\x01\x00\x00": "font/woff2", "OTTO\x00\x0b\x00\x80\x00\x03\x00\x30CFF " + strings.Repeat("\x01", 40): "font/otf", font: "font/ttf",
		"\x00asm\x01\x00\x00\x00": "application/wasm", "%!PS-Adobe-3.0\n\xc5": "application/postscript", "\x7fELF\x02\x01\x01\x00": "application/x-elf",
		"\xff\xd8\xff\xe1\xff\xfeExif\x00\x00": "image/jpeg", picture.String(): "image/jpeg",
		"MZ\x90\x00" + strings.Repeat("\x00", 60) + "PE\x00\x00": "application/vnd.microsoft.portable-executable",
		packed.String(): "an archive", "BZh91AY&SY\x00": "an archive",
		tape.String(): "an archive", "7z\xbc\xaf\x27\x1c\x00\x04": "an archive", "SQLite format 3\x00": "application/vnd.sqlite3",

		"RIFF\x24\x00\x00\x00WAVEfmt ": "", "OggS\x00\x02": "", "fLaC\x00\x00\x00\x22": "", "ID3\x04\x00": "", "\xff\xfb\x90\x00": "", "\xff\xf1\x50\x80": "",
		"FORM\x00\x00\x00\x24AIFFCOMM": "", ".snd\x00\x00\x00\x18": "", "#!AMR\n": "", "MAC \x96\x0f": "", "MThd\x00\x00\x00\x06": "",
		"\x00\x00\x00\x18ftypM4A \x00\x00\x00\x00": "", "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00": "", "\x00\x00\x00\x14ftypqt  ": "", "\x1aE\xdf\xa3\x01\x00\x00\x00\x00\x00\x00\x23\x42\x82\x88matroska": "",
		"\x1aE\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm": "", "caff\x00\x01\x00\x00desc": "",
		"RF64\xff\xff\xff\xffWAVEds64\x1c\x00": "", "Creative Voice File\x1a\x1a\x00": "", "wvpk\x80\x00\x00\x00": "",
		// Samples that begin with the two or three bytes of a picture, an archive or a program.
		"\xff\x0a\xfc\x7c\xfa\x24\xf7\xcc": "", "\xff\xd8\xff\xe0\xfe\xf0\xff\x10": "", "\xff\xd8\xff\xdb\xff\x20\xfe\x01": "",
		"MZ\x60\x5e\x4c\x4a":                           "",
		"\x1f\x8b\x20\x91" + strings.Repeat("\xff", 9): "", "\x1f\x8b\x08\x00" + strings.Repeat("\xff", 60): "",
		"BZh\x7f": "", "\xc7\x71\xc9\x60\xcb\x40": "", "FWS\x58": "",
		// Frames of Opus, and quiet samples of 16 bits in both orders, which begin like an icon and like a font.
		"\x78\x9c\x0b\xe4": "", strings.Repeat("\x00\x00\x01\x00\xff\xff", 200): "", strings.Repeat("\x00\x01\x00\x00\xff\xff", 200): "",
		strings.Repeat("\x00\x00\x01\x00\x01\xff\x01", 9): "", // 8 bits
	} {
		for _, contentType := range []string{"audio/mpeg", "application/octet-stream", ""} {
			_, client := startWith(t, answer(200, contentType, beginning))
			var got receiver
			err := client.StreamProjectSnapshot(t.Context(), "p", "s", false, func(audio audioprojects.Audio) error {
				if strings.Contains(audio.Format, "unknown") {
					t.Errorf("%q has the format %s", beginning, audio.Format)
				}
				return got.receive(audio)
			})
			if want == "" {
				if err != nil {
					t.Errorf("%q: %v", beginning, err)
					continue
				}
				got.wantAttempts(t, len(beginning))
				continue
			}
			if err == nil || !strings.HasPrefix(err.Error(), streamFailed+"200 OK: the answer is "+want+", not audio") {
				t.Errorf("%q, %s: got %v, want that it is %s", beginning, contentType, err, want)
			}
			got.wantAttempts(t)
		}
	}
}

// Audio has no beginning that it must have: silence is a run of one byte, such as 0xff, 0x55 or 0x7f, and looks like text.
func TestStreamProjectSnapshot_looksLikeText(t *testing.T) {
	t.Parallel()
	for _, contentType := range []string{"audio/basic", "application/octet-stream", ""} {
		for name, silence := range map[string]string{
			"zero": "\x00", "mu-law": "\xff", "mu-law, negative": "\x7f", "mu-law, nearly": "\x7f\x7e\x7f\x7d",
			"A-law": "\xd5", "A-law, negative": "\x55",
			"A-law, nearly": "\x55\x54\x55\x57", "A-law, both": "\x55\xd5\xd4\x54\xd5",
			"8 bits": "\x80", "8 bits, below": "\x7f", "8 bits, both": "\x80\x7f\x81\x7f",
			"16 bits with the mark of UTF-16": "\xff\xfe\xfe\xff\x01\x00", "bytes that follow a bracket": "[\xff",
		} {
			_, client := startWith(t, answer(200, contentType, strings.Repeat(silence, 1000)))
			var got receiver
			err := client.StreamProjectSnapshot(t.Context(), "p", "s", false, got.receive)
			if err != nil {
				t.Errorf("%s, %s: %v", contentType, name, err)
				continue
			}
			got.wantAttempts(t, 1000*len(silence))
		}
	}
}

// A gateway's page may have any encoding.
func TestStreamProjectSnapshot_isText(t *testing.T) {
	t.Parallel()
	const utf16 = "\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00\r\x00\n\x00\x3d\xd8\x00\xde"
	for name, text := range map[string]string{
		"Latin-1":    "Der Dienst ist au\xdfer Betrieb. Bitte versuchen Sie es sp\xe4ter noch einmal.\n",
		"KOI8-R":     "\xf3\xc5\xd2\xd7\xc9\xd3 \xce\xc5\xc4\xcf\xd3\xd4\xd5\xd0\xc5\xce",
		"Shift_JIS":  "\x83T\x81[\x83r\x83X\x82\xcd\x8c\xbb\x8d\xdd\x97\x98\x97p\x82\xc5\x82\xab\x82\xdc\x82\xb9\x82\xf1\x81B",
		"EUC-JP":     "\xa5\xb5\xa1\xbc\xa5\xd3\xa5\xb9\xa4\xcf\xcd\xf8\xcd\xd1\xa4\xc7\xa4\xad\xa4\xde\xa4\xbb\xa4\xf3\xa1\xa3",
		"GBK":        "\xb7\xfe\xce\xf1\xd4\xdd\xca\xb1\xb2\xbb\xbf\xc9\xd3\xc3\xa3\xac\xc7\xeb\xc9\xd4\xba\xf3\xd4\xd9\xca\xd4\xa1\xa3",
		"UTF-16":     utf16,
		"cut UTF-16": utf16[:len(utf16)-2], "cut in a unit": utf16[:len(utf16)-1],
		"big endian": "\xfe\xff\x00N\x00o\x00t\x00 \x00t\x00o\x00d\x00a\x00y\x00.",
		"UTF-32":     "\xff\xfe\x00\x00N\x00\x00\x00o\x00\x00\x00", "big-endian UTF-32": "\x00\x00\xfe\xff\x00\x00\x00N\x00\x01\xf6\x00",
		"Shift_JIS without a stop": "\x83T\x81[\x83r\x83X\x82\xcd\x8fI\x97\xb9\x82\xb5\x82\xdc\x82\xb5\x82\xbd",
		"an address":               "https://cdn.example/book.mp3?sig=7f3a9c41d0e85b62", "a word": "unavailable",
	} {
		_, client := startWith(t, answer(200, "audio/mpeg", text))
		var got receiver
		err := client.StreamProjectSnapshot(t.Context(), "p", "s", false, got.receive)
		const want = streamFailed + "200 OK: the answer is text/plain, not audio"
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
			continue
		}
		got.wantAttempts(t)
	}
}
