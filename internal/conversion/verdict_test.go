package conversion

import (
	"cmp"
	"reflect"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// TestVerdict: what an apply does about a chapter, and what that may cost. The chapters have 100 characters.
func TestVerdict(t *testing.T) {
	t.Parallel()
	token := func(phase Phase, change ...func(*ResumeToken)) *ResumeToken {
		p := &ResumeToken{Phase: phase, Origin: Requested, RequestedAtUnix: noon.Unix(), Baseline: baselineOf(half)}
		for _, each := range change {
			each(p)
		}
		return p
	}
	old := func(p *ResumeToken) { p.Triggers = "old" }
	ofCreation := func(p *ResumeToken) { p.ForCreation = true }
	type resource = Desired
	type pending = Memory
	requests := Decision{Step: Request}
	isNew := resource{Wish: WantsText, New: true}
	follows := resource{Wish: WantsText}
	settled := resource{}
	retriggered := resource{Triggers: "new", Memory: Memory{ForTriggers: true}}
	for name, test := range map[string]struct {
		of         resource
		decided    Decision
		kept       pending
		observed   *ResumeToken
		shown      audioprojects.Chapter
		want       Action
		reason     Reason // NoReason: any that a request has
		characters int64
	}{
		"a new resource converts":                     {of: isNew, decided: requests, shown: half, want: Requests, characters: 50},
		"a new resource adopts":                       {of: isNew, decided: Decision{Step: Done}, shown: full},
		"a new resource joins":                        {of: isNew, decided: Decision{Step: Join}, shown: converting, want: Waits, characters: 50},
		"a new one without a rule for text":           {of: resource{Wish: WantsConversion, New: true}, decided: requests, shown: full, want: Requests, characters: 100},
		"a look more may confirm it":                  {of: isNew, decided: Decision{Step: Wait, Next: Request}, shown: half, want: Requests, characters: 50},
		"a book is settled":                           {of: follows, decided: Decision{Step: Done}, shown: full},
		"a book joins":                                {of: follows, decided: Decision{Step: Join}, shown: converting, want: Waits, characters: 50},
		"a book has text left":                        {of: follows, decided: requests, shown: half, want: Requests, characters: 50},
		"the service leaves that text":                {of: follows, decided: Decision{Step: Done}, kept: pending{Remainder: Remainder{50, 50}}, shown: half},
		"a chapter that does not follow its text":     {of: settled, decided: Decision{Step: Done}, shown: half},
		"it has new triggers":                         {of: retriggered, decided: requests, shown: full, want: Requests, characters: 100},
		"somebody else's runs, beside new triggers":   {of: retriggered, decided: Decision{Step: Join}, shown: convertingFull, want: Requests, reason: NewTriggers, characters: 100},
		"one for old triggers runs":                   {of: retriggered, decided: Decision{Step: Wait}, kept: pending{Pending: token(PhaseRunning, old)}, observed: token(PhaseRunning, old), shown: converting, want: Requests, characters: 100},
		"one of a creation runs":                      {of: settled, decided: Decision{Step: Wait}, kept: pending{Pending: token(PhaseRunning, ofCreation)}, observed: token(PhaseRunning, ofCreation), shown: converting, want: Waits, characters: 100},
		"one runs":                                    {of: settled, decided: Decision{Step: Wait}, kept: pending{Pending: token(PhaseRunning)}, observed: token(PhaseRunning), shown: converting, want: Waits, characters: 0},
		"one runs, and text was added":                {of: follows, decided: Decision{Step: Wait}, kept: pending{Pending: token(PhaseRunning)}, observed: token(PhaseRunning), shown: record("converting", 100, "", 50, 90), want: Requests, reason: MoreUnconverted, characters: 90},
		"one runs, and nobody wants the text":         {of: settled, decided: Decision{Step: Wait}, kept: pending{Pending: token(PhaseRunning)}, observed: token(PhaseRunning), shown: record("converting", 100, "", 50, 90), want: Waits, characters: 0},
		"one of text runs":                            {of: follows, decided: Decision{Step: Wait}, kept: pending{Pending: token(PhaseRunning)}, observed: token(PhaseRunning), shown: converting, want: Waits, characters: 50},
		"one has ended, and nobody could tell how":    {of: follows, decided: Decision{Step: Wait, Reason: Watching, Next: Done}, kept: pending{Pending: token(PhaseRunning)}, observed: token(PhaseRunning), shown: partly, want: Waits, characters: 50},
		"one was lost":                                {of: follows, decided: Decision{Step: Wait, Reason: Watching, Next: Request}, kept: pending{Pending: token(PhaseUnconfirmed)}, observed: token(PhaseUnconfirmed), shown: half, want: Requests, reason: StillUnconfirmed, characters: 50},
		"one was lost, and there is a sign of it":     {of: follows, decided: Decision{Step: Wait}, kept: pending{Pending: token(PhaseUnconfirmed)}, observed: token(PhaseRunning), shown: converting, want: Waits, characters: 50},
		"one has failed, as this refresh has seen":    {of: follows, decided: Decision{Step: Failed, Reason: Error}, kept: pending{Pending: token(PhaseFailed)}, observed: token(PhaseRunning), shown: broken, want: Requests, reason: Error, characters: 50},
		"one has failed, as was told":                 {of: follows, decided: requests, kept: pending{Pending: token(PhaseFailed)}, observed: token(PhaseFailed), shown: broken, want: Requests, reason: Error, characters: 50},
		"one has failed, and somebody else converts":  {of: follows, decided: Decision{Step: Join}, kept: pending{Pending: token(PhaseFailed)}, observed: token(PhaseFailed), shown: converting, want: Waits, characters: 50},
		"an apply was cut short in turn":              {of: retriggered, decided: Decision{Step: Wait, Reason: InTurn}, shown: full, want: Requests, characters: 100},
		"an apply was refused":                        {of: follows, decided: Decision{Step: Failed, Reason: Refused}, shown: half, want: Requests, characters: 50},
		"an apply was interrupted before its request": {of: isNew, decided: Decision{Step: Look}, shown: half, want: Requests, characters: 50},
	} {
		got := test.of.verdict(test.decided, test.kept, test.observed, test.shown)
		want := Verdict{Action: test.want, Reason: cmp.Or(test.reason, got.Reason)}
		if test.want != DoesNothing {
			want.Characters = &test.characters
		}
		if hasReason := got.Reason != NoReason; hasReason != (test.want == Requests) {
			t.Errorf("%s: got %q with the reason %q", name, got.Action, got.Reason)
		}
		want.ForText, want.Whole = got.ForText, got.Whole
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q %v, want %q %d", name, got.Action, value(got.Characters), want.Action, test.characters)
		}
	}
}

