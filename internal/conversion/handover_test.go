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
	return Wish{ProjectID: theOne.projectID, ChapterID: theOne.chapterID, madeAt: noon.Add(time.Duration(seconds) * time.Second)}
}

// enters is a run that nobody else keeps from beginning.
func enters(t *testing.T, e *Engine, wish Wish) *run {
	t.Helper()
	mine, other := e.enter(wish)
	if other != nil {
		t.Fatal("another run has not left")
	}
	return mine
}

func TestWhatIsHandedOverBeganBeforeABlocksTurnOrNot(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		since  time.Time
		joined bool
	}{
		"another process's":              {time.Time{}, false},
		"before the block's turn":        {noon, true},
		"after the block's turn began":   {noon.Add(2 * time.Second), false},
		"at the moment its turn began":   {noon.Add(time.Second), false},
		"long before the block's turn":   {noon.Add(-time.Hour), true},
		"long after the turn, by clocks": {noon.Add(time.Hour), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := NewEngine(Options{})
			e.HandOver(theOne.projectID, theOne.chapterID, Pending{RequestedAtUnix: new(noon.Unix()), since: test.since})
			mine := enters(t, e, blockAt(1))
			if mine.pending == nil || mine.pending.Joined() != test.joined {
				t.Errorf("got pending %+v, want joined: %t", mine.pending, test.joined)
			}
			if e.HandedOver(theOne.projectID, theOne.chapterID) != nil {
				t.Error("what has been taken up is handed over once more")
			}
		})
	}
}

func TestOnesOwnPendingComesBeforeWhatIsHandedOver(t *testing.T) {
	t.Parallel()
	e := NewEngine(Options{})
	e.HandOver(theOne.projectID, theOne.chapterID, Pending{Triggers: "another's"})
	wish := blockAt(1)
	wish.Pending = &Pending{Triggers: "own"}
	if mine := enters(t, e, wish); mine.pending.Triggers != "own" {
		t.Errorf("got pending for the triggers %q, want one's own", mine.pending.Triggers)
	}
	if e.HandedOver(theOne.projectID, theOne.chapterID) != nil {
		t.Error("what another block has left is handed over although somebody else has looked since")
	}
}

func TestAnEarlierConversionIsSomebodyElsesToALaterBlock(t *testing.T) {
	t.Parallel()
	resumed := func() Wish {
		first := blockAt(0)
		first.Pending = &Pending{RequestedAtUnix: new(noon.Unix() - 60), SinceUnix: noon.Unix() - 60}
		return first
	}
	e := NewEngine(Options{})
	leader := enters(t, e, resumed())
	leader.outcome.Pending = leader.pending
	leader.keepTold()
	if got := leader.soFar(blockAt(1)).Pending; got == nil || !got.Joined() {
		t.Errorf("who follows takes away %+v, want somebody else's", got)
	}
	if got := leader.soFar(resumed()).Pending; got == nil || got.Joined() {
		t.Errorf("who follows and has it pending, too, takes away %+v, want one's own", got)
	}
	e.leave(leader)
	if next := enters(t, e, blockAt(1)); next.pending == nil || !next.pending.Joined() {
		t.Errorf("who comes later takes up %+v, want somebody else's", next.pending)
	}
}

func TestWhatAnotherBlockHasSeenOfTheSameConversionIsTakenUp(t *testing.T) {
	t.Parallel()
	e := NewEngine(Options{})
	seen := Pending{RequestedAtUnix: new(noon.Unix()), SinceUnix: noon.Unix(), Baseline: Baseline{State: new(audioprojects.Text("cancelled"))}}
	e.HandOver(theOne.projectID, theOne.chapterID, seen)
	wish := blockAt(1)
	wish.Pending = &Pending{RequestedAtUnix: new(noon.Unix()), SinceUnix: noon.Unix(), Triggers: "own"}
	mine := enters(t, e, wish)
	if got := mine.pending; value(got.Baseline.State) != "cancelled" || got.Triggers != "own" {
		t.Errorf("got pending %+v, want what another block knows, and one's own triggers", *got)
	}
	if mine.pending.Joined() {
		t.Error("one's own conversion has become somebody else's")
	}
}

