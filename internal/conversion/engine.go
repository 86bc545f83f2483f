// Package conversion converts chapters and waits for them, and never asks for the same
// conversion twice: it joins what is under way, watches instead of repeating a request
// whose answer was lost, and takes up what an earlier process left behind.
package conversion

import (
	"context"
	"errors"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const (
	// refreshAge is how old a list may be that a refresh or a plan goes by, errors included.
	refreshAge = 10 * time.Second
	// baselineAge is how old a list may be that a conversion is decided on.
	baselineAge = time.Second
	// evidenceWindow is how long after a request for a conversion a chapter may still look
	// untouched: the service may start late, and its lists may lag behind.
	evidenceWindow = 30 * time.Second
	// outage is how long a service may be down before a conversion that is not requested yet
	// is given up. One that is requested is waited for as long as its sender likes.
	outage = time.Minute
	// longestRefusal is how long a service may answer 429 to the request for one conversion.
	// It may mean by it that there are no credits left.
	longestRefusal = 10 * time.Minute
)

// Engine is what all conversions of one process share. It is safe for concurrent use.
type Engine struct {
	client  *audioprojects.Client
	reached atomic.Bool // the service has listed chapters

	mu       sync.Mutex
	feeds    map[string]*feed
	posted   map[chapterKey]time.Time
	running  map[chapterKey]*run
	handover map[chapterKey]Ticket
}

type chapterKey struct{ projectID, chapterID string }

// NewEngine returns an engine that works through the given client.
func NewEngine(client *audioprojects.Client) *Engine {
	return &Engine{
		client:   client,
		feeds:    map[string]*feed{},
		posted:   map[chapterKey]time.Time{},
		running:  map[chapterKey]*run{},
		handover: map[chapterKey]Ticket{},
	}
}

// Request is the wish that a chapter be converted.
type Request struct {
	ProjectID, ChapterID string
	// Resume is what is left of an earlier conversion; nil when nothing is.
	Resume *Ticket
	// Again wants another conversion even if the one to resume has ended well.
	Again bool
	// UnlessUpToDate is content with a chapter that has nothing left to convert.
	UnlessUpToDate bool
	// Progress is told of every look at the chapter, and when a conversion has been requested
	// or joined. It must not block. May be nil.
	Progress func(Progress)
}

// Outcome is what has become of a request, whether or not it ended in an error.
type Outcome struct {
	// Chapter is the chapter as last seen; without an id if it was not seen at all.
	Chapter audioprojects.Chapter
	// Ticket is what remains to be resumed; nil when the wish is fulfilled or nothing was begun.
	Ticket *Ticket
	// Started: a conversion was asked for in this run.
	Started bool
	// Joined: a conversion that was under way was waited for.
	Joined bool
	// Leftover is how much text the conversion has left unconverted, as [Ticket.Leftover] tells it.
	Leftover int64
	// Superseded is what the service said of the conversion to resume, if that had failed
	// and so another was wanted.
	Superseded string
	// Doubt says why a success is not quite certain; empty when it is.
	Doubt string
	// Waited is how long the run took.
	Waited time.Duration
	// Problem is why the latest look failed; nil when it did not.
	Problem error
	// Postponed is why the request for a conversion could not be made yet; nil when it could,
	// or was not tried.
	Postponed error
}

// Chapter returns a chapter from a list at most 10 s old, and from after this process's
// last request to convert it. A failed list is remembered as long.
func (e *Engine) Chapter(ctx context.Context, projectID, chapterID string) (audioprojects.Chapter, error) {
	key := chapterKey{projectID, chapterID}
	found, err := e.lookUp(ctx, key, refreshAge)
	if err != nil {
		return audioprojects.Chapter{}, err
	}
	return found.chapter(key)
}

// Chapters returns all chapters of a project, in the service's order, from a list at most
// 10 s old.
func (e *Engine) Chapters(ctx context.Context, projectID string) ([]audioprojects.Chapter, error) {
	found, err := e.feed(projectID).look(ctx, time.Now().Add(-refreshAge))
	if err != nil {
		return nil, err
	}
	return found.chapters, found.err
}

// lookUp returns a look at the key's project. The error is the context's.
func (e *Engine) lookUp(ctx context.Context, key chapterKey, age time.Duration) (*look, error) {
	notBefore := time.Now().Add(-age)
	e.mu.Lock()
	if posted := e.posted[key]; !posted.Before(notBefore) {
		// A list requested in the same instant may have been made up before.
		notBefore = posted.Add(1)
	}
	e.mu.Unlock()

	return e.feed(key.projectID).look(ctx, notBefore)
}

func (e *Engine) feed(projectID string) *feed {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.feeds[projectID] == nil {
		e.feeds[projectID] = newFeed(func(ctx context.Context, leaving func()) ([]audioprojects.Chapter, error) {
			ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GetConn: func(string) { leaving() }})
			chapters, err := e.client.ListChapters(ctx, projectID)
			if err == nil {
				e.reached.Store(true)
			}
			return chapters, err
		})
	}
	return e.feeds[projectID]
}

