package conversion

import (
	"net/http"
	"slices"
	"strings"
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
		ChapterID:  "one",
		State:      new(audioprojects.Text(state)),
		Statistics: &audioprojects.ChapterStatistics{CharactersConverted: integer(converted), CharactersUnconverted: integer(unconverted)},
	}
	if date > 0 {
		chapter.LastConversionDateUnix = integer(date)
	}
	if problem != "" {
		chapter.LastConversionError.Value = new(audioprojects.Text(problem))
	}
	return chapter
}

// The chapters of the table.
var (
	half           = record("default", 100, "", 50, 50) // before the conversion
	full           = record("default", 100, "", 100, 0) // before one for other triggers
	converting     = record("converting", 100, "", 50, 50)
	convertingFull = record("converting", 100, "", 100, 0)
	mastering      = record("mastering", 100, "", 100, 0)
	done           = record("default", 200, "", 100, 0)
	partly         = record("default", 200, "", 80, 20)
	broken         = record("default", 100, "no voice", 50, 50)
	untouched      = record("default", 0, "", 0, 100)
	undated        = record("default", 0, "", 100, 0) // converted by a service that sets no dates
)

// follows is a session that follows a conversion which was requested at noon, before which the chapter was as given. Its looks are 1 s
// apart, and the last one comes after the given time.
func follows(before audioprojects.Chapter, change func(*operation), seen ...audioprojects.Chapter) evidence {
	p := &operation{startedHere: true, ResumeToken: ResumeToken{
		Phase: PhaseAccepted, Origin: Requested, RequestedAtUnix: noon.Unix(), Baseline: baselineOf(before),
	}}
	if change != nil {
		change(p)
	}
	e := evidence{rules: start, applies: true, began: noon, desired: Desired{Wish: WantsText}}
	for i, chapter := range seen {
		p = p.observed(chapter)
		e.observe(observation{askedAt: noon.Add(time.Duration(i+1) * time.Second), chapter: chapter, pending: p})
	}
	return e
}

// after is the same with one more look, so long after the latest one, that shows what it has shown.
func (e evidence) after(wait time.Duration) evidence {
	later := e.seen[len(e.seen)-1]
	later.askedAt = later.askedAt.Add(wait)
	later.pending = later.pending.observed(later.chapter)
	e.seen = slices.Clone(e.seen)
	e.observe(later)
	return e
}

// wanting is the same with another desired state.
func (e evidence) wanting(change func(*Desired)) evidence {
	change(&e.desired)
	looks := e.seen
	e.seen = nil
	for _, look := range looks {
		e.observe(look)
	}
	return e
}

func isLost(p *operation)   { p.Phase = PhaseUnconfirmed }
func isJoined(p *operation) { p.Origin, p.RequestedAtUnix, p.Baseline.State = Joined, 0, nil }
func resumes(p *operation)  { p.startedHere = false }
func isRefused(p *operation) {
	p.Phase, p.Origin, p.RequestedAtUnix = PhaseUnconfirmed, Joined, 0
	p.answer = &audioprojects.Error{Kind: audioprojects.Rejected, Status: http.StatusPaymentRequired}
}