func TestWhatARunLeavesToOtherBlocks(t *testing.T) {
	t.Parallel()
	const words = audioprojects.Text("no voice")
	over := &ended{step: Done}
	for name, test := range map[string]struct {
		before, ended *ended
		pending       *Pending
		pends, ends   bool
	}{
		"an end":                              {nil, over, nil, false, true},
		"an end, with what the next takes up": {nil, &ended{step: Failed}, &Pending{}, false, true},
		"what is pending":                     {nil, nil, &Pending{Triggers: "its own"}, true, false},
		"what is pending, after an end":       {over, nil, &Pending{}, true, false},
		"a failure of an earlier apply":       {nil, nil, &Pending{Failure: new(words)}, false, false},
		"nothing, after an end":               {over, nil, nil, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := NewEngine(Options{})
			first := enters(t, e, blockAt(1))
			if test.before != nil {
				e.ended[theOne] = test.before
			}
			first.ended, first.outcome.Pending = test.ended, test.pending
			e.leave(first)
			handed := e.HandedOver(theOne.projectID, theOne.chapterID)
			if (handed != nil) != test.pends {
				t.Errorf("got handed over %+v, want anything: %t", handed, test.pends)
			}
			if handed != nil && handed.Triggers != "" {
				t.Errorf("it is for the triggers %q, want: for anyone's", handed.Triggers)
			}
			wish := blockAt(2)
			wish.Pending = &Pending{Triggers: "own"}
			second := enters(t, e, wish)
			if (second.wish.ended != nil) != test.ends {
				t.Errorf("got end %+v, want any: %t", second.wish.ended, test.ends)
			}
			if (second.pending == nil) != test.ends {
				t.Errorf("got pending %+v; want none: %t", second.pending, test.ends)
			}
		})
	}
}

func TestWhoFollowsTakesAwayWhatIsPendingForItsOwnTriggers(t *testing.T) {
	t.Parallel()
	leader := newRun(NewEngine(Options{}), blockAt(1))
	leader.outcome.Pending = &Pending{Triggers: "the leader's", Confirmed: true}
	leader.keepTold()
	wish := blockAt(2)
	wish.Triggers = "the follower's"
	wish.Pending = &Pending{}
	took := leader.soFar(wish)
	if took.Pending == nil || !took.Pending.Confirmed || took.Pending.Triggers != wish.Triggers {
		t.Errorf("got pending %+v, want the leader's, for the follower's triggers", took.Pending)
	}
	if leader.outcome.Pending.Triggers != "the leader's" {
		t.Error("the leader's own has changed")
	}
	leader.told = Outcome{}
	if took := leader.soFar(wish); took.Pending != wish.Pending {
		t.Errorf("got pending %+v where the leader has none, want the follower's own", took.Pending)
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
				t.Error("the failure is called one's own")
			}
			if o := r.outcome; o.Pending != pending || o.Leftover != 7 || o.Requested || !o.Joined || !alike(o.Chapter, done) {
				t.Errorf("got %+v, want what the other run has left, joined, with the chapter as seen now", o)
			}
			if r.ended != wish.ended {
				t.Error("those who follow cannot take it over")
			}
		})
	}
}

func TestWhatEndedHereMakesOlderDatesThoseOfAReplica(t *testing.T) {
	t.Parallel()
	e := NewEngine(nil)
	over := &ended{step: Done}
	over.outcome.Chapter.LastConversionDateUnix = done.LastConversionDateUnix
	e.leave(&run{wish: blockAt(0), left: make(chan struct{}), ended: over})
	wish := blockAt(1)
	wish.Date = before.LastConversionDateUnix
	if mine := enters(t, e, wish); value(mine.wish.Date) != value(done.LastConversionDateUnix) {
		t.Errorf("got the date %d, want that of the end", value(mine.wish.Date))
	}
}
