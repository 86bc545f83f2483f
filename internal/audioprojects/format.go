package audioprojects

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"image/jpeg"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// detectFormat finds out by the first bytes of an answer which format they have, and what it is if it is no audio. It does not
// go by the media type that the service gives, because a gateway may send its error page with that of audio. What nothing knows is audio
// without a header: samples, or frames of a codec. Such audio may begin with any two or three bytes, and quiet samples look like text.
func detectFormat(beginning []byte) (format, kind string) {
	found := mimetype.Detect(beginning)
	name, _, _ := strings.Cut(found.String(), ";")
	topLevel, _, _ := strings.Cut(name, "/")
	switch {
	case name == "application/octet-stream", isQuiet(beginning):
		return "", ""
	case name == "audio/x-unknown": // the library's name for it
		return "audio/x-voc", ""
	case isOneOf(name, "text/plain", "text/csv", "text/tab-separated-values"):
		if !isText(beginning) {
			return "", ""
		}
	case topLevel == "audio", topLevel == "video", isOneOf(name, "application/ogg", "application/vnd.rn-realmedia-vbr"):
		return name, ""
	case isOftenMistaken(beginning, found) && !holdsMore(beginning, name):
		return "", ""
	}
	for ; found != nil; found = found.Parent() {
		switch {
		case found.Is("application/json"):
			return "", "JSON"
		case isOneOf(found.String(), archives...):
			return "", "an archive"
		}
	}
	return "", name
}

var archives = []string{
	"application/zip", "application/gzip", "application/x-tar", "application/x-7z-compressed", "application/vnd.rar",
	"application/x-bzip2", "application/x-xz", "application/zstd",
}

func isOneOf(name string, names ...string) bool { return slices.Contains(names, name) }

// isQuiet reports whether the bytes are samples of 16 bits close to zero, as those before the first word are. An icon begins with such
// numbers, too, and then has larger ones.
func isQuiet(beginning []byte) bool {
	const signature, looked = 4, 32
	if len(beginning) < looked || bytes.Count(beginning[signature:looked], []byte{0}) == looked-signature {
		return false
	}
	loud := [2]bool{} // for both orders of bytes
	for i, b := range beginning[:looked] {
		loud[i%2] = loud[i%2] || b != 0 && b != 0xff
	}
	return !loud[0] || !loud[1]
}

// isOftenMistaken reports whether audio may well begin like a format: that has a signature of up to three bytes, or one
// of an icon, 0 0 1 0, which are quiet samples, too. The first byte of zlib's signature, 0x78, begins speech in Opus.
func isOftenMistaken(beginning []byte, found *mimetype.MIME) bool {
	const most, enough = 3, 64
	rest := bytes.Repeat([]byte{1}, enough) // no text
	ofSignature := mimetype.Detect(slices.Concat(beginning[:min(most, len(beginning))], rest))
	return found.Is(ofSignature.String()) || found.Is("image/x-icon")
}

var bzip2Body = regexp.MustCompile(`^BZh[1-9](?:1AY&SY|\x17rE8P\x90)`)

// holdsMore reports whether what follows a short signature is of the format, too. What is known by its signature alone holds no more.
func holdsMore(beginning []byte, name string) bool {
	switch name {
	case "image/jpeg":
		const segment, end = 6, 10
		named := len(beginning) >= end && isOneOf(string(beginning[segment:end]), "JFIF", "JFXX", "Exif", "http", "ICC_", "Phot")
		_, err := jpeg.DecodeConfig(bytes.NewReader(beginning))
		return named || err == nil // What has a name may be longer than the beginning.
	case "image/x-icon":
		const header, entry, count, offset = 6, 16, 4, 18 // The first picture follows the list of them.
		return len(beginning) >= header+entry && binary.LittleEndian.Uint32(beginning[offset:]) == header+entry*uint32(beginning[count])
	case "application/gzip":
		reader, err := gzip.NewReader(bytes.NewReader(beginning))
		if err == nil {
			_, err = io.Copy(io.Discard, reader)
		}
		return err == nil || errors.Is(err, io.ErrUnexpectedEOF)
	case "application/x-bzip2":
		return bzip2Body.Match(beginning)
	case "application/vnd.microsoft.portable-executable":
		return bytes.Contains(beginning, []byte("PE\x00\x00"))
	default:
		return false
	}
}

