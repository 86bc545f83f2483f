package conversion

import (
	"math"
	"reflect"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestDesired_characters(t *testing.T) {
	t.Parallel()
	const most = math.MaxInt64
	counts := func(converted, unconverted int64) *audioprojects.ChapterStatistics {
		return &audioprojects.ChapterStatistics{
			CharactersConverted: (*audioprojects.Integer)(&converted), CharactersUnconverted: (*audioprojects.Integer)(&unconverted),
		}
	}
	paragraphs := audioprojects.Integer(3)
	for name, test := range map[string]struct {
		desired Desired
		shown   *audioprojects.ChapterStatistics
		want    *int64
	}{
		"all of the text":                    {Desired{}, counts(100, 20), new(int64(120))},
		"what is open":                       {Desired{UpToDate: true}, counts(100, 20), new(int64(20))},
		"what is open, with a remainder":     {Desired{UpToDate: true, Memory: Memory{Remainder: Remainder{5, 100}}}, counts(100, 20), new(int64(20))},
		"nothing is open":                    {Desired{UpToDate: true}, counts(100, 0), new(int64(100))},
		"no more than the remainder is open": {Desired{UpToDate: true, Memory: Memory{Remainder: Remainder{20, 100}}}, counts(100, 20), new(int64(120))},
		"nothing is counted":                 {Desired{}, nil, nil},
		"paragraphs are counted":             {Desired{UpToDate: true}, &audioprojects.ChapterStatistics{ParagraphsUnconverted: &paragraphs}, nil},
		"absurd counts":                      {Desired{}, counts(most, most), new(int64(most))},
		"negative counts":                    {Desired{}, counts(-100, 20), new(int64(20))},
	} {
		got := test.desired.characters(audioprojects.Chapter{Statistics: test.shown})
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

// TestDesired_mustKeep: what the next apply finds by itself as unconverted text needs no memory, so that a creation that failed for it
// is not tainted.
func TestDesired_mustKeep(t *testing.T) {
	t.Parallel()
	follows, wantsTime := Desired{UpToDate: true}, Desired{UpToDate: true, ConvertedAfter: new(noon.Unix())}
	for name, test := range map[string]struct {
		desired Desired
		phase   Phase // empty: nothing is pending
		before  audioprojects.Chapter
		want    bool
	}{
		"nothing is pending":                {follows, "", half, false},
		"it runs":                           {follows, PhaseRunning, half, true},
		"it has failed, and text is left":   {follows, PhaseFailed, half, false},
		"it has failed without text":        {follows, PhaseFailed, full, true},
		"it has failed, for another voice":  {wantsTime, PhaseFailed, full, true},
		"it has failed, whatever is wanted": {Desired{}, PhaseFailed, full, false},
	} {
		var kept Memory
		if test.phase != "" {
			kept.Pending = &ResumeToken{Phase: test.phase, Baseline: baselineOf(test.before)}
		}
		got := test.desired.MustKeep(kept)
		if got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
	}
}
