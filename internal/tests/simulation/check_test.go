package simulation_test

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// checkConverted checks I1, or I4 at the end of the story: if the provider says that a text is converted, it is.
func (t *terraform) checkConverted(invariant string, b *wish, text uint64, claim string) {
	t.locked(func(now time.Duration) {
		c := t.chapters[b.chapter]
		open := text & c.openAt(now)
		if open == 0 || c.deleted > 0 {
			return
		}
		for _, excuse := range excuses {
			excused := excuse.of(t.world, b, now)
			if open&excused != 0 {
				t.except(excuse.name)
				open &^= excused
			}
		}
		if open != 0 {
			t.addViolation(invariant, "block %d (%s): %s at %s, and %d paragraphs of the text it was about are not converted",
				b.index+1, chapterIDs[b.chapter], claim, clock(now), count(open))
		}
	})
}

// checkRefresh checks I5: no object is removed from the state while its chapter exists. It checks I1 for a conversion
// that a refresh settles.
func (t *terraform) checkRefresh(p *process, b *wish, before, after *fakecore.Object, began time.Duration) {
	missing := false
	t.locked(func(now time.Duration) {
		missing = t.shownMissing(p, b.chapter, began)
		exists := t.chapters[b.chapter].deleted == 0
		switch {
		case after != nil || !exists:
		case missing:
			t.except("I5: two lists lacked a chapter")
		default:
			t.addViolation("I5", "block %d: the object was removed from the state at %s, but its chapter %s exists",
				b.index+1, clock(now), chapterIDs[b.chapter])
		}
	})
	if after == nil {
		b.fresh = true
		return
	}
	_, own := b.pending(before)
	text, _ := b.pending(after)
	settled := own && text == ""
	if settled && !missing {
		t.checkConverted("I1", b, b.ticket, "a refresh has settled what was pending")
	}
}

// shownMissing says whether a chapter was missing in two lists that confirm each other.
func (w *world) shownMissing(p *process, chapter int, since time.Duration) bool {
	first := time.Duration(-1)
	for _, l := range w.lists {
		switch {
		case l.process != p.number || l.asked < since-time.Minute || l.project:
		case l.shown[chapter] != nil:
			first = -1
		case first < 0:
			first = l.asked
		case l.asked >= first+secondLook:
			return true
		}
	}
	return false
}

// checkOthers checks I1 and I2 of conversions that ran when the turn began: one of this process is waited for, and
// beside one that somebody else requested, nothing more is requested. It asks that only where lists show in time that
// it runs.
func (t *turn) checkOthers(w *applyRun, green bool) {
	c, asked := w.chapters[t.chapter], t.asked(w)
	w.locked(func(now time.Duration) {
		edited := c.texts[len(c.texts)-1].at
		for _, j := range c.jobs {
			ranAlready := j.at < t.at
			stillRuns := ranAlready && j.process == t.process && j.end > now
			shown := w.showsInTime(j) && (j.ShownLate == 0 || edited < j.at)
			if green && stillRuns && shown {
				w.addViolation("I1", "block %d: it is green at %s, and %s is still converted for another block",
					t.index+1, clock(now), chapterIDs[t.chapter])
			}
			others := j.process == 0 && j.at < t.at-time.Second && j.end > t.at
			if asked && others && t.mustJoin(w, c, j) {
				w.addViolation("I2", "block %d: somebody else's conversion of %s ran when its turn began, and it requested another",
					t.index+1, chapterIDs[t.chapter])
			}
		}
	})
}

// showsInTime says whether lists show that a conversion runs, in a state that the document has, before an apply may
// take it for ended.
func (w *world) showsInTime(j *job) bool {
	usualStates := j.RestsFor == 0 && j.Busy == ""
	return usualStates && j.ShownLate < 20*time.Second && len(w.Replicas)+len(w.Posts) == 0
}

// mustJoin says whether nothing but somebody else's conversion is needed for the turn.
func (t *turn) mustJoin(w *applyRun, c *chapter, j *job) bool {
	plainService := !w.odd(c) && c.first.Remainder == 0 && !j.odd() && len(w.windows) == 0
	wantsNoOther := t.after == nil && !t.ticketed && !t.action && t.retriggered == 0
	neverEdited := len(c.texts) == 1
	return plainService && wantsNoOther && neverEdited && w.alone(t.resource, t.chapter)
}

