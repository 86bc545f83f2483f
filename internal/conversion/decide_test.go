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

func uncounted(chapter audioprojects.Chapter) audioprojects.Chapter {
	chapter.Statistics = nil
	return chapter
}

func withProgress(progress float64, chapter audioprojects.Chapter) audioprojects.Chapter {
	chapter.ConversionProgress = &progress
	return chapter
}

// at is a look so many seconds after noon.
func at(seconds int, chapter audioprojects.Chapter) observation {
	return observation{requestedAt: noon.Add(time.Duration(seconds) * time.Second), chapter: chapter}
}

// The chapters of the table. Half of its text is open before the conversion.
var (
	before    = record("default", 100, "", 50, 50)
	busy      = record("converting", 100, "", 50, 50)
	datedBusy = record("converting", 200, "", 50, 50)
	done      = record("default", 200, "", 100, 0)
	partly    = record("default", 200, "", 80, 20)
	broken    = record("default", 100, "no voice", 50, 50)
	onlyDated = record("default", 200, "", 50, 50)
	full      = record("default", 100, "", 100, 0) // nothing is open
	fullDated = record("default", 200, "", 100, 0)
	fullBusy  = record("converting", 100, "", 100, 0)
	uncount   = uncounted(before)
)

// kind sets what is known of the pending conversion before the looks.
type kind func(*Ticket)

func accepted(p *Ticket) { p.RequestedAtUnix, p.Confirmed = new(noon.Unix()), true }
func lost(p *Ticket)     { p.RequestedAtUnix = new(noon.Unix()) }
func joined(*Ticket)     {}

// resumed is a conversion that an earlier process requested an hour ago.
func resumed(p *Ticket) {
	p.live, p.since = false, time.Time{}
	p.SinceUnix = noon.Add(-time.Hour).Unix()
	if p.RequestedAtUnix != nil {
		*p.RequestedAtUnix = p.SinceUnix
	}
}

func seenBusy(p *Ticket) {
	p.SeenConverting, p.Confirmed, p.BusyState, p.BusyDate = true, true, new(audioprojects.Text("converting")), p.Baseline.Date
}

func forTriggers(triggers string) kind { return func(p *Ticket) { p.Triggers = triggers } }

func waitedWhole(p *Ticket) { p.TimedOut = true }

func leftBefore(left int64) kind { return func(p *Ticket) { p.PreviousRemainder = &left } }

func knownFailure(p *Ticket) { p.Failure = new(audioprojects.Text("no voice")) }

