package audioprojects

import (
	"regexp"
	"strings"
	"unicode"
)

// Text is a text from the service that people read: a name, a state, an error. It is one line without control
// characters, because a terminal obeys those, and Terraform prints the lines of a value as they are: one that begins
// with "Apply complete!" would pass for Terraform's own. An identifier is not a Text, because it must not change.
type Text string

// newText makes one space of what moves to another line or column, and removes the other characters that cannot be
// seen, but for those that writing needs: joiners and marks of direction.
func newText(text string) Text {
	var line strings.Builder
	spaced := true // nothing before it needs a space
	for _, r := range text {
		switch {
		case breaksLine(r):
			if !spaced {
				line.WriteByte(' ')
			}
			spaced = true
		case unicode.IsControl(r), misleads(r):
		default:
			line.WriteRune(r)
			spaced = r == ' '
		}
	}
	return Text(strings.TrimRight(line.String(), " "))
}

func breaksLine(r rune) bool {
	return r == '\n' || r == '\t' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// misleads reports whether a character is there and not seen, or changes the direction of what follows in the line.
// The marks U+200E and U+200F do not, and languages that are written from right to left need them; the joiners
// U+200C and U+200D are in Persian words and in emoji.
func misleads(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2060' && r <= '\u206f' ||
		r == '\u200b' || r == '\ufeff' || r == '\u180e' || r >= '\U000e0000' && r <= '\U000e0fff'
}

// UnmarshalText is how [encoding/json] reads a Text. It never fails.
func (t *Text) UnmarshalText(text []byte) error {
	*t = newText(string(text))
	return nil
}

// Line is the text as it is shown: its first 500 characters, with one space for every run of them.
func (t Text) Line() string {
	oneSpaced := strings.Join(strings.Fields(string(t)), " ")
	return shortened(runnerCommand.ReplaceAllString(oneSpaced, "# #$1"), maxWords)
}

// runnerCommand is what the runners of pipelines take for a command wherever it stands in a line: ##[error] is one of
// GitHub's, and ##vso[task.complete] one of Azure's.
var runnerCommand = regexp.MustCompile(`##([A-Za-z]*\[)`)

// shortened is the beginning of a text, with a sign if that is not all.
func shortened(text string, characters int) string {
	if len(text) <= characters {
		return text
	}
	for at := range text {
		if characters == 0 {
			return text[:at] + "…"
		}
		characters--
	}
	return text
}
