package clitest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// WantScreen checks that one of the screens contains all the messages, wherever its lines are broken.
func WantScreen(t testing.TB, screens []string, messages ...string) {
	t.Helper()
	for _, screen := range screens {
		if !slices.ContainsFunc(messages, func(message string) bool { return !MessagePattern(message).MatchString(screen) }) {
			return
		}
	}
	t.Errorf("got %d errors:\n\n%s\nwant one that says %q", len(screens), strings.Join(screens, "\n"), messages)
}

// MessagePattern matches a message whose lines have been broken anywhere, on a screen or in its JSON.
func MessagePattern(message string) *regexp.Regexp {
	words := strings.Fields(message)
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	return regexp.MustCompile(strings.Join(words, `(?:[\s│]|\\n)+`))
}
