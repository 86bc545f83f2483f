package conversion

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestSignsThatARequestWasReceived(t *testing.T) {
	t.Parallel()
	ready := record("ready", 100, "no voice", 50, 50)
	for name, test := range map[string]struct {
		now  audioprojects.Chapter
		sign bool
	}{
		"nothing":        {ready, false},
		"another state":  {record("default", 100, "no voice", 50, 50), true},
		"progress":       {withProgress(7, ready), true},
		"no error":       {record("ready", 100, "", 50, 50), true},
		"another error":  {record("ready", 100, "quota", 50, 50), true},
		"a newer date":   {record("ready", 101, "no voice", 50, 50), true},
		"an older date":  {record("ready", 99, "no voice", 50, 50), false},
		"work":           {record("ready", 100, "no voice", 60, 40), true},
		"in paragraphs":  {record("ready\n", 100, "no\n\nvoice ", 50, 50), false},
		"text was added": {record("ready", 100, "no voice", 50, 70), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &ResumeToken{Baseline: baselineOf(ready), SinceUnix: noon.Unix()}
			got := p.signIn(test.now)
			if got != test.sign {
				t.Errorf("got %t, want %t", got, test.sign)
			}
		})
	}
}

// TestProgressThatShowsAConversion: nobody knows whether 1 or 100 is the end, and a fraction may be one of a hundred.
func TestProgressThatShowsAConversion(t *testing.T) {
	t.Parallel()
	none := -1.0
	at := func(progress float64) *float64 {
		if progress == none {
			return nil
		}
		return &progress
	}
	for name, test := range map[string]struct {
		before         float64
		looks          []float64
		moves, through bool // at the last look
	}{
		"a fraction":                         {none, []float64{0.25}, true, false},
		"the end of a fraction":              {none, []float64{0.25, 1}, false, true},
		"a percent":                          {none, []float64{1}, true, false},
		"half a percent, and then more":      {none, []float64{0.5, 37}, true, false},
		"half a percent, and then the end":   {none, []float64{0.5, 37, 100}, false, true},
		"it begins":                          {none, []float64{0}, true, false},
		"it falls to 0, as after a cancel":   {100, []float64{0}, false, false},
		"it falls to 0, and then it rises":   {100, []float64{0, 1}, true, false},
		"as before":                          {37, []float64{37}, false, false},
		"none any more":                      {100, []float64{none}, false, false},
		"the end, as it was before":          {100, []float64{100}, false, false},
		"a fraction after a hundred percent": {100, []float64{0.5, 1}, true, false},
	} {
		p := &operation{ResumeToken: ResumeToken{Baseline: Baseline{Progress: at(test.before)}, SinceUnix: noon.Unix()}}
		var look observation
		for _, progress := range test.looks {
			look.chapter = audioprojects.Chapter{ConversionProgress: at(progress)}
			p = p.observed(look.chapter)
		}
		look.pending = p
		f := evidence{}.factsOf(look)
		if f.progressMoves != test.moves || f.progressAtEnd != test.through {
			t.Errorf("%s: got moves %t, through %t; want %t, %t", name, f.progressMoves, f.progressAtEnd, test.moves, test.through)
		}
	}
}