// TestVerdict_numbers: each verdict has what the conversion costs for text, and for changed triggers. While one is pending
// that may fail, text counts that was unconverted before it.
func TestVerdict_numbers(t *testing.T) {
	counts := func(converted, unconverted audioprojects.Integer) audioprojects.Chapter {
		return audioprojects.Chapter{Statistics: &audioprojects.ChapterStatistics{CharactersConverted: &converted, CharactersUnconverted: &unconverted}}
	}
	pending := &ResumeToken{Phase: PhaseRunning, Origin: Requested, Baseline: baselineOf(counts(20, 80))}
	for name, test := range map[string]struct {
		of             Desired
		decided        Decision
		kept           Memory
		observed       *ResumeToken
		shown          audioprojects.Chapter
		forText, whole int64
	}{
		"text":               {Desired{Wish: WantsText}, Decision{Step: Request}, Memory{}, nil, counts(60, 40), 40, 100},
		"triggers":           {Desired{Wish: WantsText, Memory: Memory{ForTriggers: true}}, Decision{Step: Request}, Memory{ForTriggers: true}, nil, counts(60, 40), 40, 100},
		"a creation":         {Desired{Wish: WantsConversion}, Decision{Step: Request}, Memory{}, nil, counts(60, 40), 40, 100},
		"one runs":           {Desired{Wish: WantsText}, Decision{Step: Wait}, Memory{Pending: pending}, pending, counts(60, 40), 80, 100},
		"somebody else's":    {Desired{Wish: WantsText}, Decision{Step: Join}, Memory{}, nil, counts(60, 40), 40, 100},
		"it has just failed": {Desired{Wish: WantsText}, Decision{Step: Failed, Reason: Error}, Memory{Pending: pending.asFailed("no", counts(60, 40), time.Now())}, pending, counts(60, 40), 40, 100},
	} {
		got := test.of.verdict(test.decided, test.kept, test.observed, test.shown)
		if value(got.ForText) != test.forText || value(got.Whole) != test.whole {
			t.Errorf("%s: got %d for text and %d in all, want %d and %d", name, value(got.ForText), value(got.Whole), test.forText, test.whole)
		}
	}
	uncounted := Desired{Wish: WantsText}.verdict(Decision{Step: Request}, Memory{}, nil, audioprojects.Chapter{})
	if uncounted.ForText != nil || uncounted.Whole != nil {
		t.Errorf("got %v and %v, want none", uncounted.ForText, uncounted.Whole)
	}
}

// TestWatcher_memory: what a refresh keeps of a pending conversion, and of a remainder.
func TestWatcher_memory(t *testing.T) {
	t.Parallel()
	running := &ResumeToken{Phase: PhaseRunning, Origin: Requested, RequestedAtUnix: noon.Unix(), Baseline: baselineOf(half)}
	for name, test := range map[string]struct {
		kept    Memory
		decided Decision
		shown   audioprojects.Chapter
		want    Memory
	}{
		"it runs":                           {kept: Memory{Pending: running}, decided: Decision{Step: Wait}, shown: converting, want: Memory{Pending: running}},
		"it has ended well":                 {kept: Memory{Pending: running}, decided: Decision{Step: Done}, shown: done},
		"it has left some text":             {kept: Memory{Pending: running}, decided: Decision{Step: Done, Remainder: Remainder{20, 80}}, shown: partly, want: Memory{Remainder: Remainder{20, 80}}},
		"the text that is left is the same": {kept: Memory{Remainder: Remainder{20, 80}}, decided: Decision{Step: Done}, shown: partly, want: Memory{Remainder: Remainder{20, 80}}},
		"the text that is left was edited":  {kept: Memory{Remainder: Remainder{10, 90}}, decided: Decision{Step: Request}, shown: partly},
		"more was converted since":          {kept: Memory{Remainder: Remainder{20, 70}}, decided: Decision{Step: Request}, shown: partly},
		"it was converted since":            {kept: Memory{Remainder: Remainder{20, 80}}, decided: Decision{Step: Done}, shown: done},
	} {
		w := &watcher{decided: test.decided, pending: operationOf(test.kept.Pending)}
		w.desired.Memory, w.outcome.Chapter = test.kept, test.shown
		if got := w.memory(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
	w := &watcher{decided: Decision{Step: Failed, Reason: Error, Words: "no voice"}, pending: operationOf(running)}
	w.desired.Memory, w.outcome.Chapter = Memory{Pending: running}, broken
	if got := w.memory().Pending; !got.Failed() || value(got.Failure) != "no voice" {
		t.Errorf("it has failed: got %+v", got)
	}
}
