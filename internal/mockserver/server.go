// Package mockserver is a stateful, scriptable stand-in for the service that
// spec/audio-projects-service.md describes. It is written from that document
// alone and shares nothing with the client it is there to test.
//
// A test fills a [Server] with projects, says how their conversions go
// ([Conversion]), which of the habits the document leaves open the service has
// ([Habits]), how many requests it takes ([Allowance]) and which of them go
// wrong ([Fault]), and reads afterwards what was asked for ([Server.Journal])
// and what was paid for ([Server.Conversions]).
//
// No goroutine drives it: what a chapter looks like is computed from its
// history for the moment of the request. Inside a testing/synctest bubble,
// reached through [Server.Network], all of its time is fake.
//
// A method that is given a project or chapter that does not exist panics: the
// test itself is wrong then.
package mockserver

import (
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Server is the mock service; it is an [http.Handler] and safe for concurrent
// use.
type Server struct {
	mu       sync.Mutex
	keys     map[string]*Key
	habits   Habits
	projects []*project
	faults   []*Fault
	limiter  *rate.Limiter // nil: any number of requests
	journal  []*Entry
	paid     map[chapterPath]int
	serial   int
	watch    func(Entry)
}

// New returns a service without projects. It accepts the key [Secret].
func New() *Server {
	s := &Server{
		keys:  map[string]*Key{},
		paid:  map[chapterPath]int{},
		watch: func(Entry) {},
	}
	s.AddKey(Key{Secret: Secret})
	return s
}

// ServeHTTP answers one request, or spoils the answer if a [Fault] is due.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Read whole at once, because net/http notices that a client has left only
	// when nothing of its request is left unread.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	call := newCall(r, body)
	call.entry = s.record(r, call)
	defer s.finish(call.entry)
	if refusal := s.tooMany(); refusal != nil {
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
		panic(http.ErrAbortHandler)
	}
	switch {
	case fault.Reset, fault.EOF:
		cut(w, fault.Reset)
		return
	case fault.replacesAnswer():
		reply = fault.answer()
	case !fault.Process:
		reply = s.perform(call)
	}
	s.answered(call.entry, reply.status)
	reply.send(r.Context(), w, fault)
}

// perform carries a request out. Its effect is complete when it returns, so
// that a [Fault] can spoil the answer afterwards.
func (s *Server) perform(c *call) answer {
	if c.refusal != nil {
		return *c.refusal
	}
	s.mu.Lock()
	defer s.mu.Unlock()

	key, refusal := s.admit(c)
	if refusal != nil {
		return *refusal
	}
	now := time.Now()
	switch c.operation {
	case ListProjects:
		return s.listProjects(now)
	case GetProject:
		return s.getProject(c, now)
	case ListChapters:
		return s.listChapters(c, now)
	case ListChapterSnapshots:
		return s.listChapterSnapshots(c, now)
	case ConvertChapter:
		return s.convertChapter(c, key, now)
	case ListProjectSnapshots:
		return s.listProjectSnapshots(c, now)
	default:
		return s.streamSnapshot(c, now)
	}
}
