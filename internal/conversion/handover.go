package conversion

import (
	"cmp"
	"slices"
)

// latestOf is the later of two conversions that resources remember; nil stands for none. Of the same one, the time that it was requested
// for, and a timeout, may be known to one resource only.
func latestOf(first, second *ResumeToken) *ResumeToken {
	switch {
	case first == nil, second != nil && second.SinceUnix > first.SinceUnix:
		return second
	case second == nil, second.SinceUnix < first.SinceUnix:
		return first
	}
	both := *first
	both.ConvertedAfter = cmp.Or(first.ConvertedAfter, second.ConvertedAfter)
	if first.Phase == PhaseAccepted && second.Phase == PhaseTimedOut {
		both.Phase = PhaseTimedOut
	}
	return &both
}

// withHandedOver returns the desired state of a new resource with what destroyed ones have handed over for its chapter.
func (e *Engine) withHandedOver(desired Desired) Desired {
	c, unlock := e.at(desired.key())
	defer unlock()
	isNew := !desired.Known && desired.Memory == (Memory{})
	if isNew {
		desired.Memory, desired.handed = c.handed, c.handed.Pending != nil
	}
	if desired.handed && desired.UpToDate { // Its plan has counted no other triggers.
		pending := *desired.Pending
		pending.Triggers, desired.Pending = desired.Triggers, &pending
	}
	return desired
}

// HandOver keeps what a resource remembers of its chapters, by chapter, for those that are created later in this process. A failure is
// not kept: no plan of a new resource counts on what another one remembers, and each of them sees what failed as unconverted text.
func (e *Engine) HandOver(projectID string, kept map[string]Memory) {
	for chapterID, k := range kept {
		if k.Pending.Failed() {
			k.Pending = nil
		}
		c, unlock := e.at(chapterKey{projectID, chapterID})
		before := c.handed // by another resource
		c.handed = Memory{
			Pending:            latestOf(before.Pending, k.Pending),
			KnownRemainder:     cmp.Or(k.KnownRemainder, before.KnownRemainder),
			SuspectedRemainder: cmp.Or(k.SuspectedRemainder, before.SuspectedRemainder),
			ConvertedFor:       cmp.Or(k.ConvertedFor, before.ConvertedFor),
		}
		c.note(resumed(c.handed.Pending))
		unlock()
	}
}

// HandedOver are the ids of the chapters of a project for which something was handed over in this process.
func (e *Engine) HandedOver(projectID string) (ids []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for key, c := range e.chapters {
		c.mu.Lock()
		if key.projectID == projectID && c.handed != (Memory{}) {
			ids = append(ids, key.chapterID)
		}
		c.mu.Unlock()
	}
	slices.Sort(ids)
	return ids
}
