package audioprojects_test

import (
	"encoding/json"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// plain returns a pointer to a text without control characters.
func plain(text string) *audioprojects.Text { return new(audioprojects.Text(text)) }

func TestTextHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, came, want, line string }{
		{"plain", "Chapter One – “Ferry”", "Chapter One – “Ferry”", "Chapter One – “Ferry”"},
		{"empty", "", "", ""},
		{"several lines", "One.\n\n\tTwo.\n", "One. Two.", "One. Two."},
		{"spaces", "One.  Two. \u2028 Three.\n ", "One.  Two.  Three.", "One. Two. Three."},
		{"lines of Windows", "One.\r\nTwo.", "One. Two.", "One. Two."},
		{"escape sequences", "\x1b[2JOne\x1b]0;title\a.", "[2JOne]0;title.", "[2JOne]0;title."},
		{"back over what was there", "One\rTwo\b\b\x7f", "OneTwo", "OneTwo"},
		{"controls of one character", "\u009b2JOne\u0085Two\u0090", "2JOne Two", "2JOne Two"},
		{"NUL", "One\x00", "One", "One"},
		{"another direction", "\u202eOne\u202c \u2066two\u2069", "One two", "One two"},
		{"not to be seen", "O\u200bn\ufeffe\u2060\U000e0041", "One", "One"},
		{"joined and directed characters", "👩\u200d🚀 \u200fשלום\u200e", "👩\u200d🚀 \u200fשלום\u200e", "👩\u200d🚀 \u200fשלום\u200e"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			encoded, err := json.Marshal(test.came)
			if err != nil {
				t.Fatal(err)
			}
			var read audioprojects.Text
			if err := json.Unmarshal(encoded, &read); err != nil {
				t.Fatal(err)
			}
			if read != audioprojects.Text(test.want) {
				t.Errorf("got %q, want %q", read, test.want)
			}
			if got := read.Line(); got != test.line {
				t.Errorf("got line %q, want %q", got, test.line)
			}
		})
	}
}
