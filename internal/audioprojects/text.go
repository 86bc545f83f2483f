package audioprojects

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Text is a text from the service that people read: a name, a state, an error. It is what the service sent, as a value of Terraform's
// state, and has its paragraphs. Whatever prints it must print its line, as package fmt does; a conversion to string does not.
// An identifier is not a Text, because it must not change.
type Text string

// String is the line, so that nothing is printed by accident as it came.
func (t Text) String() string { return t.Line() }

// Comparable is the text without white space and what cannot be seen, in Unicode's composed form. Two errors of the service, or two
// words for a state, are the same if this is the same. Terraform composes all that it keeps.
func (t Text) Comparable() string {
	isPlain := !strings.ContainsFunc(string(t), func(r rune) bool { return r <= ' ' || r > '~' })
	if isPlain { // as most are
		return string(t)
	}
	return norm.NFC.String(strings.Join(strings.Fields(withoutInvisible(string(t))), ""))
}

// withoutControls leaves out what a terminal obeys: all control characters but tabs and the ends of lines. Terraform prints a value of one line
// with escapes, but the lines of a longer one as they are. Of the ends of lines it keeps LF and CR LF, and makes LF of the others, because
// a CR alone goes back over what is printed.
func withoutControls(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) {
			return -1
		}
		return r
	}, lineEnds.Replace(text))
}

var lineEnds = strings.NewReplacer("\r\n", "\r\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n")

// withoutInvisible makes a space of what moves to another line or column, and removes the other characters that cannot be seen.
func withoutInvisible(text string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case !isInvisible(r):
			return r
		case unicode.IsSpace(r) && r != '\r':
			return ' '
		default:
			return -1
		}
	}, text), " ")
}

// isInvisible reports whether a character is there and not seen, or changes the direction of what follows in the line. Those that
// writing needs are not among them: the marks U+200E and U+200F of languages that are written from right to left, and the
// joiners U+200C and U+200D in Persian words and in emoji.
func isInvisible(r rune) bool {
	return unicode.IsControl(r) || r >= '\u2028' && r <= '\u202e' || r >= '\u2060' && r <= '\u206f' ||
		r == '\u200b' || r == '\ufeff' || r == '\u180e' || r >= '\U000e0000' && r <= '\U000e0fff'
}

// Line is the text as it is printed: its first 500 characters in one line, with one space for all white space, and without what cannot be
// seen. A terminal obeys control characters, and a line that begins with "Apply complete!" would pass for Terraform's own.
func (t Text) Line() string {
	oneSpaced := strings.Join(strings.Fields(withoutInvisible(string(t))), " ")
	unsigned := secretParameter.ReplaceAllString(urlQuery.ReplaceAllString(oneSpaced, "$1…"), "$1…")
	return truncated(runnerCommand.ReplaceAllString(unsigned, "# #$1"), maxShown)
}

// An address may be signed. Then it opens what is there to everybody who has all of it. So no query of an address is printed, and no
// value of a parameter that stands alone, escaped or without its address.
var (
	urlQuery        = regexp.MustCompile(`(://[^\s?"'<>]*\?)[^\s"'<>]+`)
	secretParameter = regexp.MustCompile(
		`(?i)((?:[?&][^\s=?&#"'<>]+|[a-z0-9_.-]*(?:signature|sig|token|credential|secret|key|password))(?:=|%3D))` +
			`[^\s&"'<>\\,(][^\s&"'<>\\,]*`)
)

// runnerCommand is what the runners of pipelines take for a command wherever it stands in a line: ##[error] is one of
// GitHub's, and ##vso[task.complete] one of Azure's.
var runnerCommand = regexp.MustCompile(`##([A-Za-z]*\[)`)

// truncated is the beginning of a text, with a sign if that is not all.
func truncated(text string, characters int) string {
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
