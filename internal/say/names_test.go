package say

import (
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// A name takes one line, and so little of it that a list of names can be read. What distinguishes chapters is at the beginning
// or at the end.
func TestNamed_inMessages(t *testing.T) {
	t.Parallel()
	const longest = "A name of a chapter that is as long as it may be: 56 let"
	for name, want := range map[string]string{
		"Chapter 2\nApply complete!": `"Chapter 2 Apply complete!"`,
		longest:                      `"` + longest + `"`,
		longest + "s":                `"A name of a chapter that is as long a…it may be: 56 lets"`,
		strings.Repeat("long ", 40) + "Chapter 12": `"long long long long long long long lo…ng long Chapter 12"`,
		strings.Repeat("長い章", 20) + "12":           `"長い章長い章長い章長い章長い章長い章長い章長い章長い章長い章長い章長い章長…章長い章長い章長い章長い章長い章12"`,
	} {
		text := audioprojects.Text(name)
		got := Named(audioprojects.Chapter{Name: audioprojects.Lenient[audioprojects.Text]{Value: &text}})
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for line := range strings.Lines(Wrapped(strings.Repeat("長い章の名前 ", 40))) {
		got := displayWidth(strings.TrimSuffix(line, "\n"))
		if got > 76 {
			t.Errorf("a line has %d columns: %s", got, line)
		}
	}
}