// alone says whether no other block is about the chapter.
func (t *terraform) alone(b *resource, chapter int) bool {
	return !slices.ContainsFunc(t.blocks, func(other *resource) bool { return other != b && other.covers(chapter) })
}

// checkRefusalIsShown checks what a block says and does whose own request was refused, if nothing has been converted
// since: it quotes the answer (told), asks again only while the service asks for a pause (I8), and does not wait
// where nothing can come of it (I10).
func (t *turn) checkRefusalIsShown(w *applyRun, shown *fakecore.Screen, now time.Duration) {
	if w.stopped.Load() != nil {
		return
	}
	w.locked(func(time.Duration) {
		posts := slices.DeleteFunc(slices.Clone(w.posts), func(p posted) bool {
			return p.chapter != t.chapter || p.process != t.process || p.at < t.at
		})
		c := w.chapters[t.chapter]
		if len(posts) == 0 || c.deleted > 0 || !w.alone(t.resource, t.chapter) {
			return
		}
		r := refusal{
			turn: t, screen: shown, now: now, first: posts[0], last: posts[len(posts)-1],
			inTime: now-t.at < w.waitLimit(t.resource)-time.Second,
		}
		r.edited = c.texts[len(c.texts)-1].at > r.last.at // nothing may be open any more
		r.ran = slices.ContainsFunc(c.jobs, func(j *job) bool { return j.end >= r.last.at-time.Minute })
		r.checkJoins(w)
		r.checkQuoted(w)
		r.checkPauses(w)
		r.checkEndsAtOnce(w)
	})
}

// refusal is the answer to a turn's latest request.
type refusal struct {
	*turn
	screen      *fakecore.Screen
	now         time.Duration
	first, last posted
	inTime      bool // the turn was over before its time was
	edited, ran bool // something has happened that may be told instead
}

// checkJoins: a refusal is no error while lists show the conversion that refused it.
func (r refusal) checkJoins(w *applyRun) {
	c := w.chapters[r.chapter]
	saysSo := r.last.status == http.StatusConflict && r.screen.Says("409") && (!r.Book || len(w.chapters) == 1)
	if !saysSo || len(w.Posts) > 0 {
		return
	}
	for _, j := range c.jobs {
		shown := j.visible(j.at)+w.oldest() < r.last.at+20*time.Second
		lasts := j.visible(j.end) > max(j.visible(j.at), r.last.at)+20*time.Second
		usualStates := j.RestsFor == 0 && j.Busy == ""
		if j.at <= r.last.at && shown && lasts && usualStates {
			w.addViolation("I8", "block %d: it was refused at %s, and a conversion ran that lists showed",
				r.index+1, clock(r.last.at))
		}
	}
}

// checkQuoted: the screen has the status.
func (r refusal) checkQuoted(w *applyRun) {
	statuses := []int{
		http.StatusBadRequest, http.StatusPaymentRequired, http.StatusConflict, http.StatusUnprocessableEntity,
	}
	refused := slices.Contains(statuses, r.last.status)
	tellsOther := r.ran || r.edited || r.screen.Says("GET /") // a look that failed has ended the wait
	if refused && r.inTime && !tellsOther && !r.screen.Says(strconv.Itoa(r.last.status)) {
		w.addViolation("told", "block %d: the request was refused with %d at %s, but the screen says: %s",
			r.index+1, r.last.status, clock(r.last.at), r.screen)
	}
}

// checkPauses: while the service asks for pauses, it is asked again for ten minutes.
func (r refusal) checkPauses(w *applyRun) {
	left := w.waitLimit(r.resource) - (r.now - r.at)
	pausesForLong := slices.ContainsFunc(slices.Concat(w.Posts, w.Gets), func(f fault) bool {
		pause, _ := time.ParseDuration(f.RetryAfter + "s")
		return len(f.RetryAfter) > 3 || pause > left
	})
	if r.first.status != http.StatusTooManyRequests || pausesForLong {
		return
	}
	asked, isRefusedStill := r.last.at-r.first.at, r.last.status == r.first.status
	gaveUp := r.inTime && r.screen.Says("429")
	// What is accepted in the end may have waited for conversions of ours.
	if isRefusedStill && (asked > 12*time.Minute || asked < 9*time.Minute && gaveUp) {
		w.addViolation("I8", "block %d: the service asked for a pause, and it was asked until %s, and given up at %s",
			r.index+1, clock(r.last.at), clock(r.now))
	}
}

