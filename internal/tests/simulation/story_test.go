package simulation_test

import "time"

// This file is the vocabulary of the stories, one word a line. What the service's document, a vendor's page, a public report or an
// interrupted pipeline gives is in it, and nothing else: what no word can say is a test of the engine or the provider.

// story is all that is drawn from a seed. Nothing else is random, so a story can be printed, played again and made
// smaller. The zero value of every field is the usual case: a service without faults or lags.
type story struct {
	Seed     uint64
	Chapters []habits        `line:"chapter"`
	Blocks   []block         `line:"block"`
	Rounds   []round         `line:"run"`
	Posts    []fault         `line:"post"` // of requests for a conversion
	Gets     []fault         `line:"get"`  // of lists, and of the project
	Replicas []time.Duration // the lag of each, some seconds; lists come from them in turn
	Limit    int             // max_characters is for one paragraph less; 0: there is no limit
	Parallel int             // parallel_conversions; 0: as the provider has it
	AtATime  int             // so many conversions run at the service at a time; 0: any number
}

// habits are how the service treats a chapter.
type habits struct {
	Paragraphs int           // of the text in the beginning
	Converted  int           // of them
	Remainder  int           // further paragraphs that the service never converts
	OldDate    time.Duration // how long ago the chapter was converted; 0: never
	OldError   errorText

	// The states: "" is that of a usual service; for others see word.
	Busy, Rest, Done, Failed string

	Undated       bool // conversions have no date
	DateOnFailure bool
	ClockSkew     time.Duration // of the dates
	ErrorStays    bool          // an error is not cleared by the next conversion
	CountLag      time.Duration // from a conversion's end to its counts
	Grow          bool          // the counts move during the conversion

	WhenBusy int  `words:"conflict bad-request error queues"` // how a request is answered while the chapter is busy; one of the busy… below
	Idles    bool // a request has no effect if nothing is open, and the answer is that of any other

	Later bool // the project does not have the chapter before an event adds it

	Conversions []conversion `line:"conversion"` // requested by the provider, in this order; later ones are usual
}

const (
	busyConflict = iota
	busyBadRequest
	busyError  // 500 with words, as large services refuse
	busyQueues // it is accepted, and paid for
)

// conversion is how a conversion goes.
type conversion struct {
	Queued    time.Duration
	Takes     time.Duration
	ShownLate time.Duration // no list shows it for so long
	Ends      int           `words:"well error cancelled"` // one of the ends… below
	Part      int           // tenths that are converted before it fails or is cancelled
	Error     errorText
	RestsFor  time.Duration // the state is that of rest, in the middle, for so long: some seconds
	Retries   errorText     // stands there until the middle, and then is gone: the service tries again on its own
}

const (
	endsWell = iota
	endsInError
	endsCancelled
)

// errorText is one of a few errors of the service; negative: with decomposed letters.
type errorText int

var errorTexts = []string{"voice not found", "Modèle indisponible", "quota exceeded"}
var decomposedTexts = []string{"voice not found", "Mode\u0300le indisponible", "quota exceeded"}

func (e errorText) text() string {
	switch {
	case e > 0:
		return errorTexts[e-1]
	case e < 0:
		return decomposedTexts[-e-1]
	}
	return ""
}

func (e errorText) normal() string { return max(e, -e).text() }

// block is one in the configuration.
type block struct {
	Chapter             int  `from:"1"`
	Alias               int  // of the provider: 0 or 1
	Keep                bool // keep_up_to_date
	Timeout             time.Duration
	Depends             bool // on the block before
	CreateBeforeDestroy bool // a block that it depends on inherits that
	Forgets             bool // lifecycle { destroy = false }: if it is replaced, the provider is not told of the old object
	Action              bool // converts the chapter or the book, after the block is created or updated
	From                int  // the round in which it is written

	Book           bool  // for all chapters of the project, or for those of Chapters; Chapter and Keep mean nothing then
	Chapters       []int `from:"1"` // chapter_ids
	Excludes       bool  // exclude_chapter_ids has the others instead
	ChapterTimeout time.Duration
	All            bool // the action converts what has nothing left, too
}

// round is a run of Terraform, with the changes and events around it.
type round struct {
	Pause     time.Duration // before it
	Changes   []change      `line:"change"`
	Events    []event       `line:"event"`
	PlanOnly  bool
	NoRefresh bool
	// Parallelism is how many blocks have their turns at a time; 0: all of them.
	Parallelism int
	Backwards   bool          // of independent blocks the last one begins; removed blocks are destroyed last
	OneByOne    bool          // an old object is destroyed right before its new one is created, as blocks that nothing connects may be
	Think       time.Duration // between plan and apply
	Interrupt   time.Duration // so long after the apply began
	Kill        time.Duration
}

// change is a change that somebody makes to a block before a run.
type change struct {
	Block    int           `from:"1"`
	What     string        // taint, replace, triggers, keep, rename, provisioner (if it is created, it fails there); of a book: after, always, chapters
	Ago      time.Duration // of after: converted_after is the time before the run by so much
	Chapters []int         `from:"1"` // of chapters: the new chapter_ids; all if there are none
}

// event is something that happens at the service.
type event struct {
	At         time.Duration // after the run began
	Before     int           // if not 0: right before this block's turn (1 is the first) in the apply
	Chapter    int           `from:"1"`
	What       string        // append, shorten, replace, mend (as many paragraphs, one for one), convert, cancel, dismiss, types, add, delete, missing, empty, down; of the project: whole (somebody has all of it converted), creating
	Paragraphs int
	For        time.Duration // of missing, empty, down and creating, and of types: a paragraph every four seconds
	Conversion conversion    `line:"conversion"` // of convert; of whole that of each chapter, where the first waits for as long as it is queued
}

// fault is what goes wrong with one request.
type fault struct {
	Number     int    // of the request; 0 is the first
	What       string // reset, eof, hang, slow, status, unreadable, truncated, html, redirect
	Status     int
	After      bool          // the request was processed
	For        time.Duration // of slow: the request is processed at once, and its answer comes so late
	RetryAfter string        // "date 30" is a date half a minute from then
}
