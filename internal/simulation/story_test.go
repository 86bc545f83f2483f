package simulation_test

import "time"

// story is all that is drawn from a seed. Nothing else is left to chance, so that a story can be printed, played again and made
// smaller. The zero value of every field is what a mild service does.
type story struct {
	Seed     uint64
	Chapters []habits
	Blocks   []block
	Rounds   []round
	Posts    []fault         `json:",omitempty"` // of the requests for a conversion
	Gets     []fault         `json:",omitempty"` // of lists, and of the project
	Replicas []time.Duration `json:",omitempty"` // lists come from each in turn, so late
}

// habits are what the service does with a chapter.
type habits struct {
	Paragraphs int           `json:",omitempty"` // of the text in the beginning
	Converted  int           `json:",omitempty"` // of them
	Remainder  int           `json:",omitempty"` // further paragraphs that the service never converts
	OldDate    time.Duration `json:",omitempty"` // how long ago the chapter was converted; 0: never
	OldError   errorText     `json:",omitempty"`

	// The states: "" is what a mild service has, and see word.
	Queue, First, Busy, Rest, Done, Failed, Cancelled string `json:",omitempty"`

	Progress      int           `json:",omitempty"` // one of the progress… below
	DateAt        int           `json:",omitempty"` // one of the at… below
	DateOnFailure bool          `json:",omitempty"`
	DateOnCancel  bool          `json:",omitempty"`
	ClockSkew     time.Duration `json:",omitempty"` // of the dates
	ErrorCleared  int           `json:",omitempty"` // one of the cleared… below
	Counts        int           `json:",omitempty"` // one of the counts… below
	CountLag      time.Duration `json:",omitempty"` // from a conversion's end to its counts
	Grow          bool          `json:",omitempty"` // the counts move during the conversion

	// Each field is shown as it was so long ago.
	StateLag, ProgressLag, DateLag, ErrorLag, CountsLag time.Duration `json:",omitempty"`

	WhenBusy int `json:",omitempty"` // what a second request is answered; one of the busy… below
	WhenDone int `json:",omitempty"` // what a request with nothing open is answered; one of the done… below

	Conversions []conversion `json:",omitempty"` // asked for by the provider, in this order; those that follow are mild
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

// conversion is how one goes.
type conversion struct {
	Queued    time.Duration `json:",omitempty"`
	Takes     time.Duration `json:",omitempty"`
	ShownLate time.Duration `json:",omitempty"` // nothing shows of it for so long
	NeverBusy bool          `json:",omitempty"`
	Ends      int           `json:",omitempty"` // one of the ends… below
	Part      int           `json:",omitempty"` // tenths that are converted before it fails or is cancelled
	Error     errorText     `json:",omitempty"`
	RestsFor  time.Duration `json:",omitempty"` // the state rests in the middle
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
	Chapter             int           `json:",omitempty"`
	Alias               int           `json:",omitempty"` // of the provider: 0 or 1
	Keep                bool          `json:",omitempty"` // keep_up_to_date
	Timeout             time.Duration `json:",omitempty"`
	Depends             bool          `json:",omitempty"` // on the block before
	CreateBeforeDestroy bool          `json:",omitempty"`
	Action              bool          `json:",omitempty"` // converts the chapter, after the block is created or updated
	From                int           `json:",omitempty"` // the round in which it is written
}

// round is a run of Terraform, and what happens around it.
type round struct {
	Pause     time.Duration // before it
	Changes   []change      `json:",omitempty"`
	Events    []event       `json:",omitempty"`
	PlanOnly  bool          `json:",omitempty"`
	NoRefresh bool          `json:",omitempty"`
	Serial    bool          `json:",omitempty"` // -parallelism=1
	Backwards bool          `json:",omitempty"` // of independent blocks, the last begins; what was removed is destroyed last
	Think     time.Duration `json:",omitempty"` // between plan and apply
	Interrupt time.Duration `json:",omitempty"` // so long after the apply began
	Kill      time.Duration `json:",omitempty"`
}

// change is what somebody does to a block before a run.
type change struct {
	Block int    `json:",omitempty"`
	What  string // taint, replace, triggers, keep, rename, provisioner (if it is created, it fails there)
}

// event happens at the service.
type event struct {
	At         time.Duration `json:",omitempty"` // after the run began
	Before     int           `json:",omitempty"` // if not 0: right before this block's turn (1 is the first) in the apply
	Chapter    int           `json:",omitempty"`
	What       string        // append, shorten, replace, convert, cancel, dismiss, delete, missing, empty, down
	Paragraphs int           `json:",omitempty"`
	For        time.Duration `json:",omitempty"` // of missing, empty and down
	Project    time.Duration `json:",omitempty"` // of missing and empty: how long the project's record is so, too
	Conversion conversion    `json:",omitzero"`
}

// fault befalls one request.
type fault struct {
	Number     int    `json:",omitempty"` // of the request; 0 is the first
	What       string // reset, eof, hang, status, unreadable, truncated, html, redirect
	Status     int    `json:",omitempty"`
	After      bool   `json:",omitempty"` // the request was processed
	RetryAfter string `json:",omitempty"` // "date 30" is a date half a minute from then
}
