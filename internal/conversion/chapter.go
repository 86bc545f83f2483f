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
	handed    Kept      // for the next wish; that is of another block, or of an object that replaces another
	planned   *Kept     // for the plan of an object that replaces another
	// formerly are the triggers of the pending conversions that were handed over: several objects of one chapter may be
	// replaced before the first of them is created again.
	formerly []string
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
func (e *Engine) claim(wish Wish, began time.Time) (mine, other *session) {
	c, unlock := e.at(wish.key())
	defer unlock()
	if c.running != nil {
		return nil, c.running
	}
	switch pending := c.handed.Pending; {
	case pending == nil:
	case pending.same(wish.Pending):
		// Another block has watched the same conversion, and so knows more of it.
		wish.Pending = wish.demanding(*pending)
	case wish.Pending == nil && pending.since.IsZero() && !wish.Known:
		// The wish is that of the object that replaces the one that handed it over.
		taken := *pending
		taken.Triggers = c.former(wish)
		wish.Pending = &taken
	case wish.Pending == nil:
		wish.Pending = wish.taking(*pending, began)
	}
	c.handed.Pending = nil
	if wish.ended = c.ended; wish.ended != nil {
		// The pending conversion has ended, too: one chapter has one conversion at a time.
		wish.earlier, wish.Pending = wish.Pending, nil
		if former := c.former(wish); former != "" && wish.earlier == nil && !wish.Known {
			wish.earlier = &Pending{Triggers: former}
		}
		wish.UpToDate = wish.UpToDate && !wish.newTriggers(wish.earlier)
		if seen := wish.ended.outcome.Chapter.LastConversionDateUnix; later(seen, wish.Date) {
			wish.Date = seen
		}
	}
	c.running = e.newSession(wish, converts, began)
	return c.running, nil
}

// former are the triggers for which the object was converted that a new one replaces, as far as the conversions tell that were
// handed over.
func (c *chapter) former(wish Wish) string {
	switch {
	case len(c.formerly) == 0:
		return ""
	case slices.Contains(c.formerly, wish.Triggers):
		return wish.Triggers
	default:
		return c.formerly[0]
	}
}

// release lets the next wish convert the chapter, and keeps for it what this session knows.
func (e *Engine) release(finished *session) {
	c, unlock := e.at(finished.wish.key())
	defer unlock()
	c.running = nil
	switch pending := finished.outcome.Pending; {
	case finished.ended != nil:
		c.ended = finished.ended
	case pending != nil && pending.Failure == nil:
		// One conversion is enough for all blocks of an apply, even if their triggers differ.
		forAnyone := *pending
		forAnyone.Triggers = ""
		if forAnyone.since.IsZero() {
			forAnyone.since = time.Unix(forAnyone.SinceUnix, 0) // by an earlier process, so before any wish of this one
		}
		c.handed.Pending, c.ended = &forAnyone, nil
	}
	close(finished.over)
}

func (e *Engine) noteRequest(key chapterKey) time.Time {
	c, unlock := e.at(key)
	defer unlock()
	c.requested = e.clock.now()
	return c.requested
}

// HandOver keeps a pending conversion for the next wish for the chapter in this process. When Terraform replaces an object,
// for example, Delete hands the pending conversion over to Create.
func (e *Engine) HandOver(projectID, chapterID string, pending Pending) {
	c, unlock := e.at(chapterKey{projectID, chapterID})
	defer unlock()
	if c.handed.Pending = &pending; pending.Triggers != "" {
		c.formerly = append(c.formerly, pending.Triggers)
	}
}

// HandedOver returns the pending conversion that the next wish for the chapter will get; nil if there is none.
func (e *Engine) HandedOver(projectID, chapterID string) *Pending {
	c, unlock := e.at(chapterKey{projectID, chapterID})
	defer unlock()
	return c.handed.Pending
}

// HandOverBook keeps what earlier wishes have left, by chapter, for the next wishes of a book in this process, as
// [Engine.HandOver] does with a pending conversion.
func (e *Engine) HandOverBook(projectID string, kept map[string]Kept) {
	for chapterID, k := range kept {
		if k.Pending != nil {
			e.HandOver(projectID, chapterID, *k.Pending)
		}
		c, unlock := e.at(chapterKey{projectID, chapterID})
		k.Pending = c.handed.Pending
		c.handed = k
		unlock()
	}
}

// RememberBook keeps what the object of a book has left, by chapter, for the plan of another object that replaces it. No wish
// gets that: the next one for a chapter may be another block's, and about text that was written later.
func (e *Engine) RememberBook(projectID string, kept map[string]Kept) {
	for chapterID, k := range kept {
		c, unlock := e.at(chapterKey{projectID, chapterID})
		c.planned = &k
		unlock()
	}
}

// RememberedBook returns what was remembered, by chapter, and of other chapters what was handed over. That may be another
// block's, and for another demand.
func (e *Engine) RememberedBook(projectID string) map[string]Kept {
	return e.keptOf(projectID, func(c *chapter) Kept {
		if c.planned != nil {
			return *c.planned
		}
		return c.handed
	})
}

// HandedOverBook returns what the next wishes of a book will get, by chapter.
func (e *Engine) HandedOverBook(projectID string) map[string]Kept {
	return e.keptOf(projectID, func(c *chapter) Kept { return c.handed })
}

func (e *Engine) keptOf(projectID string, of func(*chapter) Kept) map[string]Kept {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := map[string]Kept{}
	for key, c := range e.chapters {
		if kept := of(c); key.projectID == projectID && kept != (Kept{}) {
			all[key.chapterID] = kept
		}
	}
	return all
}
