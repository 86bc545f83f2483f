package conversion

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// noon is when the conversion of the table was requested, joined or resumed.
var noon = time.Date(2000, 1, 1, 12, 0, 0, 0, time.UTC)

// record is a chapter as a list shows it.
func record(state string, date int, problem string, converted, unconverted int) audioprojects.Chapter {
	integer := func(i int) *audioprojects.Integer { return new(audioprojects.Integer(i)) }
	chapter := audioprojects.Chapter{
		ChapterID: "one",
		Statistics: &audioprojects.ChapterStatistics{
			CharactersConverted:   integer(converted),
			CharactersUnconverted: integer(unconverted),
		},
	}
	if state != "" {
		chapter.State = new(audioprojects.Text(state))
	}
	if date > 0 {
		chapter.LastConversionDateUnix = integer(date)
	}
	if problem != "" {
		chapter.LastConversionError = new(audioprojects.Text(problem))
	}
	return chapter
}

// inState is the chapter before a conversion, in another state.
func inState(state string) audioprojects.Chapter { return record(state, 100, "", 50, 50) }

func withProgress(progress float64, chapter audioprojects.Chapter) audioprojects.Chapter {
	chapter.ConversionProgress = &progress
	return chapter
}

// at is a look so many seconds after noon.
func at(seconds int, chapter audioprojects.Chapter) observation {
	return observation{requestedAt: noon.Add(time.Duration(seconds) * time.Second), chapter: chapter}
}

// The chapters of the table. Half of its text is unconverted before the conversion.
var (
	before    = record("default", 100, "", 50, 50)
	busy      = record("converting", 100, "", 50, 50)
	partly    = record("default", 200, "", 80, 20)
	broken    = record("default", 100, "no voice", 50, 50)
	onlyDated = record("default", 200, "", 50, 50)
	full      = record("default", 100, "", 100, 0) // nothing is unconverted
	rewritten = record("default", 200, "", 0, 60)
)

// kind sets what is known of the pending conversion before the looks.
type kind func(*operation)

func accepted(p *operation) { p.RequestedAtUnix, p.Phase = new(noon.Unix()), PhaseAccepted }
func lost(p *operation)     { p.RequestedAtUnix, p.Phase = new(noon.Unix()), PhaseRequested }
func refused(p *operation)  { p.Phase = PhaseRefused }

// ofEarlier is a conversion that an earlier process requested an hour ago.
func ofEarlier(p *operation) {
	p.seenByThisProcess, p.since = false, time.Time{}
	p.SinceUnix = noon.Add(-time.Hour).Unix()
	if p.RequestedAtUnix != nil {
		*p.RequestedAtUnix = p.SinceUnix
	}
}

func seenBusy(p *operation) {
	p.Phase, p.BusyState, p.BusyDate = PhaseRunning, new(audioprojects.Text("converting")), p.Baseline.Date
}

func previousRemainder(left int64) kind { return func(p *operation) { p.PreviousRemainder = &left } }

