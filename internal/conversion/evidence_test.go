package conversion

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// seen is a chapter as a list may show it.
func seen(state string, date int, problem string, converted, unconverted int) audioprojects.Chapter {
	integer := func(i int) *audioprojects.Integer {
		integer := audioprojects.Integer(i)
		return &integer
	}
	chapter := audioprojects.Chapter{
		ChapterID: "one",
		State:     new(audioprojects.Text(state)),
		Statistics: &audioprojects.ChapterStatistics{
			CharactersConverted:   integer(converted),
			CharactersUnconverted: integer(unconverted),
		},
	}
	if date > 0 {
		chapter.LastConversionDateUnix = integer(date)
	}
	if problem != "" {
		chapter.LastConversionError = new(audioprojects.Text(problem))
	}
	return chapter
}

func TestWhatCountsAsEvidence(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before        audioprojects.Chapter
		wasConverting bool
		now           audioprojects.Chapter
		want          verdict
	}{
		"nothing changed": {
			before: seen("default", 100, "", 50, 50), now: seen("default", 100, "", 50, 50), want: noEvidence,
		},
		"converting": {
			before: seen("default", 100, "", 50, 50), now: seen("converting", 100, "", 50, 50), want: converting,
		},
		"in the queue": {
			before: seen("default", 100, "", 50, 50), now: seen("in_queue", 100, "", 50, 50), want: converting,
		},
		"being created": {
			before: seen("default", 100, "", 50, 50), now: seen("creating", 100, "", 50, 50), want: converting,
		},
		"a state nobody named": {
			before: seen("default", 100, "", 50, 50), now: seen("resting", 100, "", 50, 50), want: noEvidence,
		},
		"dated and converted": {
			before: seen("default", 100, "", 50, 50), now: seen("default", 200, "", 100, 0), want: succeeded,
		},
		"dated for the first time": {
			before: seen("default", 0, "", 0, 50), now: seen("default", 200, "", 50, 0), want: succeeded,
		},
		"dated, all had been converted before": {
			before: seen("default", 100, "", 100, 0), now: seen("default", 200, "", 100, 0), want: succeeded,
		},
		"converted, the date never moves": {
			before: seen("default", 100, "", 50, 50), now: seen("default", 100, "", 100, 0), want: succeeded,
		},
		"an older date is no evidence": {
			before: seen("default", 100, "", 50, 50), now: seen("default", 90, "", 50, 50), want: noEvidence,
		},
		"an edit is no evidence": {
			before: seen("default", 100, "", 100, 0), now: seen("default", 100, "", 80, 40), want: noEvidence,
		},
		"a first error": {
			before: seen("default", 100, "", 50, 50), now: seen("default", 100, "out of breath", 50, 50), want: failed,
		},
		"another error": {
			before: seen("default", 100, "no voice", 50, 50), now: seen("default", 100, "out of breath", 50, 50), want: failed,
		},
		"an old error alone": {
			before: seen("default", 100, "no voice", 50, 50), now: seen("default", 100, "no voice", 50, 50), want: noEvidence,
		},
		"an old error beside success": {
			before: seen("default", 100, "no voice", 50, 50), now: seen("default", 200, "no voice", 100, 0), want: succeeded,
		},
		"an old error beside success, edited meanwhile": {
			before: seen("default", 100, "no voice", 50, 50), now: seen("default", 200, "no voice", 100, 30), want: succeeded,
		},
		"the same error again, dated": {
			before: seen("default", 100, "no voice", 50, 50), now: seen("default", 200, "no voice", 50, 50), want: failed,
		},
		"the old error is gone": {
			before: seen("default", 100, "no voice", 50, 50), now: seen("default", 100, "", 50, 50), want: accepted,
		},
		"was converting, looks untouched": {
			before: seen("default", 100, "", 50, 50), wasConverting: true, now: seen("default", 100, "", 50, 50), want: vanished,
		},
		"was converting, has succeeded": {
			before: seen("default", 100, "", 50, 50), wasConverting: true, now: seen("default", 200, "", 100, 0), want: succeeded,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ticket := Ticket{Baseline: baselineOf(test.before), SeenConverting: test.wasConverting}
			if got := ticket.observe(test.now); got != test.want {
				t.Errorf("got verdict %d, want %d", got, test.want)
			}
			if got, want := ticket.Confirmed, test.want != noEvidence; got != want {
				t.Errorf("confirmed: got %t, want %t", got, want)
			}
		})
	}
}

func TestTheSameErrorAgainIsFreshOnceTheOldOneWasSeenGone(t *testing.T) {
	t.Parallel()
	ticket := Ticket{Baseline: baselineOf(seen("default", 100, "no voice", 50, 50))}
	ticket.observe(seen("converting", 100, "", 50, 50))
	if got := ticket.observe(seen("default", 100, "no voice", 50, 50)); got != failed {
		t.Errorf("got verdict %d, want %d", got, failed)
	}
	if ticket.Failure == nil || *ticket.Failure != "no voice" {
		t.Errorf("got failure %v, want the service's words", ticket.Failure)
	}
}

func TestConclusionsAboutAConversionThatLeftNoTrace(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		now  audioprojects.Chapter
		want verdict
	}{
		"no error":                          {seen("default", 100, "", 50, 50), succeeded},
		"the old error, text left":          {seen("default", 100, "no voice", 50, 50), failed},
		"the old error, nothing left":       {seen("default", 100, "no voice", 100, 0), failed},
		"the old error, never dated":        {seen("default", 0, "no voice", 100, 0), succeeded},
		"the old error, undated, text left": {seen("default", 0, "no voice", 50, 50), failed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ticket := Ticket{SeenConverting: true}
			if got := ticket.conclude(test.now); got != test.want {
				t.Errorf("got verdict %d, want %d", got, test.want)
			}
		})
	}
}
