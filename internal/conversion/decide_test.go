package conversion

import (
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
	half      = record("default", 100, "", 50, 50) // before the conversion
	full      = record("default", 100, "", 100, 0) // before one for other triggers
	busy      = record("converting", 100, "", 50, 50)
	busyFull  = record("converting", 100, "", 100, 0)
	mastering = record("mastering", 100, "", 100, 0)
	done      = record("default", 200, "", 100, 0)
	partly    = record("default", 200, "", 80, 20)
	broken    = record("default", 100, "no voice", 50, 50)
	untouched = record("default", 0, "", 0, 100)
)

// follows is a session that follows a conversion which was requested at noon, before which the chapter was as given. Its looks are 1 s
// apart, and the last one comes after the given time.
func follows(before audioprojects.Chapter, change func(*operation), seen ...audioprojects.Chapter) evidence {
	p := &operation{ResumeToken: ResumeToken{Phase: PhaseAccepted, RequestedAtUnix: new(noon.Unix()), Baseline: baselineOf(before)}, ours: true}
	if change != nil {
		change(p)
	}
	e := evidence{applies: true, began: noon, desired: Desired{UpToDate: true}}
	for i, chapter := range seen {
		p = p.observed(chapter)
		e.seen = append(e.seen, observation{noon.Add(time.Duration(i+1) * time.Second), chapter, p})
	}
	return e
}

// after is the same with one more look, so long after the latest one, that shows what it has shown.
func (e evidence) after(wait time.Duration) evidence {
	again := e.seen[len(e.seen)-1]
	again.requestedAt = again.requestedAt.Add(wait)
	again.pending = again.pending.observed(again.chapter)
	e.seen = append(e.seen[:len(e.seen):len(e.seen)], again)
	return e
}

// since is the same for a book whose chapters are to be converted after this time.
func (e evidence) since(convertedAfter int64) evidence {
	e.desired.ConvertedAfter = &convertedAfter
	return e
}

func lost(p *operation)    { p.Phase = PhaseNoSign }
func joined(p *operation)  { p.RequestedAtUnix, p.Baseline.State = nil, nil }
func resumes(p *operation) { p.ours = false }
func refused(p *operation) {
	p.Phase, p.RequestedAtUnix = PhaseNoSign, nil
	p.answer = &audioprojects.Error{Kind: audioprojects.Rejected, Status: http.StatusPaymentRequired}
}

func refusedAsBusy(p *operation) {
	refused(p)
	p.answer = &audioprojects.Error{Kind: audioprojects.Rejected, Status: http.StatusConflict}
}