// TestDecide: the rules about a pending conversion. A name begins with the rule that decides, and within is how long looks must lead to it.
func TestDecide(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		evidence
		step   Step
		reason Reason
		within time.Duration // how long looks must lead to it
	}{
		"200 it runs":                                  {follows(half, nil, converting), Wait, Converting, 0},
		"200 counts reach zero while it runs":          {follows(half, nil, converting, record("converting", 100, "", 100, 0)), Wait, Converting, 0},
		"200 a word of its own":                        {follows(half, nil, record("rendering", 100, "", 50, 50)), Wait, Converting, 0},
		"200 it starts in a word, with a new date":     {follows(half, nil, record("rendering", 200, "", 50, 50)), Wait, Converting, 0},
		"210 it fails":                                 {follows(half, nil, converting, broken), Failed, Error, SecondLook},
		"210 after a part":                             {follows(half, nil, converting, record("default", 200, "no voice", 80, 20)), Failed, Error, SecondLook},
		"280 in a word":                                {follows(half, nil, record("FAILED", 100, "", 50, 50)), Failed, Error, Window},
		"280 in a word, where nothing was left":        {follows(full, nil, convertingFull, record("failed", 200, "", 100, 0)), Failed, Error, Window},
		"280 its message is dismissed":                 {follows(half, nil, converting, broken, half), Failed, Error, Window - time.Second},
		"280 dismissed, and dated":                     {follows(half, nil, converting, record("default", 200, "no voice", 50, 50), record("default", 200, "", 50, 50)), Failed, Error, Window - time.Second},
		"280 the word of its failure is gone":          {follows(half, nil, converting, record("failed", 200, "", 50, 50), record("default", 200, "", 50, 50)), Failed, Error, Window - time.Second},
		"280 its message is gone while it runs":        {follows(half, nil, record("converting", 100, "no voice", 50, 50), converting, record("default", 200, "", 50, 50)), Failed, Error, Window},
		"280 it tries again, and converts nothing":     {follows(half, nil, converting, broken, converting, record("default", 200, "", 50, 50)), Failed, Error, Window},
		"200 it tries again in a word of its own":      {follows(half, nil, converting, record("failed", 200, "no voice", 50, 50), record("retrying", 200, "", 50, 50)), Wait, Converting, 0},
		"200 it tries again, and its word says error":  {follows(half, nil, converting, record("retrying_after_error", 100, "", 50, 50)), Wait, Converting, 0},
		"200 another try is pending":                   {follows(half, nil, record("Failed (retry pending)", 100, "", 50, 50)), Wait, Converting, 0},
		"230 it has tried again, nothing was left":     {follows(full, nil, convertingFull, record("default", 100, "no voice", 100, 0), convertingFull, done), Done, NoReason, 0},
		"230 dismissed, and then it tries again":       {follows(half, nil, converting, broken, converting, done), Done, NoReason, 0},
		"230 all text is converted":                    {follows(half, nil, converting, done), Done, NoReason, 0},
		"230 too fast for any look":                    {follows(half, nil, record("default", 100, "", 100, 0)), Done, NoReason, 0},
		"230 nothing was left, and it is dated":        {follows(full, nil, convertingFull, done), Done, NoReason, 0},
		"240 it ends in a word of its own":             {follows(half, nil, converting, record("completed", 200, "", 100, 0)), Done, NoReason, Window},
		"240 the last phase has a word of its own":     {follows(half, nil, converting, mastering), Done, NoReason, Window},
		"240 some text stays":                          {follows(half, nil, converting, partly), Done, NoReason, Window},
		"240 its date alone shows it":                  {follows(half, nil, converting, record("default", 200, "", 50, 50)), Done, NoReason, Window},
		"240 its message is gone, beside a part":       {follows(half, nil, converting, record("default", 200, "no voice", 80, 20), partly), Done, NoReason, Window},
		"280 nothing was left, and no newer date":      {follows(full, nil, convertingFull, full), Failed, Nothing, Window},
		"250 nothing was left, and no dates":           {follows(undated, nil, record("converting", 0, "", 100, 0), undated), Done, NoReason, SecondLook},
		"250 nothing was left, dated at its start":     {follows(full, nil, record("converting", 200, "", 100, 0), done), Done, NoReason, SecondLook},
		"280 an old error stays":                       {follows(record("default", 100, "no voice", 100, 0), nil, record("converting", 100, "no voice", 100, 0), record("default", 100, "no voice", 100, 0)), Failed, Nothing, Window},
		"260 an old error stays, and a date":           {follows(record("default", 100, "no voice", 100, 0), nil, record("default", 200, "no voice", 100, 0)), Done, ErrorStays, Window},
		"280 all was converted, and nothing is":        {follows(full, nil, convertingFull, untouched), Failed, Nothing, Window},
		"280 and only a date shows it":                 {follows(full, nil, record("default", 200, "", 0, 100)), Failed, Nothing, Window},
		"260 nothing was left, and only a date":        {follows(full, nil, done), Done, NoReason, Window},
		"280 cancelled":                                {follows(half, nil, converting, half), Failed, Nothing, Window},
		"280 with the words of last time":              {follows(broken, nil, record("converting", 100, "no voice", 50, 50), record("default", 200, "no voice", 50, 50)), Failed, Nothing, Window},
		"280 its date moves while it runs":             {follows(half, nil, converting, record("converting", 200, "", 50, 50), record("default", 200, "", 50, 50)), Failed, Nothing, Window},
		"280 a date of the request":                    {follows(half, nil, record("default", 200, "", 50, 50)), Failed, Nothing, Window},
		"280 a new date, and nothing is converted":     {follows(untouched, nil, record("converting", 0, "", 0, 100), record("default", 200, "", 0, 100)), Failed, Nothing, Window},
		"300 refused without credits":                  {follows(half, isRefused, half), Failed, Refused, 0},
		"200 refused, and somebody else converts":      {follows(half, isRefused, converting), Wait, Converting, 0},
		"310 the answer is lost":                       {follows(half, isLost, half), Unknown, NoReason, Window},
		"240 lost, and there is a sign":                {follows(half, isLost, record("default", 100, "", 60, 40)), Done, NoReason, Window},
		"320 lost in the last apply":                   {follows(half, func(p *operation) { isLost(p); resumes(p) }, half), Request, StillUnconfirmed, Window},
		"340 not shown":                                {follows(half, nil, half), Wait, NotShown, 0},
		"320 an old word of a failure is gone":         {follows(record("failed", 100, "", 50, 50), func(p *operation) { isLost(p); resumes(p) }, half), Request, StillUnconfirmed, Window},
		"340 not shown, and resumed":                   {follows(half, resumes, half), Wait, NotShown, 0},
		"330 only the old error shows":                 {follows(broken, nil, broken), Unknown, OldError, Window},
		"330 only the old word of a failure shows":     {follows(record("failed", 100, "", 50, 50), nil, record("failed", 100, "", 50, 50)), Unknown, OldError, Window},
		"330 resumed, and only the old error shows":    {follows(broken, resumes, broken), Unknown, OldError, Window},
		"360 nothing was left, and nothing shows":      {follows(undated, nil, undated), Done, NoSign, Window},
		"350 nothing was left, no newer date":          {follows(full, nil, full), Unknown, NoSign, LongestQueue},
		"410 somebody else's leaves text":              {follows(converting, isJoined, converting, partly), Request, UnconvertedText, Window},
		"430 somebody else's leaves none":              {follows(converting, isJoined, converting, done), Done, NoReason, 0},
		"430 resumed, and its end was seen":            {follows(half, resumes, converting, partly), Done, NoReason, Window},
		"410 resumed, and its end was not seen":        {follows(half, resumes, partly), Request, UnconvertedText, Window},
		"410 resumed, and edited":                      {follows(half, resumes, converting, record("default", 200, "", 80, 40)), Request, UnconvertedText, Window},
		"200 a sign of a failure, and it goes on":      {follows(half, nil, broken, converting), Wait, Converting, 0},
		"210 the old error was seen gone, and is back": {follows(broken, nil, converting, broken), Failed, Error, SecondLook},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decided, _, _ := decide(test.after(test.within))
			number, _, _ := strings.Cut(name, " ")
			if !slices.Contains(strings.Split(string(decided.Rules), "/"), number) {
				t.Errorf("decided by the rules %s, want %s", decided.Rules, number)
			}
			if decided.Step != test.step || decided.Reason != test.reason {
				t.Errorf("after %s: got %s %q, want %s %q", test.within, decided.Step, decided.Reason, test.step, test.reason)
			}
			if test.within > 0 {
				early, _, _ := decide(test.after(test.within - time.Second))
				if early.Step != Wait || early.Until.IsZero() {
					t.Errorf("a second earlier: got %s %q, want to wait for another look", early.Step, early.Reason)
				}
			}
		})
	}
}

