package conversion

import (
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
	formerly []former
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
		former = c.formerly[own].pending
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
		if seen := demand.ended.outcome.Chapter.LastConversionDateUnix; later(seen, demand.Date) {
			demand.Date = seen
		}
	}
	c.running = e.newSession(demand, converts, began)
	return c.running, nil
}

// former is a conversion that an object has handed over which is replaced.
type former struct {
	pending   *Ticket
	ofProject bool
}

// formerOf finds the conversion that was handed over by the object which the demand's replaces; -1 if it replaces none. If there are
// several, only its kind and its triggers tell which is its own.
func (c *chapter) formerOf(demand Demand) int {
	if demand.Known || demand.Pending != nil {
		return -1
	}
	likely := func(f former) int {
		switch triggers := f.pending.Triggers; {
		case f.ofProject != demand.ofProject:
			return 0
		case triggers == demand.Triggers:
			return 3
		case triggers != "" && demand.Triggers != "":
			return 2
		default:
			return 1
		}
	}
	own, most := -1, 0
	for i, f := range c.formerly {
		if rank := likely(f); rank > most {
			own, most = i, rank
		}
	}
	return own
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
func (e *Engine) HandOver(projectID string, kept map[string]Memory, ofProject bool) {
	for chapterID, k := range kept {
		c, unlock := e.at(chapterKey{projectID, chapterID})
		pending := c.handed.Pending
		if k.Pending != nil {
			pending, c.formerly = k.Pending, append(c.formerly, former{k.Pending, ofProject})
		}
		if k != (Memory{Pending: k.Pending}) {
			c.handed = k
		}
		c.handed.Pending = pending
		unlock()
	}
}

// HandedOver returns the pending conversion that the demand will get; nil if there is none.
func (e *Engine) HandedOver(demand Demand) *Ticket {
	c, unlock := e.at(demand.key())
	defer unlock()
	return c.handedTo(demand)
}

// handedTo is the pending conversion that the demand will get. That of an object of the other kind counts as somebody else's.
func (c *chapter) handedTo(demand Demand) *Ticket {
	if c.handed.Pending == nil {
		return nil
	}
	if own := c.formerOf(demand); own >= 0 {
		return c.formerly[own].pending
	}
	others := *c.handed.Pending
	others.RequestedAtUnix = nil
	return &others
}

// HandedOverProject returns what the next demands for chapters of a project will get.
func (e *Engine) HandedOverProject(projectID string) map[string]Memory {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := map[string]Memory{}
	for key, c := range e.chapters {
		if key.projectID == projectID && c.handed != (Memory{}) {
			handed := c.handed
			handed.Pending = c.handedTo(Demand{ofProject: true})
			all[key.chapterID] = handed
		}
	}
	return all
}
