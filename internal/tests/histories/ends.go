package histories

import (
	"slices"
	"time"

	engine "github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// checkEnd is I6: nothing takes longer than its timeout, goes on after Ctrl-C, or reads more lists than it needs. And it is I10: an apply
// ends soon after the service shows how the conversion has ended.
func (t *terraform) checkEnd(u *turn) {
	if u.screen == nil {
		return
	}
	limit := u.timeout + engine.Window + engine.SecondLook + time.Second // After the end of the time, a session looks once more, and may have to confirm that.
	if u.Book {                                                          // A chapter's time begins with its request, after its lists.
		limit += 3 * time.Minute
	}
	others := time.Duration(len(u.plan.chapters) + len(t.resources) - 2)
	if u.ended-u.at > limit+others*u.timeout {
		t.breaks("I6", "resource %d: its apply took %s, with a timeout of %s", u.index+1, u.ended-u.at, u.timeout)
	}
	grace := time.Second + others*time.Second/2
	if u.stopped > 0 && u.ended > u.stopped+grace {
		t.breaks("I6", "resource %d: its apply ended %s after Ctrl-C", u.index+1, u.ended-u.stopped)
	}
	t.checkLists(u)
	t.checkInTime(u)
}

// checkLists counts the lists of a turn.
func (t *terraform) checkLists(u *turn) {
	lists := 0
	for _, l := range t.lists {
		if l.process == u.process && l.asked >= u.at && l.asked <= u.ended {
			lists++
		}
	}
	most := 8 + 2*len(t.resources) + int((u.ended-u.at)*3/2/time.Second)
	if u.ended-u.at > 2*time.Minute { // Looks become rarer.
		most = 200 + int((u.ended-u.at)/(6*time.Second))
	}
	if lists > most {
		t.breaks("I6", "resource %d: its apply of %s took %d lists", u.index+1, u.ended-u.at, lists)
	}
}

// checkInTime compares the end of a turn with the time at which the service showed how the conversion has ended.
func (t *terraform) checkInTime(u *turn) {
	asksForPause := slices.ContainsFunc(slices.Concat(t.Posts, t.Gets), func(a Answer) bool { return a.Status == 429 || a.RetryAfter != "" })
	limited := asksForPause || t.AtATime+t.PerSecond+t.Parallel > 0
	vain := slices.ContainsFunc(t.posts, func(p posted) bool { return p.chapter == u.chapter && p.vain && p.at >= u.at && p.at <= u.ended })
	if limited || vain || u.stopped > 0 || u.timeout < 2*engine.Window {
		return
	}
	last, needed := u.at, time.Duration(0)
	for _, chapter := range u.plan.chapters {
		of := *u
		of.chapter = chapter
		moved, confirmed := t.shownEnd(&of)
		last, needed = max(last, moved), max(needed, confirmed)
	}
	for _, other := range t.turns { // One resource at a time for a chapter.
		if other.managed != u.managed && other.ended < u.ended {
			last = max(last, other.ended)
		}
	}
	waits := u.ended - u.at
	for _, before := range t.turns { // A young waiter counts as at least as old as the shortest conversion that the process has seen.
		if before.process == u.process && before.ended <= u.at {
			waits = max(waits, before.ended-before.at)
		}
	}
	interval := max(time.Second, min(waits/7, 16*time.Second))
	if u.ended > last+needed+2*interval+time.Second {
		t.breaks("I10", "resource %d (%s): its apply ended at %s, and the chapter had shown since %s how its conversion stands, which needs %s",
			u.index+1, chapterIDs[u.chapter], u.ended, last, needed)
	}
}

// shownEnd is since when the chapter has shown how its conversion stands, in a turn, and how long looks must agree on that.
func (t *terraform) shownEnd(u *turn) (last, _ time.Duration) {
	c := t.chapters[u.chapter]
	last = u.at
	moves := func(at time.Duration) {
		if at <= u.ended {
			last = max(last, at)
		}
	}
	for _, text := range c.texts {
		moves(text.at)
	}
	for _, at := range c.dismissals {
		moves(at)
	}
	for _, w := range t.windows {
		moves(w.due + w.For)
	}
	for _, p := range t.posts {
		if p.chapter == u.chapter {
			moves(p.at)
		}
	}
	for _, a := range slices.Concat(t.Posts, t.Gets) {
		if a.What != "" {
			last += max(a.For, 31*time.Second) // A request takes half a minute at most.
		}
	}
	for _, j := range c.jobs {
		moves(j.at)
		moves(j.visible(j.end))
		moves(j.visible(j.end) + j.CountLag)
	}
	for _, lag := range t.Replicas {
		last += lag
	}
	j, requested, needed := t.lastJob(u), u.at, engine.Window+engine.SecondLook
	if j != nil {
		requested = j.at
	}
	before := c.show(requested)
	if before.date != 0 && before.unconverted == 0 { // Only a newer date would show the end.
		needed = engine.LongestQueue + engine.SecondLook
	}
	isDisturbed := len(t.Posts)+len(t.Gets)+len(t.windows)+len(t.Replicas)+len(c.dismissals) > 0
	switch {
	case j == nil, isDisturbed, j.visible(j.end)+j.CountLag > u.ended:
		return last, needed
	case t.showsFailure(j):
		return last, engine.SecondLook
	case t.showsSuccess(c, j):
		return last, 0
	default:
		return last, needed
	}
}

// showsSuccess says whether counts show at once that a conversion has ended well.
func (t *terraform) showsSuccess(c *chapter, j *job) bool {
	end := j.visible(j.end) + j.CountLag
	hadText := c.show(j.at).unconverted > 0 && c.show(end).unconverted == 0
	return j.Ends == endsWell && j.Retries == 0 && j.Done == "" && hadText && len(c.texts) == 1
}
