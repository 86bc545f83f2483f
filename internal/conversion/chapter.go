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
func (e *Engine) claim(wish Wish, began time.Time) (mine, other *session) {
	c, unlock := e.at(wish.key())
	defer unlock()
	if c.running != nil {
		return nil, c.running
	}
	former := c.takeFormer(wish)
	switch pending := c.handed.Pending; {
	case pending == nil:
	case pending.same(wish.Pending):
		// Another block has watched the same conversion, and so knows more of it.
		wish.Pending = wish.demanding(*pending)
	case wish.Pending == nil && pending.since.IsZero() && former != nil:
		// The wish is that of an object that replaces one that handed it over.
		wish.Pending = former
	case wish.Pending == nil:
		wish.Pending = wish.taking(*pending, began)
	}
	c.handed.Pending = nil
	if wish.ended = c.ended; wish.ended != nil {
		// The pending conversion has ended, too: one chapter has one conversion at a time.
		wish.earlier, wish.Pending = wish.Pending, nil
		if wish.earlier == nil {
			wish.earlier = former
		}
		wish.UpToDate = wish.UpToDate && !wish.newTriggers(wish.earlier)
		if seen := wish.ended.outcome.Chapter.LastConversionDateUnix; later(seen, wish.Date) {
			wish.Date = seen
		}
	}
	c.running = e.newSession(wish, converts, began)
	return c.running, nil
}

// former is a conversion that an object has handed over which is replaced.
type former struct {
	pending *Pending
	ofBook  bool
}

// takeFormer takes the conversion that was handed over by the object which the wish's replaces; nil if it replaces none. If there are
// several, only its kind and its triggers tell which is its own.
func (c *chapter) takeFormer(wish Wish) *Pending {
	if wish.Known || wish.Pending != nil {
		return nil
	}
	index := slices.IndexFunc(c.formerly, func(f former) bool { return f.ofBook == wish.ofBook && f.pending.Triggers == wish.Triggers })
	if index < 0 {
		index = slices.IndexFunc(c.formerly, func(f former) bool { return f.ofBook == wish.ofBook })
	}
	if index < 0 {
		return nil
	}
	own := c.formerly[index].pending
	c.formerly = slices.Delete(c.formerly, index, index+1)
	return own
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
	e.handOver(chapterKey{projectID, chapterID}, former{pending: &pending})
}

func (e *Engine) handOver(key chapterKey, f former) {
	c, unlock := e.at(key)
	defer unlock()
	c.handed.Pending = f.pending
	c.formerly = append(c.formerly, f)
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
			e.handOver(chapterKey{projectID, chapterID}, former{k.Pending, true})
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
