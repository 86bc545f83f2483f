package mockserver

import "time"

// Habits are what the document leaves open about how the whole service
// behaves. The zero value is the plainest service: lists are fresh, an error
// is cleared when the next conversion starts, the conversion date moves on
// success only, progress is whole, and unset fields are null.
type Habits struct {
	StaleLists    time.Duration // projects and chapter lists show what was so long ago
	KeepsOldError bool          // neither start nor success clears last_conversion_error
	DatesFailures bool          // last_conversion_date_unix moves on failure, too
	NoDates       bool          // there is never a last_conversion_date_unix
	NoStatistics  bool          // chapters have no statistics
	LeavesLast    bool          // a conversion leaves the last paragraph unconverted
	Progress      ProgressStyle // form of conversion_progress
	OmitsUnset    bool          // unset fields are absent instead of null
	BusyStatus    int           // refuses to convert what is converting; 0: 409
	QueuesMore    bool          // takes a request to convert what is converting, and converts it again after that
}

// ProgressStyle is the form of conversion_progress while a chapter converts.
type ProgressStyle int

// The document calls the field an integer and gives no range.
const (
	Whole      ProgressStyle = iota // 0 to 100
	Fractional                      // 0 to 100 with one decimal, such as 37.5
	None                            // no progress
)

// SetHabits changes the habits. They apply to what happened before as well.
func (s *Server) SetHabits(habits Habits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.habits = habits
}
