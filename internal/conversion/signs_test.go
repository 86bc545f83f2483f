package conversion

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestSignsThatARequestWasReceived(t *testing.T) {
	t.Parallel()
	ready := record("ready", 100, "no voice", 50, 50)
	for name, test := range map[string]struct {
		now           audioprojects.Chapter
		sign, sign010 bool // sign010: for a ticket of version 0.1.0
	}{
		"nothing":        {ready, false, false},
		"busy":           {record("converting", 100, "no voice", 50, 50), true, true},
		"another state":  {record("default", 100, "no voice", 50, 50), true, false},
		"progress":       {withProgress(7, ready), true, false},
		"no error":       {record("ready", 100, "", 50, 50), true, true},
		"another error":  {record("ready", 100, "quota", 50, 50), true, true},
		"a newer date":   {record("ready", 101, "no voice", 50, 50), true, true},
		"an older date":  {record("ready", 99, "no voice", 50, 50), false, false},
		"work":           {record("ready", 100, "no voice", 60, 40), true, true},
		"text was added": {record("ready", 100, "no voice", 50, 70), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &Ticket{Baseline: baselineOf(ready), SinceUnix: noon.Unix()}
			if got := p.signIn(test.now); got != test.sign {
				t.Errorf("got %t, want %t", got, test.sign)
			}
			p = &Ticket{Baseline: baselineOf(ready)}
			p.Baseline.State, p.Baseline.Progress = nil, nil
			if got := p.signIn(test.now); got != test.sign010 {
				t.Errorf("from version 0.1.0: got %t, want %t", got, test.sign010)
			}
		})
	}
}

func TestUnconvertedTextIsCountedInTheServicesUnit(t *testing.T) {
	t.Parallel()
	integer := func(i int) *audioprojects.Integer { return new(audioprojects.Integer(i)) }
	before := audioprojects.ChapterStatistics{ParagraphsConverted: integer(2), ParagraphsUnconverted: integer(3)}
	for name, test := range map[string]struct {
		now    audioprojects.ChapterStatistics
		left   int64
		known  bool
		leaves int64
	}{
		"paragraphs":                   {audioprojects.ChapterStatistics{ParagraphsConverted: integer(4), ParagraphsUnconverted: integer(1)}, 1, true, 1},
		"paragraphs, edited since":     {audioprojects.ChapterStatistics{ParagraphsConverted: integer(5), ParagraphsUnconverted: integer(1)}, 1, true, 0},
		"characters before paragraphs": {audioprojects.ChapterStatistics{CharactersUnconverted: integer(90), ParagraphsUnconverted: integer(1)}, 90, true, 0},
		"only what is converted":       {audioprojects.ChapterStatistics{ParagraphsConverted: integer(5)}, 0, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chapter := audioprojects.Chapter{Statistics: &test.now}
			if left, known := Unconverted(chapter); left != test.left || known != test.known {
				t.Errorf("got %d, known %t; want %d, %t", left, known, test.left, test.known)
			}
			p := Ticket{Baseline: Baseline{Statistics: &before}}
			if leaves := p.remainder(chapter); leaves != test.leaves {
				t.Errorf("left over: got %d, want %d", leaves, test.leaves)
			}
		})
	}
}
