package conversion

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// ownTime is the context of a chapter that has a time of its own. It ends with that time, or with the context of the whole project. The time
// does not run while the chapter waits for room, and begins again when there is some.
type ownTime struct {
	context.Context // of the project
	limit           time.Duration
	done            chan struct{}

	mu    sync.Mutex
	timer *time.Timer
	ends  time.Time // zero while the time does not run
	over  bool
	err   error
}

func withOwnTime(project context.Context, limit time.Duration) (t *ownTime, cancel func()) {
	t = &ownTime{Context: project, limit: limit, done: make(chan struct{})}
	t.run()
	stop := context.AfterFunc(project, func() { t.end(project.Err()) })
	return t, func() {
		stop()
		t.end(context.Canceled)
	}
}

// run begins the time, or begins it again. A nil ownTime never runs.
func (t *ownTime) run() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
	t.ends = time.Now().Add(t.limit)
	t.timer = time.AfterFunc(t.limit, func() {
		t.mu.Lock()
		t.over = t.err == nil
		t.mu.Unlock()
		t.end(context.DeadlineExceeded)
	})
}

// isOver reports whether the chapter's own time has ended, and not that of the project.
func (t *ownTime) isOver() bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over
}

func (t *ownTime) pause() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer.Stop()
	t.ends = time.Time{}
}

func (t *ownTime) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer.Stop()
	if t.err == nil {
		t.err = err
		close(t.done)
	}
}

// Deadline is the earlier one of the chapter and of the project.
func (t *ownTime) Deadline() (deadline time.Time, set bool) {
	deadline, set = t.Context.Deadline()
	t.mu.Lock()
	defer t.mu.Unlock()
	runs := !t.ends.IsZero()
	if runs && (!set || t.ends.Before(deadline)) {
		return t.ends, true
	}
	return deadline, set
}

func (t *ownTime) Done() <-chan struct{} { return t.done }

// Err is that of the project at once, also before Done is closed: nothing may be requested in between.
func (t *ownTime) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return cmp.Or(t.err, t.Context.Err())
}
