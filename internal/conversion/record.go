package conversion

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// project is what the process knows of a project.
type project struct {
	lists   *poller[chapterList]
	details *poller[audioprojects.Project] // of the project itself (section 4.1)

	mu       sync.Mutex
	chapters map[string]*chapter
	followed time.Time // when this process last saw a conversion of its own under way
}

func (e *Engine) project(projectID string) *project {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.projects[projectID] == nil {
		e.projects[projectID] = &project{
			chapters: map[string]*chapter{},
			lists: newPoller(&e.clock, e.pace().AwaitsEnd, func(ctx context.Context) (chapterList, error) {
				chapters, err := e.options.Client.ListChapters(ctx, projectID)
				if err == nil {
					e.hasAnswered.Store(true)
				}
				return newChapterList(chapters), err
			}),
			details: newPoller(&e.clock, e.pace().AwaitsEnd, func(ctx context.Context) (audioprojects.Project, error) {
				return e.options.Client.GetProject(ctx, projectID)
			}),
		}
	}
	return e.projects[projectID]
}

// follow tells the project that this process follows a conversion in it now, and isFollowed reports whether it does, or did within the window.
func (p *project) follow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.followed = time.Now()
}

func (p *project) isFollowed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.followed.IsZero() && time.Since(p.followed) < Window
}

// chapterList is a list of the chapters of a project (section 4.2), in the service's order.
type chapterList struct {
	chapters []audioprojects.Chapter
	index    map[string]int // of the chapters, by id
}

func newChapterList(chapters []audioprojects.Chapter) chapterList {
	l := chapterList{chapters: chapters, index: make(map[string]int, len(chapters))}
	for i, chapter := range chapters {
		l.index[chapter.ChapterID] = i
	}
	return l
}

func (l chapterList) find(id string) (chapter audioprojects.Chapter, listed bool) {
	index, listed := l.index[id]
	if listed {
		chapter = l.chapters[index]
	}
	return chapter, listed
}

// chapter is what this process knows of a chapter.
type chapter struct {
	session chan struct{} // has one element while a session is about the chapter

	mu        sync.Mutex
	settledAt time.Time // when the latest session ended: lists from before say nothing to the next one
	// answeredAt is when the service last answered a request for its conversion, whatever that was, or the answer was
	// lost; zero if none was sent.
	answeredAt time.Time
	// open is with which error a session has ended whose request has no known end. Nobody in this process requests the
	// chapter again until that is known. Nil if there is none.
	open error
}

// chapter is the record of the chapter that a desired state is about.
func (e *Engine) chapter(d Desired) *chapter {
	p := e.project(d.ProjectID)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.chapters[d.ChapterID] == nil {
		p.chapters[d.ChapterID] = &chapter{session: make(chan struct{}, 1)}
	}
	return p.chapters[d.ChapterID]
}

// isFree reports whether no session is about the chapter.
func (c *chapter) isFree() bool { return len(c.session) == 0 }

// end notes how a session has ended.
func (c *chapter) end(at time.Time, s *session, left *ResumeToken, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settledAt = at
	isOpen := left != nil && !left.Failed()
	switch {
	case s.pending == nil || s.pending.refused():
	case !isOpen:
		c.open = nil // Also if it was joined: it was the one that had no known end.
	case s.pending.startedHere && !s.pending.Joined():
		c.open = err
	}
}

// openEnd is why nobody in this process may request the chapter again; nil if somebody may.
func (c *chapter) openEnd() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open
}

// answer tells when a request for its conversion was answered, or its answer lost.
func (c *chapter) answer(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answeredAt = at
}

// lastAnswer is when the latest request for its conversion was answered; zero if there was none.
func (c *chapter) lastAnswer() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answeredAt
}

// endedAt is when the latest session ended; zero if there was none.
func (c *chapter) endedAt() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settledAt
}

// latestOf is the later one of two times.
func latestOf(a, b time.Time) time.Time { return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare) }
