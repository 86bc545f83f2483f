package conversion

import (
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

var theOne = chapterKey{"book", "one"}

// blockAt is the wish of a block whose turn began so many seconds after noon.
func blockAt(seconds int) Wish {
	return Wish{ProjectID: theOne.projectID, ChapterID: theOne.chapterID, startedAt: noon.Add(time.Duration(seconds) * time.Second)}
}

// claimed is a new run for the wish; no other run for the chapter may exist.
func claimed(t *testing.T, e *Engine, wish Wish) *run {
	t.Helper()
	mine, other := e.claim(wish)
	if other != nil {
		t.Fatal("another run has not ended")
	}
	return mine
}

func TestAConversionThatBeganBeforeTheWishCountsAsJoined(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		since  time.Time
		known  bool
		joined bool
	}{
		"of the object that is replaced": {time.Time{}, false, false},
		"of another object":              {time.Time{}, true, true},
		"before the wish":                {noon, false, true},
		"after the wish":                 {noon.Add(2 * time.Second), false, false},
		"at the same moment":             {noon.Add(time.Second), false, false},
		"long before the wish":           {noon.Add(-time.Hour), false, true},
		"long after, by clocks":          {noon.Add(time.Hour), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := NewEngine(Options{})
			e.HandOver(theOne.projectID, theOne.chapterID, Pending{RequestedAtUnix: new(noon.Unix()), since: test.since})
			wish := blockAt(1)
			wish.Known = test.known
			mine := claimed(t, e, wish)
			if mine.pending == nil || mine.pending.Joined() != test.joined {
				t.Errorf("got pending %+v, want joined: %t", mine.pending, test.joined)
			}
			if e.HandedOver(theOne.projectID, theOne.chapterID) != nil {
				t.Error("the pending conversion is handed over twice")
			}
		})
	}
}

func TestAWishsOwnPendingConversionIsPreferredToOneHandedOver(t *testing.T) {
	t.Parallel()
	e := NewEngine(Options{})
	e.HandOver(theOne.projectID, theOne.chapterID, Pending{Triggers: "another's"})
	wish := blockAt(1)
	wish.Pending = &Pending{Triggers: "own"}
	if mine := claimed(t, e, wish); mine.pending.Triggers != "own" {
		t.Errorf("got pending for the triggers %q, want the wish's own", mine.pending.Triggers)
	}
	if e.HandedOver(theOne.projectID, theOne.chapterID) != nil {
		t.Error("a pending conversion is handed over after another block has claimed the chapter")
	}
}

func TestALaterBlockJoinsAnEarlierBlocksConversion(t *testing.T) {
	t.Parallel()
	resumed := func() Wish {
		first := blockAt(0)
		first.Pending = &Pending{RequestedAtUnix: new(noon.Unix() - 60), SinceUnix: noon.Unix() - 60}
		return first
	}
	e := NewEngine(Options{})
	firstRun := claimed(t, e, resumed())
	firstRun.outcome.Pending = firstRun.pending
	firstRun.saveReported()
	if got := firstRun.outcomeSoFar(blockAt(1)).Pending; got == nil || !got.Joined() {
		t.Errorf("a later wish gets pending %+v, want somebody else's", got)
	}
	if got := firstRun.outcomeSoFar(resumed()).Pending; got == nil || got.Joined() {
		t.Errorf("a wish with the same pending conversion gets %+v, want its own", got)
	}
	e.release(firstRun)
	if next := claimed(t, e, blockAt(1)); next.pending == nil || !next.pending.Joined() {
		t.Errorf("the next wish gets pending %+v, want somebody else's", next.pending)
	}
}

func TestAWishKnowsWhatAnotherBlockSawOfTheSameConversion(t *testing.T) {
	t.Parallel()
	e := NewEngine(Options{})
	seen := Pending{RequestedAtUnix: new(noon.Unix()), SinceUnix: noon.Unix(), Baseline: Baseline{State: new(audioprojects.Text("cancelled"))}}
	e.HandOver(theOne.projectID, theOne.chapterID, seen)
	wish := blockAt(1)
	wish.Pending = &Pending{RequestedAtUnix: new(noon.Unix()), SinceUnix: noon.Unix(), Triggers: "own"}
	mine := claimed(t, e, wish)
	if got := mine.pending; value(got.Baseline.State) != "cancelled" || got.Triggers != "own" {
		t.Errorf("got pending %+v, want what another block knows, and the wish's own triggers", *got)
	}
	if mine.pending.Joined() {
		t.Error("our own conversion counts as somebody else's")
	}
}

