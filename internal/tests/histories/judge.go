package histories

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"

	engine "github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// judge checks all that was recorded. A check makes no exception for what nobody could know: such a history is listed by name, and not
// found right.
func (t *terraform) judge() {
	t.locked(func(now time.Duration) {
		for _, turn := range t.turns {
			turn.left = t.leaves(turn)
		}
		for _, turn := range t.turns {
			t.checkConverted(turn)
			t.checkReason(turn)
			t.checkTold(turn)
			t.checkEnd(turn)
			t.checkForetold(turn)
		}
		for _, r := range t.refreshes {
			t.checkRefresh(r)
		}
		for number := range t.chapters {
			t.checkPaid(number)
		}
		for _, a := range t.applies {
			t.checkLimit(a)
			t.checkNamed(a)
		}
		t.checkSettled(now)
	})
}

// breaks records a broken check, each check once.
func (t *terraform) breaks(check, format string, arguments ...any) {
	t.recording.Lock()
	defer t.recording.Unlock()
	if !slices.ContainsFunc(t.broken, func(b Break) bool { return b.Check == check }) {
		t.broken = append(t.broken, Break{check, fmt.Sprintf(format, arguments...)})
	}
}

// green says whether the screen claims that the chapter is converted. The error of a book names the chapters that are not.
func (u *turn) green() bool {
	switch {
	case u.screen == nil || u.stopped > 0 && u.ended >= u.stopped, u.left:
		return false
	case !u.Book:
		return len(u.screen.Errors) == 0
	}
	return !slices.ContainsFunc(u.screen.Errors, func(box string) bool {
		return strings.Contains(box, `"Chapter `+chapterIDs[u.chapter]+`"`) || strings.Contains(box, `"`+chapterIDs[u.chapter]+`"`) || !bookFailure.MatchString(box)
	})
}

// leaves says whether the screen says that the chapter is left to a later plan. Of what does not fit into the portion of
// the apply, it says only how much it is.
func (t *terraform) leaves(u *turn) bool {
	names := func(box string) bool { return strings.Contains(box, `"Chapter `+chapterIDs[u.chapter]+`"`) }
	if u.screen == nil {
		return false
	}
	isWanted := slices.ContainsFunc(u.desired(), func(d *desire) bool { return !t.isServed(d, u.ended) })
	needs := t.chapters[u.chapter].openAt(u.ended) != 0 || !u.adopts() && (!u.continues || isWanted)
	isTried := t.requests(u.process, u.chapter) > 0 || slices.ContainsFunc(u.screen.Errors, names)
	mayBeLater := needs && !isTried && u.stopped == 0
	return slices.ContainsFunc(u.screen.Warnings, func(box string) bool {
		isLater := strings.HasPrefix(box, "Left to later applies") && mayBeLater
		return isLater || strings.HasPrefix(box, "Left to the next plan") && names(box)
	})
}

var bookFailure = regexp.MustCompile(`^Unable to convert \d+ of the \d+ chapters? of `)

// checkConverted is I1: what an apply reports as converted is converted. A green apply serves what the resource desired.
func (t *terraform) checkConverted(u *turn) {
	c := t.chapters[u.chapter]
	isCreated := u.screen != nil && len(u.screen.Errors) == 0 // or else an old one may stay
	isReplaced := u.adopts() && (!u.CreateBeforeDestroy || isCreated)
	if u.action && !u.green() || isReplaced {
		for _, d := range u.desired() {
			d.served = u.ended
		}
	}
	if !u.green() || !u.converts || !c.exists(u.at) {
		return
	}
	left := c.textAt(u.at) & c.openAt(u.ended)
	if u.continues && !u.follows() { // It is about the text of the request.
		for _, j := range c.jobs {
			if j.process > 0 && j.at < u.at {
				left &= c.textAt(j.at)
			}
		}
	}
	if left != 0 {
		t.breaks("I1", "resource %d (%s): its apply is green at %s, and %d paragraphs of its text are not converted",
			u.index+1, chapterIDs[u.chapter], u.ended, count(left))
	}
	if u.adopts() {
		return
	}
	for _, d := range u.desired() {
		d.served = u.ended
		t.checkServed(u.managed, d, u.ended)
	}
}