// TestDecide_wordsOfAFailure are those that a list has shown since the request, also where the message of before is back.
func TestDecide_wordsOfAFailure(t *testing.T) {
	t.Parallel()
	old := record("default", 100, "no voice", 50, 50)
	got, _, _ := decide(follows(old, nil, record("default", 100, "no credits", 50, 50), old).after(Window))
	if got.Step != Failed || got.Words != "no credits" {
		t.Errorf("got %+v, want the newer message", got)
	}
}

// TestDecide_triggers: which conversions count for triggers. The pending one has ended well, in an earlier apply.
func TestDecide_triggers(t *testing.T) {
	t.Parallel()
	forOld := func(p *operation) { resumes(p); p.Triggers = "old" }
	joins := func(p *operation) { resumes(p); isJoined(p) }
	for name, test := range map[string]struct {
		pending     func(*operation)
		wish        Wish
		forTriggers bool
		step        Step
	}{
		"for the same":                              {func(p *operation) { resumes(p); p.Triggers = "new" }, WantsText, true, Done},
		"from before there were any":                {resumes, WantsText, true, Done},
		"for others, and they have changed":         {forOld, WantsNothing, true, Request},
		"for others, of a creation":                 {forOld, WantsConversion, false, Request},
		"for others, and these are only recorded":   {forOld, WantsText, false, Done},
		"joined, and they have changed":             {joins, WantsText, true, Request},
		"joined, of a creation":                     {joins, WantsConversion, false, Done},
		"joined, and nothing is wanted beside that": {joins, WantsNothing, false, Done},
	} {
		e := follows(half, test.pending, converting, done).wanting(func(d *Desired) {
			d.Triggers, d.Wish, d.Memory.ForTriggers = "new", test.wish, test.forTriggers
		})
		got, _, _ := decide(e.after(SecondLook))
		if got.Step != test.step {
			t.Errorf("%s: got %s %q, want %s", name, got.Step, got.Reason, test.step)
		}
	}
}

