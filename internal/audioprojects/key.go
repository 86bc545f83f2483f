package audioprojects

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// hidden stands in place of the API key. JSON needs no escape for it.
const hidden = "(the API key)"

// shortestSecret is the length, in bytes, from which on a key is no part of an identifier or
// a name by accident. Hiding a shorter one would tear apart what the service says.
const shortestSecret = 8

// keyMask finds the API key as it is, as URLs and JSON escape it, and in base64.
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
	// A pattern of its own for each: one that begins with letters is searched for as fast as a plain text.
	var mask keyMask
	for _, form := range slices.Compact(forms) {
		mask = append(mask, regexp.MustCompile(spelled(form)))
	}
	return mask
}

// within64 is the part of a base64 text that depends on the key alone, if the key begins `before`
// bytes into the text, or three, six, … more: all digits but those that it shares with its neighbours.
func within64(alphabet *base64.Encoding, before int, key string) string {
	const digit = 6 // bits
	text := alphabet.EncodeToString([]byte("--"[:before] + key))
	return text[(before*8+digit-1)/digit : (before+len(key))*8/digit]
}

// spelled is the pattern of a text of which all but letters and digits may be escaped, and
// the escapes again: a gateway may put a URL into JSON, and that into another JSON.
func spelled(text string) string {
	var pattern strings.Builder
	for _, sign := range []byte(text) {
		switch {
		case sign >= '0' && sign <= '9', sign >= 'A' && sign <= 'Z', sign >= 'a' && sign <= 'z':
			pattern.WriteByte(sign)
		case sign == '\\':
			// In pairs: an odd one in JSON belongs to what follows.
			pattern.WriteString(`(?:\\+u005[Cc]|(?:\\\\)+|\\|%(?:25)*5[Cc])`)
		default:
			fmt.Fprintf(&pattern, `(?:\\*(?:%s|u00(?i:%x))|%%(?:25)*(?i:%[2]x))`, regexp.QuoteMeta(string(sign)), sign)
		}
	}
	return pattern.String()
}

// withoutKey hides the API key in a text that may be the service's: one that repeats
// the key it was given must not make us print it.
func (c Config) withoutKey(text string) string {
	for _, form := range c.mask {
		text = form.ReplaceAllLiteralString(text, hidden)
	}
	return text
}

// answerWithoutKey hides the API key in an answer whose content is kept: Terraform's state
// is no place for a key either. JSON stays JSON.
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
