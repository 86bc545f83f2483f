package conversion

import (
	"cmp"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// chapter is what a process knows of a chapter, beside its lists. Engine.mu protects it.
type chapter struct {
	requesting chan struct{} // has an element while this process requests the conversion of the chapter
	// latest is the conversion that was last requested, joined, taken up or handed over in this process, with what looks have shown; nil
	// if there is none.
	latest *pursuit
	looks  []observation // of the session that looked at it last
	handed Memory        // for the next demand, without what is pending; that is of another block, or of an object that replaces another
	// formerly are the pending conversions that were handed over, by their triggers. Terraform may destroy several objects
	// before it creates any, and nothing else tells whose each was.
	formerly map[string]*pursuit
}

// at locks the engine, and returns what is known of a chapter.
func (e *Engine) at(key chapterKey) (known *chapter, unlock func()) {
	e.mu.Lock()
	if e.chapters[key] == nil {
		e.chapters[key] = &chapter{requesting: make(chan struct{}, 1), formerly: map[string]*pursuit{}}
	}
	return e.chapters[key], e.mu.Unlock
}

// withHandedOver returns a demand with what the object that its own replaces has handed over for it. An object that is known replaces none.
func (e *Engine) withHandedOver(demand Demand) Demand {
	c, unlock := e.at(demand.key())
	defer unlock()
	if own := demand.Pending; !demand.Known && demand.Memory == (Memory{Pending: own}) {
		former := cmp.Or(c.formerly[demand.Triggers], c.formerly[otherTriggers])
		demand.Memory, demand.handed = c.handed, demand.handed || own == nil && former != nil
		demand.Pending = cmp.Or(own, former.saved())
	}
	return demand
}

// adopt makes the chapter's latest conversion in this process the pending one, with what looks have shown, if it was requested later, or if
// another session has looked at the same one. A later one that another session has joined may be our own, and is not taken. So the blocks for
// a chapter have one conversion, and one end.
func (s *session) adopt() bool {
	c, unlock := s.engine.at(s.demand.key())
	defer unlock()
	mine, latest := s.pending, c.latest
	switch {
	case s.mode != converts, latest == nil, latest.Failed() && !latest.live, // A failure of an earlier apply is only its own block's.
		mine == nil && s.demand.Known && latest.since.IsZero() && latest.finished(s.demand.Date), // What is open after its end is demanded.
		latest.refused() && (s.decided.Step != Request || latest.since.Before(s.began) && !audioprojects.MayMeanBusy(latest.answer)):
		return false // Who asks for nothing is not refused anything, and who comes later asks again.
	}
	newer := latest.isAfter(mine) && (mine == nil || !latest.Joined() || latest.refused())
	if !newer && (latest.SinceUnix != mine.SinceUnix || len(s.seen) > 0 || len(c.looks) == 0) {
		return false
	}
	s.seen = slices.Clone(c.looks)
	for i := range s.seen {
		s.seen[i].pending = s.demand.taking(*s.seen[i].pending, s.began)
		s.outcome.Chapter = s.seen[i].chapter
	}
	s.pending = s.demand.taking(*c.latest, s.began)
	s.outcome.WaitedFor, s.outcome.Postponed, s.postponedSince = true, nil, time.Time{}
	if !s.after.IsZero() && c.latest.since.After(s.after) {
		s.after = c.latest.since // A list from before the request shows nothing of it.
	}
	return true
}

// adoptLast adopts once more, at the end of the time: what another session is asking for at this moment usually ends for the same reason,
// such as Ctrl-C, and without it the next apply would pay again.
func (s *session) adoptLast() {
	c, unlock := s.engine.at(s.demand.key())
	unlock()
	select {
	case c.requesting <- struct{}{}:
		<-c.requesting
	case <-time.After(50 * time.Millisecond):
	}
	s.adopt()
}

// share lets other sessions adopt what this one follows.
func (s *session) share() {
	c, unlock := s.engine.at(s.demand.key())
	defer unlock()
	mine := s.pending
	if s.mode != foresees && mine != nil && (c.latest == nil || !c.latest.isAfter(mine)) {
		c.latest, c.looks = mine, s.seen
	}
}

// HandOver keeps what an object remembers of its chapters, by chapter, for the next demands for them in this process. When Terraform
// replaces an object, for example, Delete hands over to Create.
func (e *Engine) HandOver(projectID string, kept map[string]Memory) {
	for chapterID, k := range kept {
		c, unlock := e.at(chapterKey{projectID, chapterID})
		if k.Pending != nil {
			pending := pursuit{Ticket: *k.Pending, early: true, handed: true}
			former := c.formerly[pending.Triggers]
			if former == nil || pending.SinceUnix > former.SinceUnix && !pending.Joined() || former.ConvertedAfter == nil &&
				(pending.ConvertedAfter != nil || pending.Phase == PhaseTimedOut && pending.SinceUnix == former.SinceUnix) { // It knows more.
				c.formerly[pending.Triggers] = &pending
			}
			if pending.Triggers != "" {
				c.formerly[otherTriggers] = &pending
			}
			c.latest = cmp.Or(c.latest, &pending)
		}
		before := c.handed // by another object
		if k.ConvertedFor == nil || value(before.ConvertedFor) > *k.ConvertedFor {
			k.ConvertedFor = before.ConvertedFor
		}
		k.KnownRemainder, k.SuspectedRemainder = cmp.Or(k.KnownRemainder, before.KnownRemainder), cmp.Or(k.SuspectedRemainder, before.SuspectedRemainder)
		k.Pending = nil
		c.handed = k
		unlock()
	}
}

// HandedOver are the ids of the chapters of a project for which something was handed over in this process.
func (e *Engine) HandedOver(projectID string) (ids []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for key, c := range e.chapters {
		if key.projectID == projectID && (len(c.formerly) > 0 || c.handed != Memory{}) {
			ids = append(ids, key.chapterID)
		}
	}
	slices.Sort(ids)
	return ids
}
