package conversion

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestAPlanForetellsTheApply(t *testing.T) {
	t.Parallel()
	var (
		before     = seen("default", 100, "", 50, 50)
		running    = seen("converting", 100, "", 50, 50)
		ended      = seen("default", 200, "", 100, 0)
		endedEarly = seen("default", 200, "", 100, 30)
		broken     = seen("default", 100, "no voice", 50, 50)
		unseen     audioprojects.Chapter
		words      = audioprojects.Text("no voice")
		moment     = int64(100)
	)
	ours := func(confirmed bool, failure *audioprojects.Text) *Ticket {
		return &Ticket{RequestedAtUnix: &moment, Baseline: baselineOf(before), Confirmed: confirmed, Failure: failure}
	}
	joined := &Ticket{Baseline: baselineOf(before), SeenConverting: true, Confirmed: true}
	for name, test := range map[string]struct {
		request Request
		now     audioprojects.Chapter
		want    Prospect
		words   string
	}{
		"nothing under way":          {Request{}, before, Starts, ""},
		"not to be seen":             {Request{}, unseen, Starts, ""},
		"under way":                  {Request{}, running, Joins, ""},
		"ours, running":              {Request{Resume: ours(true, nil)}, running, Waits, ""},
		"ours, nothing shows yet":    {Request{Resume: ours(true, nil)}, before, Waits, ""},
		"ours, not to be seen":       {Request{Resume: ours(true, nil)}, unseen, Waits, ""},
		"ours, ended":                {Request{Resume: ours(true, nil)}, ended, Ends, ""},
		"ours, ended, then an edit":  {Request{Resume: ours(true, nil)}, endedEarly, Ends, ""},
		"ours, failed":               {Request{Resume: ours(true, nil)}, broken, StartsAnew, "no voice"},
		"ours, known to have failed": {Request{Resume: ours(true, &words)}, unseen, StartsAnew, "no voice"},
		"ours, known to have failed, another under way":  {Request{Resume: ours(true, &words)}, running, Joins, "no voice"},
		"lost, nothing shows":                            {Request{Resume: ours(false, nil)}, before, LooksFirst, ""},
		"lost, not to be seen":                           {Request{Resume: ours(false, nil)}, unseen, LooksFirst, ""},
		"lost, running after all":                        {Request{Resume: ours(false, nil)}, running, Waits, ""},
		"joined, running":                                {Request{Resume: joined}, running, Joins, ""},
		"joined, ended":                                  {Request{Resume: joined}, ended, Ends, ""},
		"joined, ended, began before an edit":            {Request{Resume: joined}, endedEarly, Follows, ""},
		"ours, running, but triggers have changed since": {Request{Resume: ours(true, nil), Again: true}, running, Joins, ""},
		"ours, does not show, but triggers have changed": {Request{Resume: ours(true, nil), Again: true}, before, Joins, ""},
		"lost, does not show, but triggers have changed": {Request{Resume: ours(false, nil), Again: true}, before, LooksFirst, ""},
		"ours, ended, but triggers have changed since":   {Request{Resume: ours(true, nil), Again: true}, ended, Starts, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, words := Foretell(test.request, test.now)
			if got != test.want || words != test.words {
				t.Errorf("got %d %q, want %d %q", got, words, test.want, test.words)
			}
		})
	}
}

func TestLeftoverIsWhatOurConversionLeft(t *testing.T) {
	t.Parallel()
	ticket := Ticket{Baseline: baselineOf(seen("default", 100, "", 50, 50))}
	for name, test := range map[string]struct {
		now  audioprojects.Chapter
		want int64
	}{
		"nothing":                      {seen("default", 200, "", 100, 0), 0},
		"what the service did not do":  {seen("default", 200, "", 80, 20), 20},
		"what has been written since":  {seen("default", 200, "", 100, 20), 0},
		"what has been shortened":      {seen("default", 200, "", 70, 20), 0},
		"what is not counted any more": {audioprojects.Chapter{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := ticket.Leftover(test.now); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}
