package conversion

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestTheChapterReaderKnowsTheNewestDate(t *testing.T) {
	t.Parallel()
	date := func(d int) *audioprojects.Integer { return new(audioprojects.Integer(d)) }
	for name, test := range map[string]struct {
		state, baseline *audioprojects.Integer
		believes        bool // a list with the date 150
	}{
		"none":                            {nil, nil, true},
		"the state's":                     {date(200), nil, false},
		"the baseline's":                  {nil, date(200), false},
		"the baseline's, newer":           {date(100), date(200), false},
		"the state's, newer":              {date(200), date(100), false},
		"both older":                      {date(100), date(100), true},
		"the same":                        {date(150), date(150), true},
		"the baseline's, older, no other": {nil, date(100), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := NewEngine(Options{}).chapterReader(Wish{
				ProjectID: "book", ChapterID: "one", Date: test.state, Pending: &Pending{Baseline: Baseline{Date: test.baseline}},
			})
			found := newListing([]audioprojects.Chapter{record("default", 150, "", 50, 50)}, nil)
			found.requestedAt = noon
			_, believed, err := w.read(t.Context(), found)
			if err != nil || believed != test.believes {
				t.Errorf("got believed %t, error %v; want believed %t", believed, err, test.believes)
			}
			want := time.Time{}
			if !test.believes {
				want = noon.Add(secondLook)
			}
			if got := w.until(); !got.Equal(want) {
				t.Errorf("the listing can be confirmed at %s, want %s", got, want)
			}
		})
	}
}

func TestAListThatIsOlderThanOneSeenBeforeLags(t *testing.T) {
	t.Parallel()
	w := NewEngine(Options{}).chapterReader(Wish{ProjectID: "book", ChapterID: "one"})
	for i, test := range []struct {
		date     int
		believed bool
	}{{100, true}, {200, true}, {100, false}, {200, true}, {0, false}} {
		found := newListing([]audioprojects.Chapter{record("default", test.date, "", 50, 50)}, nil)
		found.requestedAt = noon.Add(time.Duration(i) * time.Second)
		if _, believed, err := w.read(t.Context(), found); err != nil || believed != test.believed {
			t.Errorf("list %d, date %d: got believed %t, error %v; want %t", i, test.date, believed, err, test.believed)
		}
	}
}
