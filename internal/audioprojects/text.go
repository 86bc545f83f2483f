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

// clean makes a space of what moves to another line or column, and removes the other characters that cannot be seen.
func clean(text string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case !unseen(r):
			return r
		case unicode.IsSpace(r) && r != '\r':
			return ' '
		default:
			return -1
		}
	}, text), " ")
}

// unseen reports whether a character is there and not seen, or changes the direction of what follows in the line. Those that
// writing needs are not among them: the marks U+200E and U+200F of languages that are written from right to left, and the
// joiners U+200C and U+200D in Persian words and in emoji.
func unseen(r rune) bool {
	return unicode.IsControl(r) || r >= '\u2028' && r <= '\u202e' || r >= '\u2060' && r <= '\u206f' ||
		r == '\u200b' || r == '\ufeff' || r == '\u180e' || r >= '\U000e0000' && r <= '\U000e0fff'
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
