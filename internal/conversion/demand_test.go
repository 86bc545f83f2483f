package conversion

import (
	"errors"
	"testing"
)

// A wish that stops waiting for another run, or takes over its end, keeps the pending conversion. The next apply must know what
// it was for: otherwise it requests one too many, or records triggers for which nothing was converted.
func TestForWhatAPendingConversionOfAnotherRunIsKept(t *testing.T) {
	t.Parallel()
	const theTime = int64(500)
	down := errors.New("it is being converted")
	retriggered := blockAt(1)
	retriggered.Known, retriggered.Triggers = true, "new"
	withOwn := func(own Pending) Wish {
		wish := retriggered
		wish.Pending = &own
		return wish
	}
	book := blockAt(1)
	book.UpToDate, book.ConvertedAfter = true, new(theTime)
	otherTime := book
	otherTime.Pending = &Pending{SinceUnix: noon.Unix() - 9, ConvertedAfter: new(theTime)}
	withTime := book
	withTime.Pending = &Pending{SinceUnix: noon.Unix(), ConvertedAfter: new(theTime)}
	here := Pending{RequestedAtUnix: new(noon.Unix()), SinceUnix: noon.Unix(), since: noon}
	refused := Pending{SinceUnix: noon.Unix(), since: noon, refusal: down}
	early := Pending{RequestedAtUnix: new(noon.Unix()), SinceUnix: noon.Unix(), resumedAt: noon.Add(1)}
	busyEarly := early
	busyEarly.busyAt = noon.Add(2)
	for name, test := range map[string]struct {
		wish     Wish
		pending  Pending
		triggers string
		time     int64
	}{
		"requested here, for a book":                       {book, here, "", theTime},
		"refused here, so somebody else's":                 {book, refused, "", 0},
		"requested here, for new triggers":                 {retriggered, here, "new", 0},
		"requested earlier, for a book":                    {book, early, "", 0},
		"the book's own, requested earlier":                {withTime, early, "", theTime},
		"another than the book's own":                      {otherTime, early, "", 0},
		"requested earlier, at rest, then new triggers":    {retriggered, early, otherTriggers, 0},
		"requested earlier, busy, then new triggers":       {retriggered, busyEarly, "new", 0},
		"our own for old triggers":                         {withOwn(Pending{Triggers: "old", SinceUnix: noon.Unix()}), busyEarly, "old", 0},
		"our own, from when there were no triggers":        {withOwn(Pending{SinceUnix: noon.Unix()}), early, "new", 0},
		"our own for old triggers, and another conversion": {withOwn(Pending{Triggers: "old"}), busyEarly, "old", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check := func(how string, kept *Pending) {
				t.Helper()
				if kept == nil || kept.Triggers != test.triggers || value(kept.ConvertedAfter) != test.time {
					t.Errorf("%s: got %+v, want it for the triggers %q and the time %d", how, kept, test.triggers, test.time)
				}
			}
			e := NewEngine(Options{})
			e.requested[theOne] = noon
			first := newRun(e, blockAt(0))
			first.outcome.Pending = new(test.pending)
			first.saveReported()
			check("stopped waiting", first.outcomeSoFar(test.wish).Pending)

			e.ended[theOne] = &ended{step: Failed, outcome: first.outcome, err: &FailedError{}}
			second := claimed(t, e, test.wish)
			if err := second.takeOver(); err == nil {
				t.Error("got no error")
			}
			check("took over its failure", second.outcome.Pending)
		})
	}
}