// TestDecide_remainder: only an end that this process saw leaves text that counts as skipped, and only if the text has the same length.
func TestDecide_remainder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		evidence
		want int64
	}{
		"seen":               {follows(half, nil, converting, partly), 20},
		"edited":             {follows(half, nil, converting, record("default", 200, "", 80, 40)), 0},
		"in a failed state":  {follows(half, nil, converting, record("cancelled", 200, "", 80, 20)), 0},
		"after a message":    {follows(half, nil, converting, record("default", 200, "no voice", 80, 20), partly), 0},
		"and it tries again": {follows(half, nil, converting, broken, converting, partly), 0},
		"converted before":   {follows(full, nil, convertingFull, partly), 0},
		"resumed, and seen":  {follows(half, resumes, converting, partly), 20},
		"all is converted":   {follows(half, nil, converting, done), 0},
		"nothing was to do":  {follows(undated, nil, undated), 0},
	} {
		got, _, _ := decide(test.after(Window))
		if got.Step != Done || got.Remainder.Unconverted != test.want {
			t.Errorf("%s: got %+v, want %d left", name, got, test.want)
		}
	}
}

// TestDecide_afterAFailure: what follows a failure that an earlier apply or a refresh has told of.
func TestDecide_afterAFailure(t *testing.T) {
	t.Parallel()
	failed := func(p *operation) { resumes(p); p.ResumeToken = *p.asFailed("no voice", half, time.Unix(150, 0)) }
	triggers := func(d *Desired) { d.Memory.ForTriggers, d.Triggers = true, "new" }
	nothing := func(d *Desired) { d.Wish = WantsNothing }
	ofCreation := func(p *operation) { failed(p); p.ForCreation = true }
	uncounted := record("default", 200, "no voice", 0, 0)
	uncounted.Statistics = nil
	for name, test := range map[string]struct {
		evidence
		change func(*Desired)
		step   Step
	}{
		"its text is unconverted":                {follows(half, failed, broken), nil, Request},
		"somebody has had it converted":          {follows(half, failed, done), nil, Done},
		"somebody converts it":                   {follows(half, failed, converting), nil, Join},
		"it was that of a creation":              {follows(half, ofCreation, broken), nothing, Request},
		"that of a creation, and somebody's":     {follows(half, ofCreation, converting), nothing, Join},
		"nothing is wanted any more":             {follows(half, failed, broken), nothing, Done},
		"for triggers":                           {follows(full, failed, record("default", 100, "no voice", 100, 0)), triggers, Request},
		"for triggers, and somebody's has ended": {follows(full, failed, done), triggers, Request},
		"nobody counts, and it dates failures":   {follows(untouched, func(p *operation) { failed(p); p.BusyDate = uncounted.LastConversionDateUnix }, uncounted), nil, Request},
	} {
		if test.change != nil {
			test.evidence = test.wanting(test.change)
		}
		got, _, _ := decide(test.after(SecondLook))
		if got.Step != test.step {
			t.Errorf("%s: got %s %q, want %s", name, got.Step, got.Reason, test.step)
		}
	}
}