// checkEndsAtOnce: nobody waits after a status that cannot mean that the chapter is busy.
func (r refusal) checkEndsAtOnce(w *applyRun) {
	final := r.last.status == http.StatusPaymentRequired || r.last.status == http.StatusUnprocessableEntity
	tellsOther := r.ran || r.edited || r.screen.Says("GET /") || len(w.Gets)+len(w.windows) > 0
	if final && !tellsOther && !r.Book && r.now > r.last.at+20*time.Second {
		w.addViolation("I10", "block %d: the request was refused with %d at %s, and it ended only at %s",
			r.index+1, r.last.status, clock(r.last.at), clock(r.now))
	}
}

// checkFailureIsShown checks that a block quotes the service's message if its own conversion failed and a list showed
// that (told).
func (t *turn) checkFailureIsShown(w *applyRun, shown *fakecore.Screen, now time.Duration) {
	if w.stopped.Load() != nil {
		return
	}
	w.locked(func(time.Duration) {
		c := w.chapters[t.chapter]
		if len(c.jobs) == 0 || c.deleted > 0 || !w.alone(t.resource, t.chapter) {
			return
		}
		j := c.jobs[len(c.jobs)-1]
		requestedSince := func(p posted) bool { return p.chapter == t.chapter && p.process == t.process && p.at > j.at }
		ours := j.process == t.process && j.at >= t.at && !slices.ContainsFunc(w.posts, requestedSince)
		failed := j.Ends == endsInError && j.end <= now
		saysOther := shown.Says("The provider does not know whether the service received the request") || // No list came after the time for an answer.
			shown.Says("Timed out after") || t.Book && (w.odd(c) || j.unclear()) // A book that waits for others may have decided before.
		if !ours || !failed || saysOther || !t.sawFailure(w, j, now) {
			return
		}
		quoted := shown.Says(j.Error.text()) || shown.Says(j.Error.normal())
		if len(shown.Errors) == 0 || !quoted {
			w.addViolation("told", "block %d: the conversion failed with %q, the list showed it, but the screen says: %s",
				t.index+1, j.Error.normal(), shown)
		}
	})
}

// checkRemainderIsTold: that text remains unconverted is said only if some does (told).
func (t *turn) checkRemainderIsTold(w *applyRun, shown *fakecore.Screen) {
	w.locked(func(now time.Duration) {
		c := w.chapters[t.chapter]
		nothingLeft := c.textAt(now)&^c.convertedAt(now, false) == 0 && len(c.texts) == 1
		if !t.Book && nothingLeft && shown.Says("Unconverted text remains") {
			w.addViolation("told", "block %d: it says at %s that text of %s is unconverted, and none is", t.index+1, clock(now), chapterIDs[t.chapter])
		}
	})
}

// sawFailure says whether a list has shown the turn the error of its conversion, in words that were not there before.
func (t *turn) sawFailure(w *applyRun, j *job, now time.Duration) bool {
	c := w.chapters[t.chapter]
	before := w.lastShown(t.process, t.chapter, -time.Hour, j.at)
	after := w.lastShown(t.process, t.chapter, j.at, now-time.Millisecond) // A list of this moment may have come too late.
	if before == nil || after == nil {
		return false
	}
	sameWords := before.error.normal() == j.Error.normal()
	return !after.busy && after.error == j.Error && !sameWords && !c.dismissed(j, now)
}

// lastShown is the last record of a chapter that a process got between the two times; nil if there is none.
func (w *world) lastShown(process, chapter int, after, until time.Duration) (last *record) {
	for _, l := range w.lists {
		asked := (process == 0 || l.process == process) && l.asked > after && l.asked <= until
		if asked && l.shown[chapter] != nil {
			last = l.shown[chapter]
		}
	}
	return last
}
