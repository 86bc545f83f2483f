package histories

import "time"

// This file is the vocabulary of the histories, one word a line. What the service's document, a vendor's page, a public report or an
// interrupted pipeline gives is in it, and nothing else: what no word can say is a test of the engine or the provider.

// History is all that may happen to some chapters. Nothing else is random, so a history can be printed and played again. The
// zero value of every field is the usual case: a service without faults or lags.
type History struct {
	Chapters  []Habits        `line:"chapter"`
	Resources []Resource      `line:"resource"`
	Runs      []Run           `line:"run"`
	Posts     []Answer        `line:"post"` // to requests for a conversion
	Gets      []Answer        `line:"get"`  // to requests for lists, and for the project
	Replicas  []time.Duration // the lag of each, some seconds; lists come from them in turn
	Limit     int             // max_characters is for so many paragraphs; 0: there is no limit
	Parallel  int             // parallel_conversions; 0: as the provider has it
	AtATime   int             // so many conversions run at the service at a time; 0: any number
	PerSecond int             // the service answers so many requests a second; 0: any number
}

// Habits are how the service treats a chapter.
type Habits struct {
	Paragraphs int           // of the text in the beginning
	Converted  int           // of them
	Remainder  int           // further paragraphs that the service never converts
	OldDate    time.Duration // how long ago the chapter was converted; 0: never
	OldError   ErrorText

	// The states: "" is that of a usual service.
	Busy, Done, Failed string

	Undated       bool // conversions have no date
	DateOnFailure bool
	ClockSkew     time.Duration // of the dates
	ErrorStays    bool          // an error is not cleared by the next conversion
	CountLag      time.Duration // from a conversion's end to its counts
	Grow          bool          // the counts move during the conversion
	NoProgress    bool          // the progress is always 0

	WhenBusy int  `words:"conflict bad-request error queues"` // how a request is answered while the chapter is busy; one of the busy… below
	Idles    bool // a request has no effect if no text is unconverted, and the answer is that of any other

	Later bool // the project does not have the chapter before an event adds it

	Conversions []Conversion `line:"conversion"` // requested by the provider, in this order; the last one repeats
}

// How a request for a busy chapter is answered.
const (
	busyConflict = iota
	busyBadRequest
	busyError  // 500 with an error message, as large services refuse
	busyQueues // it is accepted, and paid for
)

// Conversion is how a conversion goes.
type Conversion struct {
	Queued    time.Duration
	Takes     time.Duration
	ShownLate time.Duration // no list shows it for so long
	Ends      int           `words:"well error cancelled"` // one of the ends… below
	Part      int           // tenths that are converted before it fails or is cancelled
	Error     ErrorText
	RestsFor  time.Duration // the state is that of rest, in the middle, for so long: some seconds
	Retries   ErrorText     // stands there until the middle, and then is gone: the service tries again on its own
}

// How a conversion ends.
const (
	endsWell = iota
	endsInError
	endsCancelled
)

// ErrorText is one of a few errors of the service.
type ErrorText int

var errorTexts = []string{"", "voice not found", "quota exceeded", "the model is not available"}

func (e ErrorText) text() string { return errorTexts[e] }

// Resource is one in the configuration.
type Resource struct {
	Chapter             int  `from:"1"`
	Keep                bool // keep_up_to_date
	Timeout             time.Duration
	CreateBeforeDestroy bool
	Untriggered         bool // it has no triggers in the beginning
	Forgets             bool // lifecycle { destroy = false }: if it is replaced, the provider is not told of the old one
	Action              bool // converts the chapter or the book, after the resource is created or updated

	Book           bool  // a project conversion for all chapters, or for those of Chapters; Chapter and Keep mean nothing then
	Chapters       []int `from:"1"` // chapter_ids
	ChapterTimeout time.Duration
	PerApply       int // characters_per_apply is for so many paragraphs; 0: for any number
}

// Run is a run of Terraform, with the changes and events around it.
type Run struct {
	Pause       time.Duration // before it
	Think       time.Duration // between plan and apply
	Changes     []Change      `line:"change"`
	Events      []Event       `line:"event"`
	Parallelism int           // how many resources have their turns at a time; 0: all of them
	Interrupt   time.Duration // so long after the apply began
	Kill        time.Duration
}

// Change is a change that somebody makes to a resource before a run.
type Change struct {
	Resource int           `from:"1"`
	What     string        // taint, untaint, replace, triggers, untrigger, keep, rename, timeout; of a project conversion: chapters
	For      time.Duration // of timeout
	Chapters []int         `from:"1"` // of chapters: the new chapter_ids; all if there are none
}

// Event is something that happens at the service.
type Event struct {
	At         time.Duration // after the run began
	Chapter    int           `from:"1"`
	What       string        // append, shorten, replace, mend (some paragraphs, one for one), convert, cancel, dismiss, add, delete, missing, down; of the project: whole (somebody has all of it converted), creating
	Paragraphs int
	For        time.Duration // of missing, down and creating
	Conversion Conversion    `line:"conversion"` // of convert; of whole that of each chapter, where the first waits for as long as it is queued
}

// Answer is what goes wrong with one request.
type Answer struct {
	Chapter    int    `from:"1"` // of a request for a conversion
	Number     int    // of the request, of those for the chapter, or of those for lists; 0 is the first
	What       string // reset, eof, hang, slow, status, truncated, html
	Status     int
	After      bool          // the request was processed
	For        time.Duration // of slow: the request is processed at once, and its answer comes so late
	RetryAfter string
}
