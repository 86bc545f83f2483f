package conversion

import (
	"cmp"
	"slices"
	"time"
)

// chapter is what a process knows of a chapter, beside its lists. Engine.mu protects it.
type chapter struct {
	running   *session  // which converts it; nil if none does
	requested time.Time // when this process last asked for its conversion
	ended     *ended    // its last conversion that ended in this process; nil if there is none
	handed    Memory    // for the next demand; that is of another block, or of an object that replaces another
	// formerly are the pending conversions that were handed over: Terraform destroys all objects that it replaces before it creates
	// any, and several may have this chapter.
	formerly []*Ticket
}

// at locks the engine, and returns what is known of a chapter.
func (e *Engine) at(key chapterKey) (known *chapter, unlock func()) {
	e.mu.Lock()
	if e.chapters[key] == nil {
		e.chapters[key] = &chapter{}
	}
	return e.chapters[key], e.mu.Unlock
}

// claim makes a new session the only one for its chapter, or returns the one that is.
func (e *Engine) claim(demand Demand, began time.Time) (mine, other *session) {
	c, unlock := e.at(demand.key())
	defer unlock()
	if c.running != nil {
		return nil, c.running
	}
	var former *Ticket
	if own := c.formerOf(demand); own >= 0 {
		former = c.formerly[own]
		c.formerly = slices.Delete(c.formerly, own, own+1)
	}
	switch pending := c.handed.Pending; {
	case pending == nil, demand.Pending != nil:
	case pending.since.IsZero() && former != nil:
		// The demand is that of an object that replaces one that handed it over.
		demand.Pending = former
	default:
		demand.Pending = demand.taking(*pending, began)
	}
	c.handed.Pending = nil
	if demand.ended = c.ended; demand.ended != nil {
		// The pending conversion has ended, too: one chapter has one conversion at a time.
		demand.earlier, demand.Pending = demand.Pending, nil
		if demand.earlier == nil {
			demand.earlier = former
		}
		demand.UpToDate = demand.UpToDate && !demand.newTriggers(demand.earlier)
	}
	c.running = e.newSession(demand, converts, began)
	return c.running, nil
}

// formerOf finds the conversion that was handed over by the object which the demand's replaces; -1 if it replaces none. If there are
// several, only the triggers tell which is its own.
func (c *chapter) formerOf(demand Demand) int {
	if demand.Known || demand.Pending != nil || len(c.formerly) == 0 {
		return -1
	}
	own := slices.IndexFunc(c.formerly, func(pending *Ticket) bool { return pending.Triggers == demand.Triggers })
	return max(own, 0)
}

// release lets the next demand convert the chapter, and keeps for it what this session knows.
func (e *Engine) release(finished *session) {
	c, unlock := e.at(finished.demand.key())
	defer unlock()
	c.running = nil
	switch pending := finished.outcome.Pending; {
	case finished.ended != nil:
		c.ended = finished.ended
	case pending != nil:
		c.handed.Pending, c.ended = pending, nil
	}
	close(finished.over)
}

func (e *Engine) noteRequest(key chapterKey) time.Time {
	c, unlock := e.at(key)
	defer unlock()
	c.requested = e.clock.now()
	return c.requested
}

// HandOver keeps what an object remembers of its chapters, by chapter, for the next demands for them in this process. When Terraform
// replaces an object, for example, Delete hands over to Create.
func (e *Engine) HandOver(projectID string, kept map[string]Memory) {
	for chapterID, k := range kept {
		c, unlock := e.at(chapterKey{projectID, chapterID})
		if k.Pending != nil {
			c.formerly = append(c.formerly, k.Pending)
		}
		before := c.handed // by another object
		c.handed = Memory{
			Pending:            cmp.Or(k.Pending, before.Pending),
			KnownRemainder:     cmp.Or(k.KnownRemainder, before.KnownRemainder),
			SuspectedRemainder: cmp.Or(k.SuspectedRemainder, before.SuspectedRemainder),
			EarlyDate:          cmp.Or(k.EarlyDate, before.EarlyDate),
		}
		unlock()
	}
}

// HandedOver are the ids of the chapters of a project for which something was handed over that no demand has taken up yet.
func (e *Engine) HandedOver(projectID string) (ids []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for key, c := range e.chapters {
		if key.projectID == projectID && c.handed != (Memory{}) {
			ids = append(ids, key.chapterID)
		}
	}
	slices.Sort(ids)
	return ids
}

// pendingFor is the pending conversion that the demand has, or will get. One that was not handed over by an object which the demand's
// replaces counts as somebody else's.
func (e *Engine) pendingFor(demand Demand) *Ticket {
	c, unlock := e.at(demand.key())
	defer unlock()
	if demand.Pending != nil || c.handed.Pending == nil {
		return demand.Pending
	}
	if own := c.formerOf(demand); own >= 0 {
		return c.formerly[own]
	}
	others := *c.handed.Pending
	others.RequestedAtUnix = nil
	return &others
}