// isText reports whether bytes without control characters are the beginning of a text, in whatever encoding. It may be
// cut within a character.
func isText(beginning []byte) bool {
	if size, bigEndian := byteOrder(beginning); size > 0 {
		return isUTF(beginning, size, bigEndian)
	}
	for cut := range min(utf8.UTFMax, len(beginning)+1) {
		if utf8.Valid(beginning[:len(beginning)-cut]) {
			return !isQuietASCII(beginning)
		}
	}
	return isInOldEncoding(beginning)
}

// byteOrder is what the byte order mark at the beginning of UTF-16 or UTF-32 says: how many bytes a unit has, and in which order.
func byteOrder(beginning []byte) (size int, bigEndian bool) {
	for _, mark := range []struct {
		bytes     string
		bigEndian bool
	}{{"\xff\xfe\x00\x00", false}, {"\x00\x00\xfe\xff", true}, {"\xff\xfe", false}, {"\xfe\xff", true}} {
		if bytes.HasPrefix(beginning, []byte(mark.bytes)) {
			return len(mark.bytes), mark.bigEndian
		}
	}
	return 0, false
}

// isUTF reports whether all characters after a byte order mark are ones that a text has. Samples may begin with such a mark, too.
func isUTF(beginning []byte, size int, bigEndian bool) bool {
	var units []rune
	for unit := range slices.Chunk(beginning[size:], size) {
		if len(unit) < size {
			break
		}
		unit = slices.Clone(unit)
		if !bigEndian {
			slices.Reverse(unit)
		}
		var value rune
		for _, b := range unit {
			value = value<<8 | rune(b)
		}
		units = append(units, value)
	}
	for i := 0; i < len(units); i++ {
		character := units[i]
		if size == 2 && utf16.IsSurrogate(character) {
			if i == len(units)-1 {
				break
			}
			i++
			character = utf16.DecodeRune(character, units[i])
		}
		if character == unicode.ReplacementChar || !unicode.IsPrint(character) && !unicode.IsSpace(character) {
			return false
		}
	}
	return true
}

// isQuietASCII reports whether the bytes are samples of 8 bits on one side of zero: they are neighbours in the table of ASCII, as the
// letters of no text are.
func isQuietASCII(beginning []byte) bool {
	const looked, neighbours = 32, 16
	return len(beginning) >= looked && slices.Max(beginning)-slices.Min(beginning) < neighbours && !bytes.ContainsAny(beginning, " \r\n")
}

// isInOldEncoding reports whether bytes are a text of an encoding that has one or two bytes for a letter, such as Latin-1 or Shift_JIS. At
// least half of such a text are letters, and not too rarely there is a space, an end of line, or a comma or stop that stands for it.
func isInOldEncoding(beginning []byte) bool {
	characters, letters, breaks := 0, 0, 0
	for rest := beginning; len(rest) > 0; characters++ {
		size := 1
		if rest[0] > 0x80 && len(rest) > 1 && rest[1] >= 0x40 {
			size = 2
		}
		switch character := string(rest[:size]); {
		case isOneOf(character, " ", "\r", "\n", "\t", "\x81A", "\x81B", "\xa1A", "\xa1C", "\xa1\xa2", "\xa1\xa3", "\xa3\xac"):
			breaks++
		case rest[0] >= utf8.RuneSelf, unicode.IsLetter(rune(rest[0])):
			letters++
		}
		rest = rest[size:]
	}
	const longest = 25 // letters between two breaks, on average
	return letters*2 >= characters && (breaks+1)*longest >= characters
}
