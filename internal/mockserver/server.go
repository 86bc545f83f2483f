// Package mockserver is a mock of the service that the document "Audio Projects Service Interface Specification"
// describes. It has state, and tests script its behaviour. It is written from that document alone and shares no code
// with the client that it tests.
//
// A test adds projects to a [Server] and chooses
//   - the course of each conversion ([Conversion]),
//   - the behaviour that the document leaves open ([Habits]),
//   - how many requests a second are answered ([Allowance]),
//   - which requests go wrong, and how ([Fault]).
//
// Afterwards it reads which requests came ([Server.Journal]) and which conversions were paid for
// ([Server.Conversions]).
//
// The server has no goroutine of its own. For every request it computes the state of a chapter from the chapter's
// history and the time. So in a testing/synctest bubble, through [Server.Network], a conversion of an hour takes no
// real time.
//
// A method panics if its project or chapter does not exist, because then the test is wrong.
package mockserver

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Server is the mock service. It is an [http.Handler], and safe for concurrent use.
type Server struct {
	mu       sync.Mutex
	keys     map[string]*Key
	habits   Habits
	projects []*project
	faults   []*Fault
	refusals []*Fault      // of the faults, those of a person who plays
	limiter  *rate.Limiter // nil: no limit
	journal  []*Entry
	paid     map[chapterKey]int
	odd      map[chapterKey]map[string]json.RawMessage // see SetField
	serial   int
	looks    int // answers of which Habits.Replicas decides whose they are
	watch    func(Entry)
}

// New returns a service without projects. It accepts the key [Secret].
func New() *Server {
	s := &Server{
		keys:  map[string]*Key{},
		paid:  map[chapterKey]int{},
		odd:   map[chapterKey]map[string]json.RawMessage{},
		watch: func(Entry) {},
	}
	s.AddKey(Key{Secret: Secret})
	return s
}

// ServeHTTP answers one request, with the [Fault] that hits it, if any.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The whole body is read first, because net/http notices that a client has disconnected only after that.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	call := newCall(r, body, s.apiPath())
	call.entry = s.record(r, call)
	defer s.finish(call.entry)
	refusal := s.overAllowance()
	if refusal != nil {
		s.answered(call.entry, refusal.status)
		refusal.send(r.Context(), w, Fault{})
		return
	}

	fault := s.dueFault(call)
	var reply answer
	if fault.Process {
		reply = s.perform(call)
	}
	if !pause(r.Context(), fault.Hang) {
		s.clientDisconnected(call)
		panic(http.ErrAbortHandler)
	}
	switch {
	case fault.Reset, fault.EOF:
		closeConnection(w, fault.Reset)
		return
	case fault.replacesAnswer():
		reply = fault.answer()
	case !fault.Process:
		reply = s.perform(call)
	}
	s.answered(call.entry, reply.status)
	reply.send(r.Context(), w, fault)
}

// perform carries a request out and returns the answer, which a [Fault] may then replace or cut.
func (s *Server) perform(c *call) answer {
	if c.refusal != nil {
		return *c.refusal
	}
	s.mu.Lock()
	defer s.mu.Unlock()

	refusal := s.admit(c)
	if refusal != nil {
		return *refusal
	}
	return c.perform(s, c, time.Now())
}
