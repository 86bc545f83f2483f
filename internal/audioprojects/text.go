package audioprojects

import (
	"strings"
	"unicode"
)

// Text is a text from the service that people read: a name, a state, an error. It has no control
// characters, because Terraform prints a text of several lines as it is, and a terminal would obey them.
// An identifier is not a Text, because it must not change.
type Text string

// NewText removes control characters, but for tabs and line breaks, and turns \r\n into \n.
func NewText(text string) Text {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return Text(strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), isDirectionOverride(r):
			return -1
		default:
			return r
		}
	}, text))
}

// isDirectionOverride reports whether a character changes the writing direction of what follows in the line.
// The marks U+200E and U+200F do not, and languages that are written from right to left need them.
func isDirectionOverride(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// UnmarshalText is how [encoding/json] reads a Text. It never fails.
func (t *Text) UnmarshalText(text []byte) error {
	*t = NewText(string(text))
	return nil
}

// Line is the text on one line: every run of spaces, tabs and line breaks becomes one space.
func (t Text) Line() string { return strings.Join(strings.Fields(string(t)), " ") }