// adopts says whether the turn creates a resource that wants nothing of a chapter without unconverted text, also if it
// replaces one that did.
func (u *turn) adopts() bool { return u.follows() && !u.action && u.plan.Action != fakecore.Update }

// desired are the desires that a turn is about.
func (u *turn) desired() (all []*desire) {
	for _, d := range u.desires {
		if d.chapter == u.chapter && d.action == u.action && d.since <= u.at && d.served == 0 {
			all = append(all, d)
		}
	}
	return all
}

// checkServed is I1, too: a conversion that somebody wanted, whatever the text, has ended well.
func (t *terraform) checkServed(m *managed, d *desire, at time.Duration) {
	if t.chapters[d.chapter].exists(at) && !t.isServed(d, at) {
		t.breaks("I1", "resource %d (%s): since %s a conversion is wanted, and at %s it is said to have ended well, but none has",
			m.index+1, chapterIDs[d.chapter], d.since, at)
	}
}

// isServed says whether a conversion that somebody wanted has ended well.
func (t *terraform) isServed(d *desire, at time.Duration) bool {
	return slices.ContainsFunc(t.chapters[d.chapter].jobs, func(j *job) bool {
		begins := j.at >= d.since || !d.triggers && j.end >= d.since
		return begins && j.Ends == endsWell && j.end <= at
	})
}

// checkRefresh is I5: nothing is forgotten whose chapter exists. And it is I1: what a refresh takes for ended well has ended well.
func (t *terraform) checkRefresh(r refresh) {
	c := t.chapters[r.chapter]
	if !c.exists(r.at) {
		return
	}
	if r.gone {
		t.breaks("I5", "resource %d: a refresh has removed it from the state at %s, and its chapter exists", r.index+1, r.at)
		return
	}
	var last *job
	for _, j := range c.jobs {
		if j.process > 0 && j.end <= r.at {
			last = j
		}
	}
	if last != nil && c.textAt(last.at)&c.openAt(r.at) != 0 {
		t.breaks("I1", "resource %d (%s): a refresh takes a conversion for ended well at %s, and %d paragraphs of its text are not converted",
			r.index+1, chapterIDs[r.chapter], r.at, count(c.textAt(last.at)&c.openAt(r.at)))
	}
}

// checkSettled is I4, too: where the last plan is empty, all text that a resource follows is converted, and nothing is pending.
func (t *terraform) checkSettled(now time.Duration) {
	if slices.ContainsFunc(t.broken, func(b Break) bool { return b.Check == "I4" }) {
		return
	}
	for _, m := range t.resources {
		for _, chapter := range m.covered(t.History) {
			c := t.chapters[chapter]
			if m.follows() && c.exists(now) && c.openAt(now) != 0 {
				t.breaks("I4", "resource %d (%s): in the end its plan is empty, and %d paragraphs are not converted", m.index+1, chapterIDs[chapter], count(c.openAt(now)))
			}
			token, _ := m.pending(m.Object, chapter)
			if token != "" && c.exists(now) {
				t.breaks("I4", "resource %d (%s): in the end its plan is empty, and a conversion is pending: %s", m.index+1, chapterIDs[chapter], token)
			}
		}
		for _, d := range m.desires {
			if d.served == 0 {
				t.checkServed(m, d, now)
			}
		}
	}
}