// TestDecide: each row of the tables, and how long looks must lead to it.
func TestDecide(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		evidence
		step   Step
		reason Reason
		within time.Duration // how long looks must lead to it
	}{
		"20 it runs":                               {follows(half, nil, busy), Wait, Converting, 0},
		"20 counts reach zero while it runs":       {follows(half, nil, busy, record("converting", 100, "", 100, 0)), Wait, Converting, 0},
		"20 a word of its own":                     {follows(half, nil, record("rendering", 100, "", 50, 50)), Wait, Converting, 0},
		"20 it starts in a word, with a new date":  {follows(half, nil, record("rendering", 200, "", 50, 50)), Wait, Converting, 0},
		"21 it fails":                              {follows(half, nil, busy, broken), Failed, Error, SecondLook},
		"21 after a part":                          {follows(half, nil, busy, record("default", 200, "no voice", 80, 20)), Failed, Error, SecondLook},
		"22 in a word":                             {follows(half, nil, record("FAILED", 100, "", 50, 50)), Failed, Error, Window},
		"22 in a word, where nothing was left":     {follows(full, nil, busyFull, record("failed", 200, "", 100, 0)), Failed, Error, Window},
		"23 its message is dismissed":              {follows(half, nil, busy, broken, half), Failed, Error, Window - time.Second},
		"23 dismissed, and dated":                  {follows(half, nil, busy, record("default", 200, "no voice", 50, 50), record("default", 200, "", 50, 50)), Failed, Error, Window - time.Second},
		"23 the word of its failure is gone":       {follows(half, nil, busy, record("failed", 200, "", 50, 50), record("default", 200, "", 50, 50)), Failed, Error, Window - time.Second},
		"23 its message is gone while it runs":     {follows(half, nil, record("converting", 100, "no voice", 50, 50), busy, record("default", 200, "", 50, 50)), Failed, Error, Window},
		"23 it tries again, and converts nothing":  {follows(half, nil, busy, broken, busy, record("default", 200, "", 50, 50)), Failed, Error, Window},
		"23 it tries again in a word of its own":   {follows(half, nil, busy, record("failed", 200, "no voice", 50, 50), record("retrying", 200, "", 50, 50)), Wait, Converting, 0},
		"24 it has tried again, nothing was left":  {follows(full, nil, busyFull, record("default", 100, "no voice", 100, 0), busyFull, done), Done, NoReason, 0},
		"23 dismissed, and then it tries again":    {follows(half, nil, busy, broken, busy, done), Done, NoReason, 0},
		"24 all text is converted":                 {follows(half, nil, busy, done), Done, NoReason, 0},
		"24 too fast for any look":                 {follows(half, nil, record("default", 100, "", 100, 0)), Done, NoReason, 0},
		"24 nothing was left, and it is dated":     {follows(full, nil, busyFull, done), Done, NoReason, 0},
		"25 it ends in a word of its own":          {follows(half, nil, busy, record("completed", 200, "", 100, 0)), Done, NoReason, Window},
		"25 the last phase has a word of its own":  {follows(half, nil, busy, mastering), Done, NoReason, Window},
		"26 some text stays":                       {follows(half, nil, busy, partly), Done, NoReason, Window},
		"26 its date alone shows it":               {follows(half, nil, busy, record("default", 200, "", 50, 50)), Done, NoReason, Window},
		"26 its message is gone, beside a part":    {follows(half, nil, busy, record("default", 200, "no voice", 80, 20), partly), Done, NoReason, Window},
		"27 nothing was left, and no date":         {follows(full, nil, busyFull, full), Done, NoReason, SecondLook},
		"27 and an old error stays":                {follows(record("default", 100, "no voice", 100, 0), nil, record("converting", 100, "no voice", 100, 0), record("default", 100, "no voice", 100, 0)), Done, ErrorStays, SecondLook},
		"30 all was converted, and nothing is":     {follows(full, nil, busyFull, untouched), Failed, Nothing, Window},
		"30 and only a date shows it":              {follows(full, nil, record("default", 200, "", 0, 100)), Failed, Nothing, Window},
		"28 nothing was left, and only a date":     {follows(full, nil, done), Done, NoReason, Window},
		"29 cancelled":                             {follows(half, nil, busy, half), Failed, Nothing, Window},
		"29 with the words of last time":           {follows(broken, nil, record("converting", 100, "no voice", 50, 50), record("default", 200, "no voice", 50, 50)), Failed, Nothing, Window},
		"29 a date of the request":                 {follows(half, nil, record("default", 200, "", 50, 50)), Failed, Nothing, Window},
		"30 a new date, and nothing is converted":  {follows(untouched, nil, record("converting", 0, "", 0, 100), record("default", 200, "", 0, 100)), Failed, Nothing, Window},
		"31 refused because it is busy":            {follows(half, refusedAsBusy, half), Failed, Refused, Window},
		"32 refused without credits":               {follows(half, refused, half), Failed, Refused, 0},
		"32 refused, and somebody else converts":   {follows(half, refused, busy), Wait, Converting, 0},
		"33 the answer is lost":                    {follows(half, lost, half), Unknown, NoReason, Window},
		"33 lost, and there is a sign":             {follows(half, lost, record("default", 100, "", 60, 40)), Done, NoReason, Window},
		"34 lost in the last apply":                {follows(half, func(p *operation) { lost(p); resumes(p) }, half), Request, NoSignBefore, Window},
		"36 not shown":                             {follows(half, nil, half), Wait, NotShown, 0},
		"34 an old word of a failure is gone":      {follows(record("failed", 100, "", 50, 50), func(p *operation) { lost(p); resumes(p) }, half), Request, NoSignBefore, Window},
		"36 not shown, and resumed":                {follows(half, resumes, half), Wait, NotShown, 0},
		"35 only the old error shows":              {follows(broken, nil, broken), Unknown, OldError, Window},
		"35 only the old word of a failure shows":  {follows(record("failed", 100, "", 50, 50), nil, record("failed", 100, "", 50, 50)), Unknown, OldError, Window},
		"35 resumed, and only the old error shows": {follows(broken, resumes, broken), Unknown, OldError, Window},
		"35 outdated, and only the old error":      {follows(record("default", 100, "no voice", 100, 0), nil, record("default", 100, "no voice", 100, 0)).since(150), Unknown, OldError, Window},
		"37 outdated, and not shown":               {follows(full, nil, full).since(150), Unknown, NoReason, Window},
		"38 nothing was left, and nothing shows":   {follows(full, nil, full), Done, NoSign, Window},
		"41 somebody else's leaves text":           {follows(busy, joined, busy, partly), Request, UnconvertedText, Window},
		"41 somebody else's leaves none":           {follows(busy, joined, busy, done), Done, NoReason, 0},
		"42 resumed, and its end was seen":         {follows(half, resumes, busy, partly), Done, NoReason, Window},
		"42 resumed, and its end was not seen":     {follows(half, resumes, partly), Request, UnconvertedText, Window},
		"42 resumed, and edited":                   {follows(half, resumes, busy, record("default", 200, "", 80, 40)), Request, UnconvertedText, Window},
		"a sign of a failure, and it goes on":      {follows(half, nil, broken, busy), Wait, Converting, 0},
		"the old error was seen gone, and is back": {follows(broken, nil, busy, broken), Failed, Error, SecondLook},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decided := decide(test.after(test.within))
			if decided.Step != test.step || decided.Reason != test.reason {
				t.Errorf("after %s: got %s %q, want %s %q", test.within, decided.Step, decided.Reason, test.step, test.reason)
			}
			if test.within > 0 {
				early := decide(test.after(test.within - time.Second))
				if early.Step != Wait || early.Until.IsZero() {
					t.Errorf("a second earlier: got %s %q, want to wait for another look", early.Step, early.Reason)
				}
			}
		})
	}
}

