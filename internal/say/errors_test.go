package say_test

import (
	"errors"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// An error may begin with a path or with the service's text, and only the provider's own words may be changed.
func TestSentence_changesNoByteOfAnError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"out/../a.mp3 leads nowhere": "out/../a.mp3 leads nowhere.",
		"étude/a.mp3 leads nowhere":  "étude/a.mp3 leads nowhere.",
		"\xff is not UTF-8":          "\xff is not UTF-8.",
		"The URL names no host":      "The URL names no host.",
		"one.":                       "one.",
		"why?":                       "why?",
		"no!":                        "no!",
		"and so on…":                 "and so on…",
		"":                           "",
	} {
		got := say.Sentence(errors.New(text))
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