func TestWhatTheNextWishGetsFromARun(t *testing.T) {
	t.Parallel()
	const words = audioprojects.Text("no voice")
	over := &ended{step: Done}
	for name, test := range map[string]struct {
		before, ended *ended
		pending       *Pending
		pends, ends   bool
	}{
		"an end":                          {nil, over, nil, false, true},
		"an end, with something pending":  {nil, &ended{step: Failed}, &Pending{}, false, true},
		"something pending":               {nil, nil, &Pending{Triggers: "its own"}, true, false},
		"something pending, after an end": {over, nil, &Pending{}, true, false},
		"a failure of an earlier apply":   {nil, nil, &Pending{Failure: new(words)}, false, false},
		"nothing, after an end":           {over, nil, nil, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := NewEngine(Options{})
			first := claimed(t, e, blockAt(1))
			if test.before != nil {
				e.ended[theOne] = test.before
			}
			first.ended, first.outcome.Pending = test.ended, test.pending
			e.release(first)
			handed := e.HandedOver(theOne.projectID, theOne.chapterID)
			if (handed != nil) != test.pends {
				t.Errorf("got handed over %+v, want anything: %t", handed, test.pends)
			}
			if handed != nil && handed.Triggers != "" {
				t.Errorf("it is for the triggers %q, want: for anyone's", handed.Triggers)
			}
			wish := blockAt(2)
			wish.Pending = &Pending{Triggers: "own"}
			second := claimed(t, e, wish)
			if (second.wish.ended != nil) != test.ends {
				t.Errorf("got end %+v, want any: %t", second.wish.ended, test.ends)
			}
			if (second.pending == nil) != test.ends {
				t.Errorf("got pending %+v; want none: %t", second.pending, test.ends)
			}
		})
	}
}

func TestASecondWishGetsThePendingConversionWithItsOwnTriggers(t *testing.T) {
	t.Parallel()
	firstRun := newRun(NewEngine(Options{}), blockAt(1))
	firstRun.outcome.Pending = &Pending{Triggers: "the first run's", Confirmed: true}
	firstRun.saveReported()
	wish := blockAt(2)
	wish.Triggers = "the second wish's"
	wish.Pending = &Pending{}
	took := firstRun.outcomeSoFar(wish)
	if took.Pending == nil || !took.Pending.Confirmed || took.Pending.Triggers != wish.Triggers {
		t.Errorf("got pending %+v, want the first run's, for the second wish's triggers", took.Pending)
	}
	if firstRun.outcome.Pending.Triggers != "the first run's" {
		t.Error("the first run's own has changed")
	}
	firstRun.reported = Outcome{}
	if took := firstRun.outcomeSoFar(wish); took.Pending != wish.Pending {
		t.Errorf("got pending %+v where the first run has none, want the second wish's own", took.Pending)
	}
}

func TestTakingOverAnEnd(t *testing.T) {
	t.Parallel()
	down := errors.New("no clear answer")
	pending := &Pending{Confirmed: true}
	for name, test := range map[string]struct {
		err  error
		want error
	}{
		"well":      {nil, nil},
		"a failure": {&FailedError{Reason: Error, Words: "no voice"}, &FailedError{Reason: Error, Words: "no voice", Joined: true}},
		"unknown":   {&UnconfirmedError{Lost: down}, &UnconfirmedError{Lost: down}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wish := blockAt(1)
			wish.ended = &ended{outcome: Outcome{Chapter: before, Requested: true, Pending: pending, Leftover: 7}, err: test.err}
			r := newRun(NewEngine(Options{}), wish)
			r.outcome.Chapter = done
			err := r.takeOver()
			if (err == nil) != (test.want == nil) || err != nil && err.Error() != test.want.Error() {
				t.Errorf("got error %v, want %v", err, test.want)
			}
			var failed *FailedError
			if errors.As(err, &failed) && !failed.Joined {
				t.Error("the failure is reported as of our own conversion")
			}
			if o := r.outcome; o.Pending == nil || !o.Pending.Confirmed || o.Leftover != 7 || o.Requested || !o.Joined || !alike(o.Chapter, done) {
				t.Errorf("got %+v, want the other run's outcome, joined, with the chapter as seen now", o)
			}
			if r.ended != wish.ended {
				t.Error("the next wish cannot take it over")
			}
		})
	}
}

func TestWhatEndedHereMakesOlderDatesThoseOfAReplica(t *testing.T) {
	t.Parallel()
	e := NewEngine(Options{})
	last := &ended{step: Done}
	last.outcome.Chapter.LastConversionDateUnix = done.LastConversionDateUnix
	e.release(&run{wish: blockAt(0), over: make(chan struct{}), ended: last})
	wish := blockAt(1)
	wish.Date = before.LastConversionDateUnix
	if mine := claimed(t, e, wish); value(mine.wish.Date) != value(done.LastConversionDateUnix) {
		t.Errorf("got the date %d, want that of the end", value(mine.wish.Date))
	}
}
