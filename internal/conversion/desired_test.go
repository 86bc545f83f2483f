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
		"all of the text":                    {Desired{Wish: WantsConversion}, counts(100, 20), new(int64(120))},
		"what is open":                       {Desired{Wish: WantsText}, counts(100, 20), new(int64(20))},
		"what is open, with a remainder":     {Desired{Wish: WantsText, Memory: Memory{Remainder: Remainder{5, 100}}}, counts(100, 20), new(int64(20))},
		"nothing is open":                    {Desired{Wish: WantsText}, counts(100, 0), new(int64(0))},
		"no more than the remainder is open": {Desired{Wish: WantsText, Memory: Memory{Remainder: Remainder{20, 100}}}, counts(100, 20), new(int64(20))},
		"nothing is counted":                 {Desired{}, nil, nil},
		"paragraphs are counted":             {Desired{Wish: WantsText}, &audioprojects.ChapterStatistics{ParagraphsUnconverted: &paragraphs}, nil},
		"absurd counts":                      {Desired{}, counts(most, most), new(int64(most))},
		"negative counts":                    {Desired{}, counts(-100, 20), new(int64(20))},
	} {
		got := test.desired.characters(audioprojects.Chapter{Statistics: test.shown})
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}