// HandOver leaves a ticket to whoever next asks this process to convert the chapter:
// to the creation that follows when Terraform replaces an object.
func (e *Engine) HandOver(projectID, chapterID string, ticket Ticket) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.handover[chapterKey{projectID, chapterID}] = ticket
}

// HandedOver returns the ticket that the next conversion of the chapter will take up, nil if there is none.
func (e *Engine) HandedOver(projectID, chapterID string) *Ticket {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ticket, left := e.handover[chapterKey{projectID, chapterID}]; left {
		return &ticket
	}
	return nil
}

// Convert fulfils a request: it starts, joins or resumes a conversion and waits until the
// chapter has left the converting state. An error is one of
//   - [*FailedError]: the conversion failed;
//   - [*UnconfirmedError]: the answer was lost and nothing shows a conversion;
//   - [*MissingChapterError];
//   - the context's error: interrupted or out of time;
//   - an [*audioprojects.Error]: the service could not be asked, or declined.
//
// Whatever the error, a ticket in the outcome must be kept and given to the next request.
func (e *Engine) Convert(ctx context.Context, request Request) (Outcome, error) {
	key := chapterKey{request.ProjectID, request.ChapterID}
	for {
		mine, other := e.enter(key, request)
		if mine != nil {
			defer e.leave(mine)
			err := mine.convert(ctx)
			mine.outcome.Waited = time.Since(mine.began)
			mine.err = err
			return mine.outcome, err
		}
		other.follow(ctx, request.Progress)
		select {
		case <-other.ended:
		case <-ctx.Done():
			return Outcome{Ticket: request.Resume}, ctx.Err()
		}
		outcome := other.outcome
		outcome.Joined, outcome.Started = true, false
		var failure *FailedError
		switch {
		case errors.As(other.err, &failure):
			return outcome, &FailedError{Words: failure.Words, Joined: true}
		case other.err == nil && !textLeft(outcome.Chapter):
			return outcome, nil
		case outcome.Ticket != nil:
			request.Resume = outcome.Ticket
		}
	}
}

// Await waits for the conversion to resume and requests nothing, whatever becomes of it. The
// ticket in the outcome is what [Engine.Convert] is to be given then; the errors are the
// context's and those of the service.
func (e *Engine) Await(ctx context.Context, request Request) (Outcome, error) {
	r := newRun(e, chapterKey{request.ProjectID, request.ChapterID}, request)
	err := r.await(ctx, *request.Resume)
	r.outcome.Waited = time.Since(r.began)
	return r.outcome, err
}

// enter makes the caller the only one who converts this chapter, or returns who is.
func (e *Engine) enter(key chapterKey, request Request) (mine, other *run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if other := e.running[key]; other != nil {
		return nil, other
	}
	if ticket, left := e.handover[key]; left && request.Resume == nil {
		request.Resume = &ticket
	}
	delete(e.handover, key)
	mine = newRun(e, key, request)
	e.running[key] = mine
	return mine, nil
}

func (e *Engine) leave(finished *run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.running, finished.key)
	close(finished.ended)
}

func (e *Engine) notePost(key chapterKey) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.posted[key] = time.Now()
	return e.posted[key]
}

func (e *Engine) lastPost(key chapterKey) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.posted[key]
}
