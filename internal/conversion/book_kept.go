package conversion

// Kept is what the next wish for a chapter must have of an earlier one. Settled chapters have none.
type Kept struct {
	Pending  *Pending `json:"pending,omitempty"`
	Leftover int64    `json:"leftover,omitempty"`
	LeftOnce *int64   `json:"left_once,omitempty"`
	Behind   *Behind  `json:"behind,omitempty"`
}

// Kept is what to keep of the chapter; false if there is nothing. Nothing is kept of a chapter that the project does not have.
func (c BookChapter) Kept() (Kept, bool) {
	if missing(c.Err) {
		return Kept{}, false
	}
	kept := Kept{c.Pending, c.Leftover, c.LeftOnce, c.Behind}
	return kept, kept != Kept{}
}

// Give puts what was kept into a wish.
func (k Kept) Give(wish *Wish) {
	wish.Pending, wish.Leftover, wish.LeftOnce, wish.Behind = k.Pending, k.Leftover, k.LeftOnce, k.Behind
}

// HandOverBook keeps what earlier wishes have left, by chapter, for the next wishes of a book in this process, as
// [Engine.HandOver] does with a pending conversion.
func (e *Engine) HandOverBook(projectID string, kept map[string]Kept) {
	for chapterID, k := range kept {
		if k.Pending != nil {
			e.HandOver(projectID, chapterID, *k.Pending)
			k.Pending = nil
		}
		e.mu.Lock()
		e.kept[chapterKey{projectID, chapterID}] = k
		e.mu.Unlock()
	}
}

// RememberBook keeps what the object of a book has left, by chapter, for the plan of another object that replaces it. No wish
// gets that: the next one for a chapter may be another block's, and about text that was written later.
func (e *Engine) RememberBook(projectID string, kept map[string]Kept) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for chapterID, k := range kept {
		e.planned[chapterKey{projectID, chapterID}] = k
	}
}

// RememberedBook returns what was remembered, by chapter, and of other chapters what was handed over. That may be another
// block's, and for another demand.
func (e *Engine) RememberedBook(projectID string) map[string]Kept {
	all := e.HandedOverBook(projectID)
	e.mu.Lock()
	defer e.mu.Unlock()
	for key, kept := range e.planned {
		if key.projectID == projectID {
			all[key.chapterID] = kept
		}
	}
	return all
}

// HandedOverBook returns what the next wishes of a book will get, by chapter.
func (e *Engine) HandedOverBook(projectID string) map[string]Kept {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := map[string]Kept{}
	for key, kept := range e.kept {
		if key.projectID == projectID {
			all[key.chapterID] = kept
		}
	}
	for key, pending := range e.handover {
		if key.projectID == projectID {
			kept := all[key.chapterID]
			kept.Pending = &pending
			all[key.chapterID] = kept
		}
	}
	return all
}

// addHandedOver gives a wish of a book what was handed over. A pending conversion is given by [Engine.Convert].
func (e *Engine) addHandedOver(wish *Wish) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if k, found := e.kept[wish.key()]; found && wish.Leftover == 0 && wish.LeftOnce == nil && wish.Behind == nil {
		wish.Leftover, wish.LeftOnce, wish.Behind = k.Leftover, k.LeftOnce, k.Behind
	}
}
