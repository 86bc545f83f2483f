package mockserver

import (
	"net/http"
	"time"
)

// Entry is one request as received, and its result.
type Entry struct {
	At         time.Time
	Operation  Operation // empty: not an operation of section 4
	Method     string
	Path       string // escaped, as received
	ProjectID  string // decoded, like the other identifiers
	ChapterID  string
	SnapshotID string
	Header     http.Header
	Body       []byte
	Status     int  // 0: not answered
	Accepted   bool // the request started a conversion
}

// Journal returns the requests received so far, in the order of their arrival.
func (s *Server) Journal() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entries []Entry
	for _, entry := range s.journal {
		entries = append(entries, *entry)
	}
	return entries
}

// Count counts the requests for an operation in the journal.
func (s *Server) Count(op Operation) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := 0
	for _, entry := range s.journal {
		if entry.Operation == op {
			count++
		}
	}
	return count
}

// ResetJournal deletes the requests received so far. It does not change the counts of [Server.Conversions].
func (s *Server) ResetJournal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal = nil
}

// Watch sets a function that is called at the end of every request, answered or not.
func (s *Server) Watch(watch func(Entry)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = watch
}

func (s *Server) record(r *http.Request, c *call) *Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry := &Entry{
		At:         time.Now(),
		Operation:  c.operation,
		Method:     r.Method,
		Path:       r.URL.EscapedPath(),
		ProjectID:  c.projectID,
		ChapterID:  c.chapterID,
		SnapshotID: c.snapshotID,
		Header:     r.Header.Clone(),
		Body:       c.body,
	}
	s.journal = append(s.journal, entry)
	return entry
}

// answered records the status before the answer is sent, so that the journal has it when the client receives the
// answer.
func (s *Server) answered(entry *Entry, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry.Status = status
}

func (s *Server) finish(entry *Entry) {
	s.mu.Lock()
	done, watch := *entry, s.watch
	s.mu.Unlock()
	watch(done)
}