// TestTheWordsOfAFailure are those that a list has shown since the request, also where the message of before is back.
func TestTheWordsOfAFailure(t *testing.T) {
	t.Parallel()
	old := record("default", 100, "no voice", 50, 50)
	got := decide(follows(old, nil, record("default", 100, "no credits", 50, 50), old).after(Window))
	if got.Step != Failed || got.Words != "no credits" {
		t.Errorf("got %+v, want the newer message", got)
	}
}

// TestWhatIsKnownToBeLeft: only an end that this process saw leaves text that counts as skipped, and only if the text has the same length.
func TestWhatIsKnownToBeLeft(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		evidence
		want int64
	}{
		"seen":                {follows(half, nil, busy, partly), 20},
		"edited":              {follows(half, nil, busy, record("default", 200, "", 80, 40)), 0},
		"in a failed state":   {follows(half, nil, busy, record("cancelled", 200, "", 80, 20)), 0},
		"after a message":     {follows(half, nil, busy, record("default", 200, "no voice", 80, 20), partly), 0},
		"and it tries again":  {follows(half, nil, busy, broken, busy, partly), 0},
		"converted before":    {follows(full, nil, busyFull, partly), 0},
		"resumed, and seen":   {follows(half, resumes, busy, partly), 20},
		"all is converted":    {follows(half, nil, busy, done), 0},
		"nothing was to do":   {follows(full, nil, full), 0},
		"of another resource": {follows(half, func(p *operation) { p.anothers = true }, busy, partly), 20},
	} {
		got := decide(test.after(Window))
		if got.Step != Done || got.Remainder != test.want {
			t.Errorf("%s: got %+v, want %d left", name, got, test.want)
		}
	}
}

// TestBeginAgain: what follows a failure that an earlier apply or a refresh has told of.
func TestBeginAgain(t *testing.T) {
	t.Parallel()
	failed := func(p *operation) { resumes(p); p.ResumeToken = *p.asFailed("no voice", half, time.Unix(150, 0)) }
	forNewTriggers := func(p *operation) { failed(p); p.Triggers = "new" }
	for name, test := range map[string]struct {
		evidence
		change func(*Desired)
		step   Step
	}{
		"its text is unconverted":                   {follows(half, failed, broken), nil, Request},
		"somebody has had it converted":             {follows(half, failed, done), nil, Done},
		"somebody converts it":                      {follows(half, failed, busy), nil, Join},
		"it was about no text":                      {follows(full, forNewTriggers, record("default", 100, "no voice", 100, 0)), func(d *Desired) { d.UpToDate, d.Triggers = false, "new" }, Request},
		"of a book, about no text":                  {follows(full, failed, record("default", 100, "no voice", 100, 0)), nil, Request},
		"about no text, and converted since":        {follows(full, forNewTriggers, done), func(d *Desired) { d.UpToDate, d.Triggers = false, "new" }, Done},
		"about no text, and dated a while later":    {follows(full, forNewTriggers, record("default", 120, "", 100, 0)), func(d *Desired) { d.UpToDate, d.Triggers = false, "new" }, Request},
		"for other triggers, and converted since":   {follows(full, forNewTriggers, done), func(d *Desired) { d.UpToDate, d.Triggers, d.Known = false, "newer", true }, Request},
		"about a time, and the failure has a date":  {follows(full, failed, record("default", 200, "no voice", 100, 0)), func(d *Desired) { d.ConvertedAfter = new(int64(150)) }, Request},
		"about a time, and converted since with it": {follows(full, failed, done), func(d *Desired) { d.ConvertedAfter = new(int64(150)) }, Done},
	} {
		if test.change != nil {
			test.change(&test.desired)
		}
		got := decide(test.evidence)
		if got.Step != test.step {
			t.Errorf("%s: got %s %q, want %s", name, got.Step, got.Reason, test.step)
		}
	}
}