// checkReason is I8: an apply is red only for a reason.
func (t *terraform) checkReason(u *turn) {
	if u.screen == nil || u.green() || u.left || u.stopped > 0 || u.ended-u.at >= u.timeout-time.Second {
		return
	}
	c := t.chapters[u.chapter]
	lost := slices.ContainsFunc(t.Posts, func(a Answer) bool { return a.What != "slow" })
	failed := slices.ContainsFunc(c.jobs, func(j *job) bool {
		isLate, wasConverted := j.ShownLate >= engine.Window, c.textAt(j.at)&c.openAt(j.at) == 0
		neverShows := isLate && wasConverted || lost && (isLate || wasConverted)
		isHidden := c.textAt(j.start)&c.textAt(u.ended) == 0 || neverShows // Nothing shows what it has converted.
		return j.at <= u.ended && (j.Ends != endsWell || isHidden)
	})
	refused := slices.ContainsFunc(t.posts, func(p posted) bool {
		return p.chapter == u.chapter && p.at <= u.ended && (p.status != http.StatusOK || p.vain)
	})
	isSomebodys := u.screen.Says("the project was in this state") && slices.ContainsFunc(t.chapters, func(c *chapter) bool {
		return slices.ContainsFunc(c.jobs, func(j *job) bool { return j.process == 0 && j.ShownLate > 0 })
	})
	held := t.Limit > 0 && u.screen.Says("`max_characters`")
	isHindered := len(t.Gets) > 1 || slices.ContainsFunc(t.windows, func(w dueEvent) bool {
		isLong := w.What == "creating" || w.What == "missing" && w.For >= engine.SecondLook // A service that is down is asked again.
		return isLong && w.due < u.ended && w.due+w.For > u.at
	})
	isNamed := failed || refused || held || isSomebodys || isHindered
	if !isNamed && len(t.whole) == 0 && c.exists(u.ended) {
		t.breaks("I8", "resource %d (%s): its apply is red at %s without a reason: %s", u.index+1, chapterIDs[u.chapter], u.ended, u.screen)
	}
}

// checkTold: the screen quotes what the service said of a failure or a refusal, and a failure is told.
func (t *terraform) checkTold(u *turn) {
	if u.screen == nil || u.stopped > 0 || u.ended-u.at >= u.timeout-time.Second || !t.isAlone(u.managed, u.chapter) {
		return
	}
	j := t.lastJob(u)
	isShown := len(t.windows)+len(t.Gets)+len(t.Replicas) == 0
	if isShown && j != nil && j.process == u.process && t.showsFailure(j) && j.end+engine.SecondLook < u.ended && !u.screen.Says(j.Error.text()) {
		t.breaks("told", "resource %d (%s): its conversion failed with %q at %s, and the screen says at %s: %s",
			u.index+1, chapterIDs[u.chapter], j.Error.text(), j.end, u.ended, u.screen)
	}
	var last posted
	for _, p := range t.posts {
		if p.chapter == u.chapter && p.process == u.process && p.at >= u.at {
			last = p
		}
	}
	final := []int{http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusUnprocessableEntity}
	if slices.Contains(final, last.status) && !u.screen.Says(strconv.Itoa(last.status)) {
		t.breaks("told", "resource %d (%s): its request was refused with %d, and the screen says: %s", u.index+1, chapterIDs[u.chapter], last.status, u.screen)
	}
}

// lastJob is the last conversion of the turn's chapter that began before the turn ended, and had not ended before it began.
func (t *terraform) lastJob(u *turn) (last *job) {
	for _, j := range t.chapters[u.chapter].jobs {
		if j.at <= u.ended && j.visible(j.end)+j.CountLag >= u.at {
			last = j
		}
	}
	return last
}

// showsFailure says whether a chapter shows that a conversion has failed, with words that were not there before it.
func (t *terraform) showsFailure(j *job) bool {
	for _, c := range t.chapters {
		if slices.Contains(c.jobs, j) {
			before := c.errorAt(j.at - 1)
			return j.Ends == endsInError && j.Failed == "" && j.Error != before && c.errorAt(j.visible(j.end)+engine.Window) == j.Error
		}
	}
	return false
}

// isAlone says whether no other resource is about the chapter, nor an action.
func (t *terraform) isAlone(m *managed, chapter int) bool {
	return !m.Action && !slices.ContainsFunc(t.resources, func(other *managed) bool { return other != m && other.covers(chapter) })
}
