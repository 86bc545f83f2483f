package audioprojects

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// hidden replaces the API key. It needs no escape in JSON.
const hidden = "(the API key)"

// shortestSecret is the length in bytes below which a key may be part of a name by accident. With the
// key "book", for example, hiding it would turn every "My book" into "My (the API key)".
const shortestSecret = 8

// keyMask finds the API key as it is, escaped as in URLs and JSON, and in base64.
type keyMask []*regexp.Regexp

func newKeyMask(key string) keyMask {
	forms := []string{key}
	if len(key) >= shortestSecret {
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			for before := range 3 {
				forms = append(forms, within64(alphabet, before, key))
			}
		}
	}
	slices.Sort(forms)
	// One pattern for each form is faster than one for all: the search for a pattern that begins with letters is
	// as fast as that for a plain text.
	var mask keyMask
	for _, form := range slices.Compact(forms) {
		mask = append(mask, regexp.MustCompile(escapedPattern(form)))
	}
	return mask
}

// within64 is the part of a base64 text that depends on the key alone, if the key begins `before`
// bytes into the text, or three, six, … more. It leaves out the digits at both ends, which also depend on
// the neighbouring bytes.
func within64(alphabet *base64.Encoding, before int, key string) string {
	const digit = 6 // bits
	text := alphabet.EncodeToString([]byte("--"[:before] + key))
	return text[(before*8+digit-1)/digit : (before+len(key))*8/digit]
}

// escapedPattern is a pattern that finds a text with or without escapes, also if the escapes are escaped
// again: a gateway may put a URL into JSON, and that into another JSON. Letters and digits are never escaped.
func escapedPattern(text string) string {
	var pattern strings.Builder
	for _, sign := range []byte(text) {
		switch {
		case sign >= '0' && sign <= '9', sign >= 'A' && sign <= 'Z', sign >= 'a' && sign <= 'z':
			pattern.WriteByte(sign)
		case sign == '\\':
			// Only pairs are taken: in JSON, an odd backslash escapes what follows.
			pattern.WriteString(`(?:\\+u005[Cc]|(?:\\\\)+|\\|%(?:25)*5[Cc])`)
		default:
			fmt.Fprintf(&pattern, `(?:\\*(?:%s|u00(?i:%x))|%%(?:25)*(?i:%[2]x))`, regexp.QuoteMeta(string(sign)), sign)
		}
	}
	return pattern.String()
}

// withoutKey hides the API key in a text that is shown or logged. A service may repeat
// the key in an error, for example.
func (c Config) withoutKey(text string) string {
	for _, form := range c.mask {
		text = form.ReplaceAllLiteralString(text, hidden)
	}
	return text
}

// answerWithoutKey hides the API key in an answer whose content is kept, because Terraform would save
// it in the state. What was valid JSON stays valid. A key shorter than shortestSecret is not hidden here.
func (c Config) answerWithoutKey(text []byte) []byte {
	if len(c.APIKey) < shortestSecret {
		return text
	}
	for _, form := range c.mask {
		if form.Match(text) {
			text = form.ReplaceAllLiteral(text, []byte(hidden))
		}
	}
	return text
}
