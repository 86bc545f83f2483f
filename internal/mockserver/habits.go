package mockserver

import (
	"cmp"
	"net/http"
	"strings"
	"time"
)

// Habits are the behaviour of the whole service that the document leaves open. The zero value is the simplest service:
// lists are up to date, the start of a conversion clears the error of the one before, only a success sets the
// conversion date, progress is a whole number, and unset fields are null.
type Habits struct {
	APIPath        string        // where the operations begin, in place of /v1
	StaleLists     time.Duration // projects and lists show the state of so long ago
	Replicas       int           // so many answer these requests in turn, and only the first of them is as late as StaleLists; 0: all are
	KeepsOldError  bool          // neither start nor success clears last_conversion_error
	FailureState   string        // a failure is shown by this state, and not by last_conversion_error; empty: by that
	DatesFailures  bool          // a failure sets last_conversion_date_unix as well
	NoDates        bool          // last_conversion_date_unix is never set
	Dates          DateStyle     // the form of last_conversion_date_unix
	NoStatistics   bool          // chapters have no statistics
	LeavesLast     bool          // a conversion leaves the last paragraph unconverted
	Progress       ProgressStyle // the form of conversion_progress
	QuietState     bool          // the state of a chapter stays default while it converts
	OmitsUnset     bool          // unset fields are absent instead of null
	SkipsQueue     bool          // no chapter is ever in_queue
	BusyStatus     int           // the status that refuses a convert request for a converting chapter; 0: 409
	ScopeStatus    int           // the status that refuses a key whose scope lacks the operation; 0: 403
	QuotaStatus    int           // the status that refuses what exceeds the key's quota; 0: 402
	AtATime        int           // so many conversions run at a time, and a request for one more gets 429 without Retry-After; 0: any number
	AtATimeCode    string        // the code of that refusal; empty: too_many_concurrent_requests, "none": no code
	CancelsOrphans bool          // a conversion is cancelled if its client does not wait for the answer
	OrphansLast    time.Duration // so long after the client has gone
	QueuesMore     bool          // such a request is accepted instead, and converts the chapter once more afterwards
	Overlap        bool          // lists end with their first chapter once more, as if pages overlapped
	PageSize       int           // lists end after so many elements, and say "has_more": true; 0: they have all. The project's record has all
	OverlapLag     time.Duration // that copy shows the state of so long before

	NewestFirst      bool          // lists of snapshots begin with the newest
	UndatedSnapshots bool          // snapshots have no created_at_unix
	SnapshotDelay    time.Duration // a snapshot is made so long after the end of its conversion
	WholeProjectOnly bool          // no conversion of a chapter makes a project snapshot; see [Server.AddProjectSnapshot]
}

// LikeVendor are the habits of one large service: chapters never queue, progress is a fraction of one, nothing is
// null, a key without the scope and an exhausted quota are refused with 401, and a convert request that makes no
// sense with 500.
func LikeVendor() Habits {
	return Habits{
		SkipsQueue: true, Progress: OfOne, OmitsUnset: true,
		ScopeStatus: http.StatusUnauthorized, QuotaStatus: http.StatusUnauthorized, BusyStatus: http.StatusInternalServerError,
	}
}

// atCapacity is the answer to a request for one conversion more than run at a time.
func (h Habits) atCapacity() answer {
	const message = "No more conversions run at the same time."
	if h.AtATimeCode == "none" {
		return errorAnswer(http.StatusTooManyRequests, message)
	}
	return errorAnswer(http.StatusTooManyRequests, errorDetail{cmp.Or(h.AtATimeCode, "too_many_concurrent_requests"), message})
}

// ProgressStyle is the form of conversion_progress while a chapter converts.
type ProgressStyle int

// The document calls the field an integer and gives no range.
const (
	Whole      ProgressStyle = iota // 0 to 100
	Fractional                      // 0 to 100 with one decimal, such as 37.5
	OfOne                           // 0 to 1, such as 0.375
	None                            // no progress
)

// DateStyle is the form of last_conversion_date_unix, which is a number in the document.
type DateStyle int

// Some services write a time as a text.
const (
	Seconds     DateStyle = iota // 1795739473
	SecondsText                  // "1795739473"
	ISOText                      // "2026-11-26T08:31:13Z"
)

// apiPath is where the operations begin.
func (s *Server) apiPath() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimSuffix(cmp.Or(s.habits.APIPath, "/v1"), "/")
}

// shown is the time whose state the next answer shows.
func (s *Server) shown(now time.Time) time.Time {
	s.looks++
	replicas := s.habits.Replicas
	if replicas > 0 && s.looks%replicas != 1%replicas {
		return now
	}
	return now.Add(-s.habits.StaleLists)
}

// SetHabits changes the habits. They also change what is shown of earlier conversions.
func (s *Server) SetHabits(habits Habits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.habits = habits
}
