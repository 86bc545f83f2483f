package audioprojects

import (
	"strings"
	"unicode"
)

// Text is a text of the service's for people: a name, a state, an error. It is kept as received, but
// without the control characters that a terminal would obey: Terraform quotes a text of one line, and
// prints one of several as it is. An identifier is not a Text, because it must not change.
type Text string

// NewText takes a text of the service's.
func NewText(text string) Text {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return Text(strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), turnsAround(r):
			return -1
		default:
			return r
		}
	}, text))
}

// turnsAround tells the characters that change the direction of all that follows in the line.
// The marks of direction do not: languages that are written from the right need those.
func turnsAround(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// UnmarshalText is how [encoding/json] reads one.
func (t *Text) UnmarshalText(text []byte) error {
	*t = NewText(string(text))
	return nil
}

// Line is the text in one line.
func (t Text) Line() string { return strings.Join(strings.Fields(string(t)), " ") }