func TestDecide(t *testing.T) {
	t.Parallel()
	upToDate := Demand{UpToDate: true}
	known := upToDate
	known.Known, known.Date = true, before.LastConversionDateUnix
	endedWith := func(step Step, left int64) Demand {
		return Demand{ended: &ended{step: step, left: left, pending: &Ticket{here: true}}}
	}
	failedWith := func(words string) Demand {
		return Demand{ended: &ended{step: Failed, left: 100, pending: &Ticket{here: true}, err: &FailedError{Reason: Error, Words: words}}}
	}
	after := func(time int64) Demand { return Demand{UpToDate: true, ConvertedAfter: &time} }
	behind := func(time, earlier, date int64) Demand {
		demand := after(time)
		demand.EarlyDate = &EarlyDate{earlier, date}
		return demand
	}
	forTime := func(time int64) kind { return func(p *Ticket) { p.ConvertedAfter = &time } }
	type looks []observation
	for name, test := range map[string]struct {
		demand    Demand
		baseline  audioprojects.Chapter // before the conversion; none: before
		kinds     []kind                // nil: nothing is pending
		looks     looks
		step      Step
		reason    Reason
		until     int // seconds after noon; 0: none
		words     audioprojects.Text
		leftover  int64
		suspected int64
		refused   bool
	}{
		// Nothing is pending.
		"nothing seen":                         {step: Look},
		"at rest":                              {looks: looks{at(0, before)}, step: Request},
		"at rest, nothing left, not asked for": {looks: looks{at(0, full)}, step: Request},
		"busy":                                 {looks: looks{at(0, busy)}, step: Join},
		"busy in the queue":                    {looks: looks{at(0, record("in_queue", 100, "", 0, 50))}, step: Join},
		"busy being created":                   {looks: looks{at(0, record("creating", 100, "", 0, 50))}, step: Join},
		"an unknown state, nothing requested":  {looks: looks{at(0, record("processing", 100, "", 0, 50))}, step: Request},
		"up to date":                           {demand: upToDate, looks: looks{at(0, full)}, step: Done, reason: NothingLeft},
		"up to date, in a list older than the demand":        {demand: upToDate, looks: looks{at(-1, full)}, step: Look},
		"not up to date, in a list older than the demand":    {demand: upToDate, looks: looks{at(-1, before)}, step: Request},
		"not up to date any more":                            {demand: known, looks: looks{at(0, before)}, step: Wait, reason: Confirming, until: 5},
		"not up to date any more, twice":                     {demand: known, looks: looks{at(0, before), at(5, before)}, step: Request},
		"not up to date, once":                               {demand: known, looks: looks{at(0, before), at(5, full)}, step: Done, reason: NothingLeft},
		"not up to date, then otherwise":                     {demand: known, looks: looks{at(0, full), at(1, before)}, step: Wait, reason: Confirming, until: 6},
		"up to date, but busy":                               {demand: upToDate, looks: looks{at(0, fullBusy)}, step: Join},
		"up to date, not counted":                            {demand: upToDate, looks: looks{at(0, uncount)}, step: Request},
		"not counted, but dated":                             {demand: Demand{UpToDate: true, DateSuffices: true}, looks: looks{at(0, uncount)}, step: Done, reason: NothingLeft},
		"not counted, and never converted":                   {demand: Demand{UpToDate: true, DateSuffices: true}, looks: looks{at(0, uncounted(record("default", 0, "", 0, 0)))}, step: Request},
		"counted and dated, with text left":                  {demand: Demand{UpToDate: true, DateSuffices: true}, looks: looks{at(0, before)}, step: Request},
		"up to date but for the leftover":                    {demand: Demand{UpToDate: true, Memory: Memory{KnownRemainder: 50}}, looks: looks{at(0, before)}, step: Done, reason: NothingLeft, leftover: 50},
		"more open than the leftover":                        {demand: Demand{UpToDate: true, Memory: Memory{KnownRemainder: 49}}, looks: looks{at(0, before)}, step: Request},
		"another block's conversion has ended":               {demand: endedWith(Done, 20), looks: looks{at(0, partly)}, step: Done, reason: EndedBefore},
		"another block's has ended, in an older list":        {demand: endedWith(Done, 20), looks: looks{at(-1, partly)}, step: Look},
		"another block's has failed":                         {demand: endedWith(Failed, 50), looks: looks{at(0, broken)}, step: Failed, reason: EndedBefore},
		"another block's is not known to have begun":         {demand: endedWith(Unknown, 50), looks: looks{at(0, before)}, step: Unknown, reason: EndedBefore},
		"another block's has ended, then an edit":            {demand: endedWith(Done, 20), looks: looks{at(0, before)}, step: Wait, reason: Confirming, until: 5},
		"another block's has ended, then an edit, two looks": {demand: endedWith(Done, 20), looks: looks{at(0, before), at(5, before)}, step: Request},
		"another block's has failed, then an edit":           {demand: failedWith("no voice"), looks: looks{at(0, record("default", 100, "no voice", 0, 200)), at(5, record("default", 100, "no voice", 0, 200))}, step: Request, reason: Error, words: "no voice"},
		"another block's has ended, busy again":              {demand: endedWith(Done, 20), looks: looks{at(0, busy)}, step: Join},
		"another block's has ended, full, busy":              {demand: endedWith(Done, 20), looks: looks{at(0, fullBusy)}, step: Join},
		"another block's has ended, ours fails":              {demand: endedWith(Done, 50), kinds: []kind{joined}, looks: looks{at(0, busy), at(9, broken), at(14, broken)}, step: Failed, reason: Error, words: "no voice"},

		// Busy.
		"ours, busy":               {kinds: []kind{accepted}, looks: looks{at(1, busy)}, step: Wait, reason: Converting},
		"ours, busy with an error": {kinds: []kind{accepted}, looks: looks{at(1, record("converting", 100, "new", 50, 50))}, step: Wait, reason: Converting},
		"an unknown state":         {kinds: []kind{accepted}, looks: looks{at(1, record("processing", 100, "", 50, 50)), at(600, record("processing", 100, "", 50, 50))}, step: Wait, reason: Converting},
		"an unknown state after a lost answer": {
			kinds: []kind{lost, resumed}, looks: looks{at(1, record("processing", 100, "", 50, 50)), at(60, record("processing", 100, "", 50, 50))}, step: Wait, reason: Converting,
		},
		"the unknown state that it had before": {
			baseline: record("ready", 100, "", 50, 50), kinds: []kind{accepted}, looks: looks{at(1, record("ready", 100, "", 50, 50))}, step: Wait, reason: NotShown,
		},
		"an unknown state, text converted, one look":      {kinds: []kind{accepted}, looks: looks{at(1, record("ended", 100, "", 100, 0))}, step: Wait, reason: Confirming, until: 6},
		"an unknown state, text converted, two looks":     {kinds: []kind{accepted}, looks: looks{at(1, record("ended", 100, "", 100, 0)), at(6, record("ended", 100, "", 100, 0))}, step: Done},
		"an unknown state, some text converted, for 29 s": {kinds: []kind{accepted}, looks: looks{at(1, record("ended", 100, "", 80, 20)), at(30, record("ended", 100, "", 80, 20))}, step: Wait, reason: Watching, until: 31},
		"an unknown state, some text converted, for long": {
			kinds: []kind{accepted}, looks: looks{at(1, record("ended", 100, "", 80, 20)), at(61, record("ended", 100, "", 80, 20))}, step: Done, leftover: 20,
		},
		"an unknown state, a new error, two looks": {
			kinds: []kind{accepted}, looks: looks{at(1, record("error", 100, "no voice", 50, 50)), at(6, record("error", 100, "no voice", 50, 50))}, step: Failed, reason: Error, words: "no voice",
		},
		"an unknown state that came with a date":         {kinds: []kind{accepted}, looks: looks{at(1, record("processing", 200, "", 50, 50)), at(60, record("processing", 200, "", 50, 50))}, step: Wait, reason: Converting},
		"an unknown state after converting, with a date": {kinds: []kind{accepted}, looks: looks{at(1, busy), at(9, record("ended", 200, "", 50, 50)), at(39, record("ended", 200, "", 50, 50)), at(69, record("ended", 200, "", 50, 50))}, step: Done, suspected: 50},
		"an unknown state after the queue, with a date": {
			kinds: []kind{accepted}, looks: looks{at(1, record("in_queue", 100, "", 50, 50)), at(9, record("processing", 200, "", 50, 50)), at(99, record("processing", 200, "", 50, 50))}, step: Wait, reason: Converting,
		},
		"an unknown state, dated, nothing was open": {baseline: full, kinds: []kind{accepted}, looks: looks{at(1, record("ended", 200, "", 100, 0)), at(6, record("ended", 200, "", 100, 0))}, step: Done},

		// Success.
		"ours, text converted":                     {kinds: []kind{accepted}, looks: looks{at(1, done)}, step: Done},
		"ours, text converted after a lost answer": {kinds: []kind{lost}, looks: looks{at(1, done)}, step: Done},
		"ours, text converted, never dated":        {kinds: []kind{accepted}, looks: looks{at(1, full)}, step: Done},
		"ours, some text converted, twice":         {kinds: []kind{accepted}, looks: looks{at(1, busy), at(9, partly), at(39, partly)}, step: Done, leftover: 20},
		"ours, some text converted, never busy":    {kinds: []kind{accepted}, looks: looks{at(1, partly), at(30, partly)}, step: Wait, reason: Watching, until: 31},
		"ours, some text converted, for a window":  {kinds: []kind{accepted}, looks: looks{at(1, partly), at(31, partly)}, step: Done, leftover: 20},
		"ours, some text converted, for minutes":   {kinds: []kind{accepted}, looks: looks{at(1, before), at(300, partly), at(600, partly)}, step: Done, leftover: 20},
		"resumed, some text converted, never busy": {kinds: []kind{accepted, resumed}, looks: looks{at(1, partly), at(31, partly)}, step: Done, leftover: 20},
		"ours, at rest for one look":               {kinds: []kind{accepted}, looks: looks{at(1, busy), at(2, partly), at(7, busy)}, step: Wait, reason: Converting},
		"ours, and an edit meanwhile":              {kinds: []kind{accepted}, looks: looks{at(1, record("default", 200, "", 100, 30)), at(31, record("default", 200, "", 100, 30))}, step: Done},
		"ours, less is open: deleted":              {kinds: []kind{accepted}, looks: looks{at(1, record("default", 100, "", 50, 20))}, step: Wait, reason: NotShown},
		"ours, all that was open deleted":          {kinds: []kind{accepted}, looks: looks{at(1, record("default", 100, "", 50, 0))}, step: Done},
		"ours, all but the leftover":               {demand: Demand{Memory: Memory{KnownRemainder: 20}}, kinds: []kind{accepted}, looks: looks{at(1, partly)}, step: Done, leftover: 20},
		"ours, an old error, text converted":       {baseline: broken, kinds: []kind{accepted}, looks: looks{at(1, record("default", 200, "no voice", 100, 0))}, step: Done},
		"dated after it was busy":                  {kinds: []kind{accepted}, looks: looks{at(1, busy), at(60, onlyDated)}, step: Wait, reason: Watching, until: 90},
		"dated after it was busy, for long": {
			kinds: []kind{accepted}, looks: looks{at(1, busy), at(60, onlyDated), at(90, onlyDated)}, step: Done, suspected: 50,
		},
		"nothing was open, dated":          {baseline: full, kinds: []kind{accepted}, looks: looks{at(1, fullDated)}, step: Wait, reason: Confirming, until: 6},
		"nothing was open, dated, twice":   {baseline: full, kinds: []kind{accepted}, looks: looks{at(1, fullDated), at(6, fullDated)}, step: Done},
		"nothing was open, busy and dated": {baseline: full, kinds: []kind{accepted}, looks: looks{at(1, fullBusy), at(60, fullDated)}, step: Done},
		"nothing was open, busy":           {baseline: full, kinds: []kind{accepted}, looks: looks{at(1, fullBusy), at(60, full)}, step: Wait, reason: Confirming, until: 65},
		"nothing was open, busy, twice":    {baseline: full, kinds: []kind{accepted}, looks: looks{at(1, fullBusy), at(60, full), at(65, full)}, step: Done},
		"nothing is counted, busy, twice":  {baseline: uncount, kinds: []kind{accepted}, looks: looks{at(1, uncounted(busy)), at(60, uncount), at(65, uncount)}, step: Done},
		"nothing is counted, dated, twice": {baseline: uncount, kinds: []kind{accepted}, looks: looks{at(60, uncounted(onlyDated)), at(65, uncounted(onlyDated))}, step: Done},
		"accepted, no sign, nothing open":  {baseline: full, kinds: []kind{accepted}, looks: looks{at(0, full)}, step: Wait, reason: Watching, until: 30},
		"moved, resumed": {
			baseline: uncount, kinds: []kind{accepted, resumed}, looks: looks{at(0, withProgress(3, uncount)), at(29, withProgress(3, uncount))}, step: Wait, reason: Watching, until: 30,
		},
		"moved, resumed, then unchanged for a window": {
			baseline: uncount, kinds: []kind{accepted, resumed}, looks: looks{at(0, withProgress(3, uncount)), at(30, withProgress(3, uncount))}, step: Done, reason: NoSign,
		},
		"accepted, no sign for a window":    {baseline: full, kinds: []kind{accepted}, looks: looks{at(0, full), at(30, full)}, step: Done, reason: NoSign},
		"the same is left once more":        {kinds: []kind{accepted, leftBefore(50)}, looks: looks{at(0, onlyDated), at(30, onlyDated)}, step: Done, reason: Remainder, leftover: 50},
		"less is left than before":          {kinds: []kind{accepted, leftBefore(60)}, looks: looks{at(0, onlyDated), at(30, onlyDated)}, step: Failed, reason: Nothing},
		"the same is left, but never dated": {kinds: []kind{accepted, leftBefore(50)}, looks: looks{at(1, busy), at(9, before), at(40, before)}, step: Failed, reason: Nothing},
		"ours, some text converted, queued before": {
			kinds: []kind{accepted}, looks: looks{at(1, record("in_queue", 100, "", 50, 50)), at(9, partly), at(14, partly)}, step: Wait, reason: Watching, until: 39,
		},
		"a dated word, then at rest":     {kinds: []kind{accepted}, looks: looks{at(1, record("p", 100, "", 50, 50)), at(9, record("p", 200, "", 50, 50)), at(20, onlyDated), at(50, onlyDated)}, step: Done, suspected: 50},
		"dated at the start, cancelled":  {kinds: []kind{accepted}, looks: looks{at(1, busy), at(5, datedBusy), at(9, onlyDated), at(39, onlyDated)}, step: Failed, reason: Nothing},
		"busy and dated, only leftover":  {demand: Demand{Memory: Memory{KnownRemainder: 50}}, kinds: []kind{accepted}, looks: looks{at(1, busy), at(9, onlyDated)}, step: Done, leftover: 50},
		"the same is left, not for long": {kinds: []kind{accepted, leftBefore(50)}, looks: looks{at(0, onlyDated), at(29, onlyDated)}, step: Wait, reason: Watching, until: 30},

		// Failure.
		"a fresh error":                {kinds: []kind{accepted}, looks: looks{at(1, broken), at(6, broken)}, step: Failed, reason: Error, words: "no voice"},
		"an error of a stale replica":  {kinds: []kind{accepted}, looks: looks{at(1, busy), at(2, broken), at(7, busy)}, step: Wait, reason: Converting},
		"an error, then all is done":   {kinds: []kind{accepted}, looks: looks{at(1, busy), at(2, broken), at(7, done)}, step: Done},
		"another error":                {baseline: record("default", 100, "old", 50, 50), kinds: []kind{accepted}, looks: looks{at(1, broken), at(6, broken)}, step: Failed, reason: Error, words: "no voice"},
		"a fresh error beside work":    {kinds: []kind{accepted}, looks: looks{at(1, record("default", 200, "no voice", 80, 20)), at(6, record("default", 200, "no voice", 80, 20))}, step: Failed, reason: Error, words: "no voice"},
		"the same error, composed":     {baseline: record("default", 100, "caf\u00e9", 50, 50), kinds: []kind{accepted}, looks: looks{at(0, record("default", 100, "cafe\u0301", 50, 50))}, step: Wait, reason: Watching, until: 30},
		"the old error, gone and back": {baseline: broken, kinds: []kind{accepted}, looks: looks{at(1, busy), at(9, broken), at(14, broken)}, step: Failed, reason: Error, words: "no voice"},
		"the old error, dated":         {baseline: broken, kinds: []kind{accepted}, looks: looks{at(0, record("default", 200, "no voice", 50, 50)), at(30, record("default", 200, "no voice", 50, 50))}, step: Failed, reason: OldError, words: "no voice"},
		"the old error, no sign":       {baseline: broken, kinds: []kind{accepted}, looks: looks{at(0, broken), at(30, broken)}, step: Failed, reason: OldError, words: "no voice"},
		"the old error, no sign yet":   {baseline: broken, kinds: []kind{accepted}, looks: looks{at(0, broken), at(29, broken)}, step: Wait, reason: Watching, until: 30},
		"cancelled":                    {kinds: []kind{accepted}, looks: looks{at(1, busy), at(9, before)}, step: Wait, reason: Watching, until: 39},
		"cancelled, a window ago":      {kinds: []kind{accepted}, looks: looks{at(1, busy), at(9, before), at(39, before)}, step: Failed, reason: Nothing},
		"cancelled, still changing":    {kinds: []kind{accepted}, looks: looks{at(1, busy), at(9, before), at(39, withProgress(3, before))}, step: Wait, reason: Watching, until: 69},
		"dated at the request, then cancelled": {
			kinds: []kind{accepted}, looks: looks{at(1, datedBusy), at(9, onlyDated), at(39, onlyDated)}, step: Failed, reason: Nothing,
		},
		"dated, never busy":               {kinds: []kind{accepted}, looks: looks{at(0, onlyDated)}, step: Wait, reason: Watching, until: 30},
		"dated, never busy, a window ago": {kinds: []kind{accepted}, looks: looks{at(0, onlyDated), at(30, onlyDated)}, step: Failed, reason: Nothing},
		"joined, failed":                  {kinds: []kind{joined, seenBusy}, looks: looks{at(1, broken), at(6, broken)}, step: Failed, reason: Error, words: "no voice"},
		"joined, cancelled":               {kinds: []kind{joined, seenBusy}, looks: looks{at(0, before), at(30, before)}, step: Failed, reason: Nothing},
		"refused, busy after all":         {kinds: []kind{joined}, refused: true, looks: looks{at(1, busy)}, step: Wait, reason: Converting},
		"refused as if busy":              {kinds: []kind{joined}, refused: true, looks: looks{at(0, before), at(29, before)}, step: Wait, reason: Watching, until: 30},
		"refused as if busy, no sign":     {kinds: []kind{joined}, refused: true, looks: looks{at(0, before), at(30, before)}, step: Failed, reason: Refused},
		"a stale error, then cancelled":   {kinds: []kind{accepted}, looks: looks{at(1, busy), at(9, broken), at(12, busy), at(20, before)}, step: Wait, reason: Watching, until: 50},
		"the old error, lost, no sign":    {baseline: broken, kinds: []kind{lost}, looks: looks{at(0, broken), at(30, broken)}, step: Unknown},
		"the old error, refused, a sign":  {baseline: broken, kinds: []kind{joined}, refused: true, looks: looks{at(1, withProgress(7, broken)), at(2, broken), at(32, broken)}, step: Failed, reason: Refused},
		"refused as if busy, a sign":      {kinds: []kind{joined}, refused: true, looks: looks{at(1, withProgress(7, before)), at(60, withProgress(7, before))}, step: Wait, reason: NotShown},

		// No sign.
		"accepted, open":                         {kinds: []kind{accepted}, looks: looks{at(1, before), at(3000, before)}, step: Wait, reason: NotShown},
		"lost, the window is open":               {kinds: []kind{lost}, looks: looks{at(0, before), at(29, before)}, step: Wait, reason: Watching, until: 30},
		"lost, the window has closed":            {kinds: []kind{lost}, looks: looks{at(0, before), at(30, before)}, step: Unknown},
		"lost, edited meanwhile":                 {kinds: []kind{lost}, looks: looks{at(1, before), at(30, record("default", 100, "", 50, 70)), at(60, record("default", 100, "", 50, 70))}, step: Unknown},
		"lost, then the error disappears":        {baseline: broken, kinds: []kind{lost}, looks: looks{at(1, before), at(60, before)}, step: Wait, reason: NotShown},
		"lost, an older date is no sign":         {kinds: []kind{lost}, looks: looks{at(0, record("default", 90, "", 50, 50)), at(30, record("default", 90, "", 50, 50))}, step: Unknown},
		"lost, progress moves":                   {kinds: []kind{lost}, looks: looks{at(1, withProgress(7, before)), at(60, withProgress(7, before))}, step: Wait, reason: NotShown},
		"resumed, accepted":                      {kinds: []kind{accepted, resumed}, looks: looks{at(0, before), at(300, before)}, step: Wait, reason: NotShown},
		"resumed, accepted, waited for":          {kinds: []kind{accepted, resumed, waitedWhole}, looks: looks{at(0, before), at(29, before)}, step: Wait, reason: Watching, until: 30},
		"resumed, no sign for a timeout":         {kinds: []kind{accepted, resumed, waitedWhole}, looks: looks{at(0, before), at(30, before)}, step: Request, reason: NoSignBefore},
		"resumed, refused, nobody saw it":        {kinds: []kind{joined, resumed}, looks: looks{at(0, before), at(29, before)}, step: Wait, reason: Watching, until: 30},
		"resumed, refused, a window later":       {kinds: []kind{joined, resumed}, looks: looks{at(0, before), at(30, before)}, step: Request, reason: NoSignBefore},
		"resumed, lost in the future":            {kinds: []kind{lost, resumed, func(p *Ticket) { p.SinceUnix += 7200; *p.RequestedAtUnix += 7200 }}, looks: looks{at(0, before)}, step: Wait, reason: Watching, until: 30},
		"resumed, work":                          {kinds: []kind{accepted, resumed}, looks: looks{at(0, done)}, step: Done},
		"resumed, some work, one look":           {kinds: []kind{accepted, resumed}, looks: looks{at(0, partly)}, step: Wait, reason: Watching, until: 30},
		"resumed, failed":                        {kinds: []kind{accepted, resumed}, looks: looks{at(0, broken), at(5, broken)}, step: Request, reason: Error, words: "no voice"},
		"resumed, failed, busy again":            {kinds: []kind{accepted, resumed, knownFailure}, looks: looks{at(0, busy)}, step: Join, reason: Error, words: "no voice"},
		"resumed, failed in this run":            {kinds: []kind{accepted, resumed}, looks: looks{at(0, busy), at(9, broken), at(14, broken)}, step: Failed, reason: Error, words: "no voice"},
		"resumed, it ended in this run":          {kinds: []kind{accepted, resumed}, looks: looks{at(0, withProgress(9, before)), at(9, onlyDated), at(39, onlyDated)}, step: Failed, reason: Nothing},
		"resumed, known to have failed":          {kinds: []kind{accepted, resumed, knownFailure}, looks: looks{at(0, before)}, step: Request, reason: Error, words: "no voice"},
		"resumed, failed, done by another block": {kinds: []kind{accepted, resumed, knownFailure}, looks: looks{at(0, done)}, step: Done, reason: NothingLeft},
		"the same, in an older list":             {demand: Demand{}, kinds: []kind{accepted, resumed, knownFailure}, looks: looks{at(-1, done)}, step: Look},
		"resumed, failed, partly done since":     {kinds: []kind{accepted, resumed, knownFailure}, looks: looks{at(0, partly)}, step: Request, reason: Error, words: "no voice", suspected: 20},
		"resumed, failed, done, but an error":    {kinds: []kind{accepted, resumed, knownFailure}, looks: looks{at(0, record("default", 200, "no voice", 100, 0))}, step: Request, reason: Error, words: "no voice"},
		"resumed, failed, done, other triggers":  {demand: Demand{Triggers: "new"}, kinds: []kind{accepted, resumed, knownFailure, forTriggers("old")}, looks: looks{at(0, done)}, step: Request, reason: Error, words: "no voice"},
		"resumed, failed, all done since":        {demand: upToDate, kinds: []kind{accepted, resumed, knownFailure}, looks: looks{at(0, done)}, step: Done, reason: NothingLeft},
		"resumed, failed, nothing was open":      {demand: upToDate, baseline: full, kinds: []kind{accepted, resumed, knownFailure}, looks: looks{at(0, full)}, step: Request, reason: Error, words: "no voice"},
		"resumed, cancelled":                     {kinds: []kind{accepted, resumed, seenBusy}, looks: looks{at(0, before), at(30, before)}, step: Request, reason: Nothing},
		"resumed, dated, counts may be late":     {kinds: []kind{accepted, resumed}, looks: looks{at(2, onlyDated), at(31, onlyDated)}, step: Wait, reason: Watching, until: 32},
		"resumed, seen busy, counts may be late": {kinds: []kind{accepted, resumed, seenBusy}, looks: looks{at(2, onlyDated), at(31, onlyDated)}, step: Wait, reason: Watching, until: 32},
		"resumed, dated, nothing converted":      {kinds: []kind{accepted, resumed}, looks: looks{at(2, onlyDated), at(32, onlyDated)}, step: Request, reason: Nothing, suspected: 50},

		// Triggers and other conditions of the demand.
		"joined, ended":                        {kinds: []kind{joined, seenBusy}, looks: looks{at(9, done)}, step: Done},
		"joined, ended, open":                  {kinds: []kind{joined, seenBusy}, looks: looks{at(0, partly), at(5, partly)}, step: Wait, reason: Watching, until: 30},
		"joined, ended, open for a window":     {kinds: []kind{joined, seenBusy}, looks: looks{at(0, partly), at(30, partly)}, step: Request, reason: OpenText},
		"joined, ended, open as ever":          {demand: Demand{Memory: Memory{KnownRemainder: 20}}, kinds: []kind{joined, seenBusy}, looks: looks{at(9, partly)}, step: Done, leftover: 20},
		"for other triggers, busy":             {demand: Demand{Triggers: "new"}, kinds: []kind{accepted, resumed, forTriggers("old")}, looks: looks{at(0, busy)}, step: Wait, reason: Converting},
		"for other triggers, ended":            {demand: Demand{Triggers: "new"}, kinds: []kind{accepted, resumed, forTriggers("old")}, looks: looks{at(0, done)}, step: Request, reason: NewTriggers},
		"for other triggers, ended in the run": {demand: Demand{Triggers: "new"}, kinds: []kind{accepted, resumed, forTriggers("old")}, looks: looks{at(0, busy), at(9, done)}, step: Request, reason: NewTriggers},
		"for other triggers, failed":           {demand: Demand{Triggers: "new"}, kinds: []kind{accepted, resumed, forTriggers("old")}, looks: looks{at(0, busy), at(9, broken), at(14, broken)}, step: Request, reason: Error, words: "no voice"},
		"for the same triggers":                {demand: Demand{Triggers: "new"}, kinds: []kind{accepted, resumed, forTriggers("new")}, looks: looks{at(0, done)}, step: Done},
		"for triggers, first given":            {demand: Demand{Triggers: "new"}, kinds: []kind{accepted, resumed}, looks: looks{at(0, done)}, step: Done},
		"for triggers, taken away":             {kinds: []kind{accepted, resumed, forTriggers("old")}, looks: looks{at(0, done)}, step: Done},

		// A time after which the conversion must have ended. The chapter's date is 100 before a conversion, and 200 after it.
		"converted before the time":                   {demand: after(101), looks: looks{at(0, full)}, step: Request},
		"converted at the time":                       {demand: after(100), looks: looks{at(0, full)}, step: Done, reason: NothingLeft},
		"without a date":                              {demand: after(101), looks: looks{at(0, record("default", 0, "", 100, 0))}, step: Done, reason: NothingLeft},
		"our own, dated before the time":              {demand: behind(101, 101, 100), looks: looks{at(0, full)}, step: Done, reason: NothingLeft},
		"our own for another time":                    {demand: behind(101, 99, 100), looks: looks{at(0, full)}, step: Request},
		"an older one than our own":                   {demand: behind(250, 250, 200), looks: looks{at(0, full)}, step: Request},
		"ended before the time, for it":               {demand: after(201), baseline: full, kinds: []kind{accepted, seenBusy, forTime(201)}, looks: looks{at(9, fullDated)}, step: Done},
		"ended before the time, for another":          {demand: after(201), baseline: full, kinds: []kind{accepted, resumed, seenBusy, forTime(199)}, looks: looks{at(9, fullDated), at(40, fullDated)}, step: Request, reason: Outdated},
		"ended before the time, for none":             {demand: after(201), kinds: []kind{accepted, resumed, seenBusy}, looks: looks{at(9, done), at(40, done)}, step: Request, reason: Outdated},
		"joined, ended before the time":               {demand: after(201), kinds: []kind{joined, seenBusy}, looks: looks{at(9, done), at(40, done)}, step: Request, reason: Outdated},
		"joined, ended before the time, perhaps":      {demand: after(201), kinds: []kind{joined, seenBusy}, looks: looks{at(0, done)}, step: Wait, reason: Watching, until: 30},
		"another block's, ended before the time":      {demand: after(201), kinds: []kind{joined, seenBusy, forTime(201)}, looks: looks{at(9, done)}, step: Done},
		"joined, ended after the time":                {demand: after(200), kinds: []kind{joined, seenBusy}, looks: looks{at(9, done)}, step: Done},
		"failed for the time, and dated all the same": {demand: after(200), baseline: full, kinds: []kind{accepted, resumed, knownFailure}, looks: looks{at(0, fullDated)}, step: Request, reason: Error, words: "no voice", suspected: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var pending *Ticket
			if test.kinds != nil {
				if test.baseline.ChapterID == "" {
					test.baseline = before
				}
				pending = &Ticket{Baseline: baselineOf(test.baseline), SinceUnix: noon.Unix(), since: noon, live: true}
				for _, kind := range test.kinds {
					kind(pending)
				}
			}
			e := evidence{demand: test.demand, acts: true, began: noon}
			if test.refused {
				e.refusal = &audioprojects.Error{Kind: audioprojects.Rejected, Status: http.StatusConflict}
			}
			for _, look := range test.looks {
				if pending != nil {
					pending = pending.observed(look.chapter)
				}
				look.pending = pending
				e.seen = append(e.seen, look)
			}
			got := decide(e)
			want := Decision{Step: test.step, Reason: test.reason, Words: test.words, KnownRemainder: test.leftover}
			if test.until != 0 {
				want.Until = noon.Add(time.Duration(test.until) * time.Second)
			}
			if value(got.SuspectedRemainder) != test.suspected {
				t.Errorf("left once: got %d, want %d", value(got.SuspectedRemainder), test.suspected)
			}
			got.SuspectedRemainder, got.Until = nil, got.Until.UTC()
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestConvertedTextIsSeenInAnyUnit(t *testing.T) {
	t.Parallel()
	integer := func(i int) *audioprojects.Integer { return new(audioprojects.Integer(i)) }
	type statistics = audioprojects.ChapterStatistics
	for name, test := range map[string]struct {
		before, now statistics
		want        bool
	}{
		"paragraphs alone":                {statistics{ParagraphsConverted: integer(1), ParagraphsUnconverted: integer(2)}, statistics{ParagraphsConverted: integer(2), ParagraphsUnconverted: integer(1)}, true},
		"paragraphs beside characters":    {statistics{CharactersConverted: integer(9), ParagraphsConverted: integer(1)}, statistics{CharactersConverted: integer(9), ParagraphsConverted: integer(2)}, true},
		"only what is open is counted":    {statistics{CharactersUnconverted: integer(9)}, statistics{CharactersUnconverted: integer(2)}, true},
		"only what is converted":          {statistics{CharactersConverted: integer(2)}, statistics{CharactersConverted: integer(9)}, true},
		"less is converted after an edit": {statistics{CharactersConverted: integer(9)}, statistics{CharactersConverted: integer(2)}, false},
		"counted for the first time":      {statistics{}, statistics{CharactersConverted: integer(9), CharactersUnconverted: integer(0)}, false},
		"not counted any more":            {statistics{CharactersConverted: integer(9), CharactersUnconverted: integer(1)}, statistics{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pending := Ticket{Baseline: Baseline{Statistics: &test.before}}
			if got := pending.worked(audioprojects.Chapter{Statistics: &test.now}, 0); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}

func TestAListThatLagsShowsNothing(t *testing.T) {
	t.Parallel()
	list := func(chapters ...audioprojects.Chapter) func(int) *listing {
		return func(seconds int) *listing {
			l := newListing(chapters, nil)
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
		"lagging once":                    {[]int{0}, answers{0: lagging}, nil, false, 0, nil},
		"lagging, too soon for a second":  {[]int{0, 4}, answers{0: lagging, 4: lagging}, nil, false, 0, nil},
		"lagging twice, and the record":   {[]int{0, 5}, answers{0: lagging, 5: lagging}, lagging, true, 100, nil},
		"lagging twice, not the record":   {[]int{0, 5}, answers{0: lagging, 5: lagging}, current, true, 200, nil},
		"undated twice, and the record":   {[]int{0, 5}, answers{0: undated, 5: undated}, undated, true, 0, nil},
		"lagging, lacking in the record":  {[]int{0, 5}, answers{0: lagging, 5: lagging}, lacking, false, 0, nil},
		"lagging, current, lagging":       {[]int{0, 3, 6}, answers{0: lagging, 3: current, 6: lagging}, nil, false, 0, nil},
		"lagging, then lacking":           {[]int{0, 5}, answers{0: lagging, 5: lacking}, lacking, false, 0, nil},
		"lacking once":                    {[]int{0}, answers{0: lacking}, nil, false, 0, nil},
		"lacking twice, and the record":   {[]int{0, 5}, answers{0: lacking, 5: lacking}, lacking, false, 0, &MissingChapterError{}},
		"lacking twice, not the record":   {[]int{0, 5}, answers{0: lacking, 5: lacking}, current, true, 200, nil},
		"lacking twice, record lags":      {[]int{0, 5}, answers{0: lacking, 5: lacking}, lagging, false, 0, nil},
		"lacking twice, the record fails": {[]int{0, 5}, answers{0: lacking, 5: lacking}, failing, false, 0, down},
		"failing":                         {[]int{0}, answers{0: failing}, nil, false, 0, down},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			records := newPoller(new(clock), nil)
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
			asWanted := errors.Is(err, test.want) || missing(test.want) && missing(err)
			if !asWanted {
				t.Errorf("got error %v, want %v", err, test.want)
			}
		})
	}
}
