package mockserver

import (
	"cmp"
	"math"
	"net/http"
	"time"
)

// Conversion is the course of one conversion. Section 3.2 gives only the state default; the others are states of a
// project in section 3.1. If all three durations are 0, it ends at once.
//
//	default ──Lag──▶ in_queue ──Queued──▶ converting ──Takes──▶ default
type Conversion struct {
	Lag    time.Duration // how long lists do not show it, although it was accepted
	Queued time.Duration // how long the state is in_queue
	Takes  time.Duration // how long the state is converting, with progress
	Fails  string        // if set: it converts nothing, and this is its last_conversion_error
}

// The states of chapters, and of projects whose chapters are in them.
const (
	stateDefault    = "default"
	stateInQueue    = "in_queue"
	stateConverting = "converting"
)

// run is an accepted conversion.
type run struct {
	Conversion
	serial  int       // its number among the runs of the whole service
	visible time.Time // when lists begin to show it
	text    []string  // the paragraphs that it converts: the text at the time of the request

	cancelled time.Time // it ended then, and has converted nothing; zero: it was not
}

func (r run) starts() time.Time { return r.visible.Add(r.Queued) }

func (r run) ends() time.Time {
	if !r.cancelled.IsZero() {
		return r.cancelled
	}
	return r.starts().Add(r.Takes)
}

func (r run) succeededBy(at time.Time) bool {
	return r.Fails == "" && r.cancelled.IsZero() && !at.Before(r.ends())
}

func (r run) progress(at time.Time, style ProgressStyle) *float64 {
	part := float64(at.Sub(r.starts())) / float64(r.Takes)
	switch style {
	case Whole:
		return new(math.Floor(100 * part))
	case Fractional:
		return new(math.Floor(1000*part) / 10)
	case OfOne:
		return new(math.Floor(1000*part) / 1000)
	default:
		return nil
	}
}

// conversionStatus is what a chapter shows of its conversions at one time.
type conversionStatus struct {
	state     string
	progress  *float64
	date      int64 // of the last conversion, in seconds since 1970; 0: none
	error     string
	converted []string // the paragraphs that have audio
	hasAudio  bool     // there is audio, even if all of the text was edited later
}

func (st conversionStatus) busy() bool {
	return st.state == stateInQueue || st.state == stateConverting
}

// apply changes the status as the run has changed it at a given time.
func (st *conversionStatus) apply(r run, at time.Time, habits Habits) {
	if at.Before(r.visible) {
		return
	}
	if !habits.KeepsOldError {
		st.error = ""
	}
	st.progress = nil
	switch {
	case !r.cancelled.IsZero() && !at.Before(r.cancelled):
		st.state = stateDefault
		return
	case at.Before(r.starts()):
		st.state = stateInQueue
		return
	case at.Before(r.ends()):
		st.state = stateConverting
		st.progress = r.progress(at, habits.Progress)
		return
	}
	st.state = stateDefault
	switch {
	case r.Fails != "" && habits.FailureState != "":
		st.state = habits.FailureState
	case r.Fails != "":
		st.error = r.Fails
	default:
		st.converted, st.hasAudio = r.text, true
		if habits.LeavesLast {
			st.converted = r.text[:max(0, len(r.text)-1)]
		}
		switch habits.Progress {
		case None:
		case OfOne:
			st.progress = new(1.0)
		default:
			st.progress = new(100.0)
		}
	}
	if r.Fails == "" || habits.DatesFailures {
		// One second more, so that two conversions within a second have different dates.
		st.date = max(r.ends().Unix(), st.date+1)
	}
}

// convertChapter is section 4.4. The document describes no body, so every body is accepted, and it allows any answer.
func (s *Server) convertChapter(c *call, now time.Time) answer {
	chapter, refusal := s.findChapter(c.projectID, c.chapterID, now)
	if refusal != nil {
		return *refusal
	}
	if chapter.status(now, s.habits).busy() && !s.habits.QueuesMore {
		return errorAnswer(cmp.Or(s.habits.BusyStatus, http.StatusConflict), errorDetail{"already_converting", "The chapter is already converting."})
	}
	if s.habits.AtATime > 0 && s.running(now) >= s.habits.AtATime {
		return s.habits.atCapacity()
	}
	refusal = c.key.spend(chapter.cost(now, s.habits), s.habits)
	if refusal != nil {
		return *refusal
	}
	s.start(chapter, now)
	s.paid[chapterKey{c.projectID, c.chapterID}]++
	c.entry.Accepted = true
	return okAnswer(map[string]string{"status": "ok"}, s.habits)
}

// running is how many conversions are under way.
func (s *Server) running(now time.Time) (count int) {
	for _, project := range s.projects {
		for _, chapter := range project.chapters {
			if len(chapter.runs) > 0 && chapter.runs[len(chapter.runs)-1].ends().After(now) {
				count++
			}
		}
	}
	return count
}

// nextConversion is the course of the next conversion.
func (ch *chapter) nextConversion() Conversion {
	if len(ch.Conversions) == 0 {
		return Conversion{}
	}
	return ch.Conversions[0]
}

// start takes the next of the chapter's Conversions into its history. If an earlier one has not ended, the new one
// begins after it.
func (s *Server) start(ch *chapter, now time.Time) {
	conversion := ch.nextConversion()
	if len(ch.Conversions) > 1 {
		ch.Conversions = ch.Conversions[1:]
	}
	if s.habits.SkipsQueue {
		conversion.Queued = 0
	}
	visible := now.Add(conversion.Lag)
	if len(ch.runs) > 0 {
		end := ch.runs[len(ch.runs)-1].ends()
		if end.After(visible) {
			visible = end
		}
	}
	s.serial++
	ch.runs = append(ch.runs, run{Conversion: conversion, serial: s.serial, visible: visible, text: ch.text(now)})
}

// clientDisconnected is told that a client has gone before its answer.
func (s *Server) clientDisconnected(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if !s.habits.CancelsOrphans || c.operation != ConvertChapter {
		return
	}
	chapter, refusal := s.findChapter(c.projectID, c.chapterID, now)
	if refusal == nil && chapter.status(now, s.habits).busy() {
		chapter.runs[len(chapter.runs)-1].cancelled = now.Add(s.habits.OrphansLast)
	}
}

// Convert starts a conversion without a request, as if somebody clicked on the service's web page. It does nothing if
// the chapter is already converting.
func (s *Server) Convert(projectID, chapterID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	chapter := s.mustFindChapter(projectID, chapterID)
	if !chapter.status(now, s.habits).busy() {
		s.start(chapter, now)
	}
}

// Conversions counts the requests to convert a chapter that the service accepted. So often the chapter was paid for.
func (s *Server) Conversions(projectID, chapterID string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paid[chapterKey{projectID, chapterID}]
}
