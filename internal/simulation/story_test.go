package simulation_test

import "time"

// story is all that is drawn from a seed. Nothing else is random, so a story can be printed, played again and made
// smaller. The zero value of every field is the usual case: a service without faults or lags.
type story struct {
	Seed     uint64
	Chapters []habits
	Blocks   []block
	Rounds   []round
	Posts    []fault         `json:",omitempty"` // of requests for a conversion
	Gets     []fault         `json:",omitempty"` // of lists, and of the project
	Replicas []time.Duration `json:",omitempty"` // the lag of each; lists come from them in turn
	Bound    int             `json:",omitempty"` // max_characters is for one paragraph less; 0: there is no bound
	Refused  int             `json:",omitempty"` // the status with which the project's own record is refused; 0: it is not
	Miscount []int           `json:",omitempty"` // characters that the replicas count as unconverted beside the text, in turn
	Parallel int             `json:",omitempty"` // parallel_conversions; 0: as the provider has it
}

// habits are how the service treats a chapter.
type habits struct {
	Paragraphs int           `json:",omitempty"` // of the text in the beginning
	Converted  int           `json:",omitempty"` // of them
	Remainder  int           `json:",omitempty"` // further paragraphs that the service never converts
	OldDate    time.Duration `json:",omitempty"` // how long ago the chapter was converted; 0: never
	OldError   errorText     `json:",omitempty"`

	// The states: "" is that of a usual service; for others see word.
	Queue, First, Busy, Rest, Done, Failed, Cancelled string `json:",omitempty"`

	Progress      int           `json:",omitempty" words:"percent none fraction stuck back reset"` // one of the progress… below
	DateAt        int           `json:",omitempty" words:"end request start never"`                // one of the at… below
	DateOnFailure bool          `json:",omitempty"`
	DateOnCancel  bool          `json:",omitempty"`
	ClockSkew     time.Duration `json:",omitempty"`                                   // of the dates
	ErrorCleared  int           `json:",omitempty" words:"start request end never"`   // one of the cleared… below
	Counts        int           `json:",omitempty" words:"honest missing paragraphs"` // one of the counts… below
	CountLag      time.Duration `json:",omitempty"`                                   // from a conversion's end to its counts
	Grow          bool          `json:",omitempty"`                                   // the counts move during the conversion

	// How late each field is shown.
	StateLag, ProgressLag, DateLag, ErrorLag, CountsLag time.Duration `json:",omitempty"`

	WhenBusy int `json:",omitempty" words:"conflict bad-request queues ignores"` // how a request is answered while the chapter is busy; one of the busy… below
	WhenDone int `json:",omitempty" words:"converts ignores"`                    // how a request is answered if nothing is open; one of the done… below

	Twice    bool          `json:",omitempty"` // lists have the chapter twice
	TwiceLag time.Duration `json:",omitempty"` // of the second copy
	Unlisted bool          `json:",omitempty"` // no list has the chapter, only the project's record: the service pages

	Later bool `json:",omitempty"` // the project does not have the chapter before an event adds it

	Conversions []conversion `json:",omitempty"` // requested by the provider, in this order; later ones are usual
}

const (
	progressPercent = iota
	progressNone
	progressFraction
	progressStuck
	progressBack
	progressReset
)

const (
	atEnd = iota
	atRequest
	atStart
	never
)

const (
	clearedAtStart = iota
	clearedAtRequest
	clearedAtEnd
	neverCleared
)

const (
	countsHonest = iota
	countsMissing
	countsParagraphs
)

const (
	busyConflict = iota
	busyBadRequest
	busyQueues
	busyIgnores
)

const (
	doneConverts = iota
	doneIgnores
)

// conversion is how a conversion goes.
type conversion struct {
	Queued    time.Duration `json:",omitempty"`
	Takes     time.Duration `json:",omitempty"`
	ShownLate time.Duration `json:",omitempty"` // no list shows it for so long
	NeverBusy bool          `json:",omitempty"`
	Ends      int           `json:",omitempty" words:"well error cancelled"` // one of the ends… below
	Part      int           `json:",omitempty"`                              // tenths that are converted before it fails or is cancelled
	Error     errorText     `json:",omitempty"`
	RestsFor  time.Duration `json:",omitempty"` // the state is that of rest, in the middle, for so long
	Retries   errorText     `json:",omitempty"` // stands there until the middle, and then is gone: the service tries again on its own
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
	Chapter             int           `json:",omitempty" from:"1"`
	Alias               int           `json:",omitempty"` // of the provider: 0 or 1
	Keep                bool          `json:",omitempty"` // keep_up_to_date
	Timeout             time.Duration `json:",omitempty"`
	Depends             bool          `json:",omitempty"` // on the block before
	CreateBeforeDestroy bool          `json:",omitempty"`
	Action              bool          `json:",omitempty"` // converts the chapter or the book, after the block is created or updated
	From                int           `json:",omitempty"` // the round in which it is written

	Book           bool          `json:",omitempty"`          // for all chapters of the project, or for those of Chapters; Chapter and Keep mean nothing then
	Chapters       []int         `json:",omitempty" from:"1"` // chapter_ids
	ChapterTimeout time.Duration `json:",omitempty"`
	All            bool          `json:",omitempty"` // the action converts what has nothing left, too
}

// round is a run of Terraform, with the changes and events around it.
type round struct {
	Pause     time.Duration // before it
	Changes   []change      `json:",omitempty"`
	Events    []event       `json:",omitempty"`
	PlanOnly  bool          `json:",omitempty"`
	NoRefresh bool          `json:",omitempty"`
	Serial    bool          `json:",omitempty"` // -parallelism=1
	Backwards bool          `json:",omitempty"` // of independent blocks the last one begins; removed blocks are destroyed last
	OneByOne  bool          `json:",omitempty"` // an old object is destroyed right before its new one is created, as blocks that nothing connects may be
	Think     time.Duration `json:",omitempty"` // between plan and apply
	Interrupt time.Duration `json:",omitempty"` // so long after the apply began
	Kill      time.Duration `json:",omitempty"`
}

// change is a change that somebody makes to a block before a run.
type change struct {
	Block    int           `json:",omitempty" from:"1"`
	What     string        // taint, replace, triggers, keep, rename, provisioner (if it is created, it fails there); of a book: after, always, chapters
	Ago      time.Duration `json:",omitempty"`          // of after: converted_after is the time before the run by so much
	Chapters []int         `json:",omitempty" from:"1"` // of chapters: the new chapter_ids; all if there are none
}

// event is something that happens at the service.
type event struct {
	At         time.Duration `json:",omitempty"` // after the run began
	Before     int           `json:",omitempty"` // if not 0: right before this block's turn (1 is the first) in the apply
	Chapter    int           `json:",omitempty" from:"1"`
	What       string        // append, shorten, replace, convert, cancel, dismiss, types, add, delete, missing, empty, down
	Paragraphs int           `json:",omitempty"`
	For        time.Duration `json:",omitempty"` // of missing, empty and down, and of types: a paragraph every four seconds
	Project    time.Duration `json:",omitempty"` // of missing and empty: how long the project's record shows the same
	Conversion conversion    `json:",omitzero"`
}

// fault is what goes wrong with one request.
type fault struct {
	Number     int    `json:",omitempty"` // of the request; 0 is the first
	What       string // reset, eof, hang, status, unreadable, truncated, html, redirect
	Status     int    `json:",omitempty"`
	After      bool   `json:",omitempty"` // the request was processed
	RetryAfter string `json:",omitempty"` // "date 30" is a date half a minute from then
}
