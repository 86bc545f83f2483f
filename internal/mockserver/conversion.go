package mockserver

import (
	"math"
	"net/http"
	"time"
)

// Conversion is how one conversion goes. Section 3.2 gives no states but
// default; the others are those of a project in section 3.1. With all three
// durations 0 it ends at once.
//
//	default ──Lag──▶ in_queue ──Queued──▶ converting ──Takes──▶ default
type Conversion struct {
	Lag    time.Duration // accepted, but lists still show what was there before
	Queued time.Duration // in_queue
	Takes  time.Duration // converting, with progress
	Fails  string        // if set: the last_conversion_error it ends with, and nothing is converted
}

// The states of chapters, and those a project has because of them.
const (
	stateDefault    = "default"
	stateInQueue    = "in_queue"
	stateConverting = "converting"
)

// run is a conversion that was accepted.
type run struct {
	Conversion
	serial  int       // counts the runs of the whole service
	visible time.Time // when lists begin to show it
	text    []string  // the paragraphs it converts: those at its request
}

func (r run) starts() time.Time { return r.visible.Add(r.Queued) }
func (r run) ends() time.Time   { return r.starts().Add(r.Takes) }

func (r run) succeededBy(at time.Time) bool {
	return r.Fails == "" && !at.Before(r.ends())
}

func (r run) progress(at time.Time, style ProgressStyle) *float64 {
	percent := 100 * float64(at.Sub(r.starts())) / float64(r.Takes)
	switch style {
	case Whole:
		return new(math.Floor(percent))
	case Fractional:
		return new(math.Floor(10*percent) / 10)
	default:
		return nil
	}
}

// standing is a chapter's conversion at one moment.
type standing struct {
	state      string
	progress   *float64
	date       int64 // Unix time of the last conversion; 0: none
	error      string
	converted  []string // the paragraphs there is audio for
	everFilled bool     // there is audio, even if all of its text has changed
}

func (st standing) busy() bool { return st.state != stateDefault }

// follow brings the standing on to where the run has brought it at a moment.
func (st *standing) follow(r run, at time.Time, habits Habits) {
	if at.Before(r.visible) {
		return
	}
	if !habits.KeepsOldError {
		st.error = ""
	}
	st.progress = nil
	switch {
	case at.Before(r.starts()):
		st.state = stateInQueue
		return
	case at.Before(r.ends()):
		st.state = stateConverting
		st.progress = r.progress(at, habits.Progress)
		return
	}
	st.state = stateDefault
	if r.Fails == "" {
		st.converted, st.everFilled = r.text, true
		if habits.LeavesLast {
			st.converted = r.text[:max(0, len(r.text)-1)]
		}
		if habits.Progress != None {
			st.progress = new(100.0)
		}
	} else {
		st.error = r.Fails
	}
	if r.Fails == "" || habits.DatesFailures {
		// Whole seconds would hide the second of two quick conversions.
		st.date = max(r.ends().Unix(), st.date+1)
	}
}

// convertChapter is section 4.4. The request's body is not shown, so any is
// taken; the answer's type is any.
func (s *Server) convertChapter(c *call, key *Key, now time.Time) answer {
	chapter, refusal := s.findChapter(c.projectID, c.chapterID, now)
	if refusal != nil {
		return *refusal
	}
	if chapter.standing(now, s.habits).busy() && !s.habits.QueuesMore {
		status := http.StatusConflict
		if s.habits.BusyStatus != 0 {
			status = s.habits.BusyStatus
		}
		return refuse(status, problem{"already_converting", "The chapter is already converting."})
	}
	if refusal := key.spend(chapter.cost(now, s.habits)); refusal != nil {
		return *refusal
	}
	s.start(chapter, now)
	s.paid[chapterPath{c.projectID, c.chapterID}]++
	c.entry.Accepted = true
	return ok(map[string]string{"status": "ok"}, s.habits)
}

// start adds the chapter's next scripted conversion to its history. One that
// is requested while another is not yet visible waits for that one's end.
func (s *Server) start(ch *chapter, now time.Time) {
	var conversion Conversion
	if script := ch.Conversions; len(script) > 0 {
		conversion = script[min(len(ch.runs), len(script)-1)]
	}
	visible := now.Add(conversion.Lag)
	if len(ch.runs) > 0 {
		if end := ch.runs[len(ch.runs)-1].ends(); end.After(visible) {
			visible = end
		}
	}
	s.serial++
	ch.runs = append(ch.runs, run{conversion, s.serial, visible, ch.text(now)})
}

// Convert starts a conversion that no request of the journal asked for, as
// somebody does on the service's web page. A chapter that is already
// converting is left alone.
func (s *Server) Convert(projectID, chapterID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	chapter := s.mustFindChapter(projectID, chapterID)
	if !chapter.standing(now, s.habits).busy() {
		s.start(chapter, now)
	}
}

// Conversions counts the conversions of a chapter that were accepted by
// request, which is how often it has been paid for.
func (s *Server) Conversions(projectID, chapterID string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paid[chapterPath{projectID, chapterID}]
}
