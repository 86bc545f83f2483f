package conversion

import (
	"context"
	"slices"
)

// Requests reports whether an apply requests a conversion for what was predicted, as far as that can be known.
func (c ChapterStatus) Requests() bool {
	return c.Decision.Step == Request || c.Decision.Step == Wait && c.Desired.newTriggers(c.Pending)
}

// Predict tells what Convert would do for each desired state now. The decision is [Look] if the chapter could not be seen; Err says why
// then. It uses a list that is at most 10 s old, and newer than this process's last request to convert the chapter; a list that failed is
// kept as long. If one look is not enough to decide, it takes a second one 5 s later; while lists show an older date, one each 5 s for up
// to 30 s.
func (e *Engine) Predict(ctx context.Context, wanted ...Desired) []ChapterStatus {
	predicted, sessions := make([]ChapterStatus, len(wanted)), make([]*session, len(wanted))
	for i, desired := range wanted {
		sessions[i] = e.newSession(ctx, desired, plans)
	}
	for open := slices.Clone(sessions); len(open) > 0; { // In turn: goroutines for thousands would take as long as all else.
		for _, s := range open {
			s.predict()
		}
		open = slices.DeleteFunc(open, func(s *session) bool { return s.ended })
	}
	for i, s := range sessions {
		outcome, err := s.result()
		switch {
		case err != nil:
			outcome.Decision = Decision{Step: Look}
		case outcome.Chapter.ChapterID == "":
			err = s.reader.unclear()
		}
		predicted[i] = ChapterStatus{Desired: s.desired, Outcome: outcome, Err: err}
	}
	return predicted
}

// predict decides, and looks if it must, and may: once, and again where one look more can decide.
func (s *session) predict() {
	s.decide()
	isToLook := s.decided.Step == Look || s.decided.Step == Wait
	mayLook := s.after.IsZero() || !s.another().IsZero()
	if isToLook && mayLook {
		s.err = s.lookAlone()
	}
	s.ended = !isToLook || !mayLook || s.err != nil
}

// lookAlone notes what lists show that the session has not used, without the chapter's loop.
func (s *session) lookAlone() error {
	s.chapter.mu.Lock()
	oldest := s.chapter.oldestList(s, refreshAge)
	s.chapter.mu.Unlock()
	var latest *listing
	var err error
	if s.after.IsZero() {
		latest, err = s.lists.listing(s.ctx, oldest)
	} else {
		another := s.another()
		latest, err = s.lists.at(s.ctx, another, another, nil)
	}
	if err != nil {
		return err
	}
	for _, found := range s.lists.between(oldest, latest) {
		seen, believed, err := s.reader.read(s.ctx, found)
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		s.note(found, seen, believed, err)
	}
	s.answer()
	return s.err
}