// TestDecide has what no situation says: spellings, states of a service's own, and seconds. TestSituations has the rest.
func TestDecide(t *testing.T) {
	t.Parallel()
	upToDate := Desired{UpToDate: true}
	known := upToDate
	known.Known, known.Date = true, before.LastConversionDateUnix
	datedWord := record("ended", 200, "", 50, 50)
	mastering := record("mastering", 100, "", 100, 0)
	type looks []observation
	for name, test := range map[string]struct {
		desired   Desired
		baseline  audioprojects.Chapter // before the conversion; none: before
		kinds     []kind                // nil: nothing is pending
		looks     looks
		step      Step
		reason    Reason
		until     int // seconds after noon; 0: none
		words     audioprojects.Text
		remainder int64
		refused   bool
		endedWell bool // for another desired state, before this one's session began
	}{
		// Nothing is pending.
		"nothing seen": {step: Look},

		// Busy.
		"the unknown state that it had before": {
			baseline: record("ready", 100, "", 50, 50), kinds: []kind{accepted}, looks: looks{at(1, record("ready", 100, "", 50, 50))}, step: Wait, reason: NotShown,
		},
		"an unknown state, text converted, one look": {kinds: []kind{accepted}, looks: looks{at(1, mastering)}, step: Wait, reason: Watching, until: 31},
		"a last phase, as long as the conversion": {
			kinds: []kind{accepted}, looks: looks{at(1, busy), at(100, mastering), at(199, mastering)}, step: Wait, reason: Watching, until: 200,
		},
		"a last phase, over for longer": {kinds: []kind{accepted}, looks: looks{at(1, busy), at(9, mastering), at(39, mastering)}, step: Done},

		"progress under its end, all counted": {
			kinds: []kind{accepted}, looks: looks{at(1, withProgress(20, before)), at(4, withProgress(40, full)), at(9, withProgress(90, full))},
			step: Wait, reason: Watching, until: 39,
		},
		"progress under its end, all counted, and then an error": {
			kinds: []kind{accepted}, looks: looks{at(4, withProgress(40, full)), at(9, withProgress(40, broken)), at(14, withProgress(40, broken))},
			step: Failed, reason: Error, words: "no voice",
		},
		"progress at its end, all counted": {kinds: []kind{accepted}, looks: looks{at(4, withProgress(40, full)), at(9, withProgress(100, full))}, step: Done},

		// Success.
		"all is left, in an unknown state": {kinds: []kind{accepted}, looks: looks{at(1, busy), at(9, datedWord), at(39, datedWord)}, step: Done},
		"less is left than before":         {kinds: []kind{accepted, previousRemainder(60)}, looks: looks{at(0, onlyDated), at(30, onlyDated)}, step: Failed, reason: Nothing},

		"another's, never busy, ended well, all replaced since": {
			kinds: []kind{accepted}, endedWell: true, looks: looks{at(0, onlyDated), at(30, onlyDated)}, step: Request, reason: UnconvertedText,
		},

		// Failure.
		"an error that nobody can see":    {baseline: full, kinds: []kind{accepted}, looks: looks{at(0, record("default", 100, " \u200b\n", 100, 0)), at(30, record("default", 100, " \u200b\n", 100, 0))}, step: Done, reason: NoSign},
		"busy, with the end of a line":    {looks: looks{at(0, record("converting\n", 100, "", 50, 50))}, step: Join},
		"at rest, with the end of a line": {kinds: []kind{accepted}, looks: looks{at(1, record("default\n", 100, "", 50, 50))}, step: Wait, reason: NotShown},
		"failed in its state":             {kinds: []kind{accepted}, looks: looks{at(1, busy), at(9, inState("FAILED")), at(39, inState("FAILED"))}, step: Failed, reason: Error, words: "FAILED"},
		"failed in its state, in the middle of its progress": {
			kinds: []kind{accepted}, looks: looks{at(1, withProgress(40, before)), at(9, withProgress(40, inState("aborted"))), at(39, withProgress(40, inState("aborted")))},
			step: Failed, reason: Error, words: "aborted",
		},
		"failed in its state, after one that nobody named": {
			kinds: []kind{accepted}, looks: looks{at(1, inState("rendering")), at(600, inState("renderCanceled")), at(630, inState("renderCanceled"))},
			step: Failed, reason: Error, words: "renderCanceled",
		},
		"failed in the state of before": {
			baseline: inState("Error"), kinds: []kind{accepted}, looks: looks{at(0, inState("Error")), at(30, inState("Error"))}, step: Failed, reason: OldError, words: "Error",
		},
		"failed in the state of before, lost": {
			baseline: inState("Error"), kinds: []kind{lost}, looks: looks{at(0, inState("Error")), at(30, inState("Error"))}, step: Unknown,
		},
		"failed in its state, refused": {
			kinds: []kind{refused}, refused: true, looks: looks{at(0, inState("rejected")), at(30, inState("rejected"))}, step: Failed, reason: Refused,
		},
		"failed in its state, all converted": {
			kinds: []kind{accepted}, looks: looks{at(1, busy), at(9, record("cancelled", 200, "", 100, 0))}, step: Done,
		},
		"failed in its state, some converted": {
			kinds: []kind{accepted}, looks: looks{at(1, busy), at(9, record("done_with_errors", 200, "", 80, 20)), at(39, record("done_with_errors", 200, "", 80, 20))},
			step: Done, // and nobody knows that the rest is left for good
		},
		"refused as if busy, no sign": {kinds: []kind{refused}, refused: true, looks: looks{at(0, before), at(30, before)}, step: Failed, reason: Refused},

		// Only an end that this process has seen can leave text for good.
		"resumed, ended, as much is open as it may have left": {
			desired: known, kinds: []kind{accepted, ofEarlier}, looks: looks{at(0, partly), at(30, partly)}, step: Request, reason: UnconvertedText,
		},

		// No sign.
		"resumed, of nothing, then an edit": {baseline: full, kinds: []kind{accepted, ofEarlier, seenBusy}, looks: looks{at(0, rewritten), at(30, rewritten)}, step: Request, reason: UnconvertedText},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var pending *operation
			if test.kinds != nil {
				if test.baseline.ChapterID == "" {
					test.baseline = before
				}
				pending = &operation{ResumeToken: ResumeToken{Baseline: baselineOf(test.baseline), SinceUnix: noon.Unix()}, since: noon, seenByThisProcess: true}
				for _, kind := range test.kinds {
					kind(pending)
				}
			}
			e := evidence{desired: test.desired, mayRequest: true, began: noon}
			if test.endedWell {
				e.requestedForAnother, e.remainder = true, new(int64)
			}
			if test.refused {
				pending.answer = &audioprojects.Error{Kind: audioprojects.Rejected, Status: http.StatusConflict}
			}
			for _, look := range test.looks {
				if pending != nil {
					pending = pending.observed(look.chapter)
				}
				look.pending = pending
				e.seen = append(e.seen, look)
			}
			got := decide(e)
			want := Decision{Step: test.step, Reason: test.reason, Words: test.words, KnownRemainder: test.remainder}
			if test.until != 0 {
				want.Until = noon.Add(time.Duration(test.until) * time.Second)
			}
			got.SuspectedRemainder, got.Until = nil, got.Until.UTC()
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestAListThatLagsShowsNothing(t *testing.T) {
	t.Parallel()
	list := func(chapters ...audioprojects.Chapter) func(int) *listing {
		return func(seconds int) *listing {
			l := newListing(audioprojects.Project{Chapters: chapters}, nil)
			l.requestedAt = noon.Add(time.Duration(seconds) * time.Second)
			return l
		}
	}
	down := errors.New("down")
	other := record("default", 0, "", 0, 0)
	other.ChapterID = "other"
	var (
		current = list(onlyDated)
		lagging = list(before)
		undated = list(record("default", 0, "", 50, 50))
		lacking = list(other)
		failing = func(int) *listing { return &listing{err: down} }
	)
	type answers map[int]func(int) *listing
	for name, test := range map[string]struct {
		lists    []int
		shows    answers
		record   func(int) *listing
		believed bool
		date     int
		want     error
	}{
		"current":                         {[]int{0}, answers{0: current}, nil, true, 200, nil},
		"lagging, too soon for a second":  {[]int{0, 29}, answers{0: lagging, 29: lagging}, nil, false, 0, nil},
		"lagging twice, and the record":   {[]int{0, 30}, answers{0: lagging, 30: lagging}, lagging, true, 100, nil},
		"lagging twice, not the record":   {[]int{0, 30}, answers{0: lagging, 30: lagging}, current, true, 200, nil},
		"undated twice, and the record":   {[]int{0, 30}, answers{0: undated, 30: undated}, undated, true, 0, nil},
		"lagging, lacking in the record":  {[]int{0, 30}, answers{0: lagging, 30: lagging}, lacking, false, 0, nil},
		"lagging, then lacking":           {[]int{0, 5}, answers{0: lagging, 5: lacking}, lacking, false, 0, nil},
		"lacking twice, and the record":   {[]int{0, 5}, answers{0: lacking, 5: lacking}, lacking, false, 0, &MissingChapterError{}},
		"lacking twice, not the record":   {[]int{0, 5}, answers{0: lacking, 5: lacking}, current, true, 200, nil},
		"lacking twice, record lags":      {[]int{0, 5}, answers{0: lacking, 5: lacking}, lagging, false, 0, nil},
		"lacking twice, the record fails": {[]int{0, 5}, answers{0: lacking, 5: lacking}, failing, false, 0, down},
		"failing":                         {[]int{0}, answers{0: failing}, nil, false, 0, down},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			records := &poller{clock: new(clock), updated: make(chan struct{})}
			if test.record != nil {
				records.latest = test.record(99)
				records.latest.requestedAt = noon.Add(99 * time.Second)
			}
			newest := audioprojects.Integer(200)
			w := &chapterReader{key: chapterKey{"book", "one"}, records: records, newest: &newest}
			var seen observation
			var believed bool
			var err error
			for _, seconds := range test.lists {
				seen, believed, err = w.read(t.Context(), test.shows[seconds](seconds))
			}
			if believed != test.believed || int(value(seen.chapter.LastConversionDateUnix)) != test.date {
				t.Errorf("got %+v, believed %t; want date %d, believed %t", seen, believed, test.date, test.believed)
			}
			asWanted := errors.Is(err, test.want) || IsMissing(test.want) && IsMissing(err)
			if !asWanted {
				t.Errorf("got error %v, want %v", err, test.want)
			}
		})
	}
}