// What an earlier apply requested may not be what this one demands.
func TestAnEarlierConversionMayFallShort(t *testing.T) {
	t.Parallel()
	own := func(triggers string, convertedAfter int64) *Pending {
		return &Pending{RequestedAtUnix: new(noon.Unix()), Triggers: triggers, ConvertedAfter: &convertedAfter}
	}
	for name, test := range map[string]struct {
		ended ended
		wish  Wish
		want  Step
	}{
		"for the same triggers":                    {ended{early: true}, Wish{Triggers: "new", Pending: own("new", 0)}, Done},
		"for other triggers":                       {ended{early: true}, Wish{Triggers: "new", Pending: own("old", 0)}, Request},
		"for other triggers, kept up to date":      {ended{early: true}, Wish{UpToDate: true, Triggers: "new", Pending: own("old", 0)}, Request},
		"for other triggers, requested here":       {ended{}, Wish{Triggers: "new", Pending: own("old", 0)}, Done},
		"before the triggers changed":              {ended{early: true}, Wish{Known: true, Triggers: "new"}, Request},
		"it ran when the triggers had changed":     {ended{early: true, ran: true}, Wish{Known: true, Triggers: "new"}, Done},
		"a new object":                             {ended{early: true}, Wish{Triggers: "new"}, Done},
		"before the time":                          {ended{early: true}, Wish{UpToDate: true, ConvertedAfter: new(int64(500))}, Request},
		"before the time, for another":             {ended{early: true}, Wish{UpToDate: true, ConvertedAfter: new(int64(500)), Pending: own("", 400)}, Request},
		"before the time, but for it":              {ended{early: true}, Wish{UpToDate: true, ConvertedAfter: new(int64(500)), Pending: own("", 500)}, Done},
		"before the time, for it by another block": {ended{}, Wish{UpToDate: true, ConvertedAfter: new(int64(500))}, Done},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := NewEngine(Options{})
			test.ended.step = Done
			e.ended[theOne] = &test.ended
			wish := test.wish
			wish.ProjectID, wish.ChapterID, wish.startedAt = theOne.projectID, theOne.chapterID, noon
			mine := claimed(t, e, wish)
			if got := decide(mine.wish, mine.pending, []observation{at(0, done), at(5, done)}); got.Step != test.want {
				t.Errorf("got %+v, want step %d", got, test.want)
			}
		})
	}
}

// Terraform destroys several objects of one chapter before it creates the first of them anew.
func TestWhatIsHandedOverKeepsItsTriggers(t *testing.T) {
	t.Parallel()
	handed := func(triggers ...string) *Engine {
		e := NewEngine(Options{})
		for _, of := range triggers {
			e.HandOver(theOne.projectID, theOne.chapterID, Pending{RequestedAtUnix: new(noon.Unix()), Triggers: of})
		}
		return e
	}
	for name, test := range map[string]struct {
		handed         []string
		wished, wanted string
	}{
		"by one object":                    {[]string{"old"}, "new", "old"},
		"the same triggers":                {[]string{"same", "other"}, "same", "same"},
		"an object without triggers, last": {[]string{"old", ""}, "new", "old"},
		"without triggers":                 {[]string{"", ""}, "new", "new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wish := blockAt(1)
			wish.Triggers = test.wished
			if got := claimed(t, handed(test.handed...), wish).pending; got.Triggers != test.wanted {
				t.Errorf("got it for the triggers %q, want %q", got.Triggers, test.wanted)
			}
			e := handed(test.handed...)
			first := claimed(t, e, blockAt(1))
			first.ended = &ended{step: Done, early: true, outcome: Outcome{Chapter: done}}
			e.release(first)
			known := wish
			known.Known, known.Triggers = true, "same"
			if third := claimed(t, e, known); !third.wish.ended.fallsShort(third.wish, done) {
				t.Error("for an object whose triggers have changed, it does not fall short")
			} else {
				e.release(third)
			}
			second := claimed(t, e, wish)
			want := test.wanted != "" && test.wanted != test.wished
			if short := second.wish.ended.fallsShort(second.wish, done); short != want {
				t.Errorf("after another object has taken it up, it falls short: %t, want %t", short, want)
			}
		})
	}
}

func TestAConversionOfSomebodyElseIsForNoTime(t *testing.T) {
	t.Parallel()
	book := blockAt(0)
	book.UpToDate, book.ConvertedAfter = true, new(int64(500))
	r := newRun(NewEngine(Options{}), book)
	r.seen = []observation{at(1, record("converting", 100, "", 50, 50))}
	r.join(Decision{Step: Join})
	r.stopWaiting()
	if r.pending.ConvertedAfter != nil {
		t.Errorf("got the time %d, want none", *r.pending.ConvertedAfter)
	}
}

// Triggers that are given for the first time, while something is pending, are only recorded. When they change later, the change
// must be known.
func TestTriggersGivenWhileSomethingIsPendingAreItsOwn(t *testing.T) {
	t.Parallel()
	for kept, want := range map[string]string{"": "first", "old": "old"} {
		wish := blockAt(0)
		wish.Triggers, wish.Pending = "first", &Pending{Triggers: kept}
		if got := newRun(NewEngine(Options{}), wish).pending.Triggers; got != want {
			t.Errorf("kept for %q: got it for the triggers %q, want %q", kept, got, want)
		}
	}
}
