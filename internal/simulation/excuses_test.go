package simulation_test

import (
	"slices"
	"time"
)

// excuse is a reason why nobody can know that certain paragraphs are not converted.
type excuse struct {
	name string
	of   func(w *world, b *wish, since, now time.Duration) uint64
}

const (
	everything   = ^uint64(0)
	cancelled    = "I1: a conversion was seen busy, then cancelled, or failed and the error was dismissed, and its date moved after that, was shown late, or was that of somebody else's conversion"
	noEffect     = "I1: a request was accepted, or its answer lost, but it had no effect because a conversion ran that nobody could see"
	replacedText = "I1: text was replaced by as much or less text, before anybody had seen its conversion's end, or where some text is left over"
)

var excuses = []excuse{
	{"I1: a conversion converted a part, and then was cancelled, or failed with an error that was there before, was shown late, or was dismissed before any look", partly},
	{cancelled, datedCancel},
	{"I1: the service counts nothing, and a book takes a date for a conversion, text was edited, an error dismissed, or conversions are dated or shown at another time than their end", uncounted},
	{noEffect, ignored},
	{replacedText, replaced},
	{"I1: text was left over, another conversion converted it, and as much was written", writtenAgain},
	{"I1: a conversion moved its date at its start, and its state looked like rest while it ran", likeRest},
	{"I1: the text that an earlier conversion converted was shown only after the request", stale},
}

// partly excuses text of which a part was converted.
func partly(w *world, b *wish, _, now time.Duration) (excused uint64) {
	cutShort := w.Blocks[b.index].Timeout+w.Blocks[b.index].ChapterTimeout > 0 || slices.ContainsFunc(w.Rounds, func(r round) bool { return r.Interrupt+r.Kill > 0 })
	c := w.chapters[b.chapter]
	for j, did := range c.effects() {
		if j.end <= now && did.gain != 0 && (j.Ends == endsCancelled || j.Ends == endsInError && (!w.freshError(b, j) || c.saidBefore(j) && (!w.showedCleared(b, j) || j.ShownLate >= 30*time.Second || w.shared(b.chapter)) || w.followedByAnother(b, j) || w.firstShown(b, j.Error) < 0 || c.first.ErrorLag+w.oldest() > 5*time.Second ||
			(j.Failed != "" || cutShort || j.ShownLate >= 30*time.Second) && c.dismissed(j, w.firstShown(b, j.Error)+6*time.Second))) { // In a state of the service's own words, that looks as if it went on; and a plan keeps nothing of one look at what an apply has left.
			excused |= did.missed
		}
	}
	return excused
}

// shared says whether several blocks may be about a chapter.
func (s *story) shared(chapter int) bool {
	return len(slices.DeleteFunc(slices.Clone(s.Blocks), func(b block) bool { return !b.Book && b.Chapter != chapter })) > 1
}

// saidBefore says whether an earlier conversion failed with the same words: to what was pending since then they are not new.
func (c *chapter) saidBefore(j *job) bool {
	return c.first.OldError.normal() == j.Error.normal() || slices.ContainsFunc(c.jobs, func(other *job) bool {
		return other != j && other.at <= j.at && other.Ends == endsInError && other.Error.normal() == j.Error.normal()
	})
}

// shownTo is what a list has shown of the chapter to a block's provider: another alias is another process, and tells it nothing, nor does
// a list that it requested for another chapter, before this one's turn.
func (w *world) shownTo(b *wish, l listing) *record {
	looked := func(at time.Duration) bool { return at >= l.asked && at <= l.asked+time.Second }
	if w.aliases[l.process-1] != b.Alias || !slices.ContainsFunc(w.looks[b.chapter], looked) {
		return nil
	}
	return l.shown[b.chapter]
}

// firstShown is when a list first showed the error, and no other conversion that ran; -1: never.
func (w *world) firstShown(b *wish, e errorText) time.Duration {
	for _, l := range w.lists {
		if r := w.shownTo(b, l); r != nil && r.error == e && !r.busy {
			return l.asked
		}
	}
	return -1
}

// followedByAnother says whether another conversion began before anybody could be sure of this one's error.
func (w *world) followedByAnother(b *wish, j *job) bool {
	return slices.ContainsFunc(w.chapters[b.chapter].jobs, func(other *job) bool {
		return other != j && other.at >= j.at && other.at <= max(j.end, w.firstShown(b, j.Error))+10*time.Second
	})
}

func datedCancel(w *world, b *wish, _, now time.Duration) (excused uint64) {
	c := w.chapters[b.chapter]
	for j, did := range c.effects() {
		switch busy := w.showedBusy(b, j, func(*record) bool { return true }); {
		case j.end <= now && !busy && j.Ends == endsCancelled: // The look before the request may be a second old.
			excused |= c.textAt(j.at) &^ c.textAt(j.at-time.Second)
		case j.end <= now && busy && (j.Ends == endsCancelled && (c.first.DateOnCancel || j.dated() > j.at || c.first.DateLag+w.oldest() > 0 || w.datedAfter(b, j, now)) ||
			j.Ends == endsInError && j.dated() >= 0 && c.dismissed(j, now)):
			excused |= c.textAt(j.at) &^ did.before
		}
	}
	return excused
}

// datedAfter says whether a conversion of somebody else, or of another alias, has moved the date after this one.
func (w *world) datedAfter(b *wish, j *job, now time.Duration) bool {
	return slices.ContainsFunc(w.chapters[b.chapter].jobs, func(other *job) bool {
		return (other.process == 0 || w.aliases[other.process-1] != b.Alias) && other.at >= j.end && other.dated() >= 0 && other.dated() <= now
	})
}

// dismissed says whether the error of a conversion is gone.
func (c *chapter) dismissed(j *job, now time.Duration) bool {
	return slices.ContainsFunc(c.dismissals, func(at time.Duration) bool { return at >= j.end && at <= now })
}

// freshError says whether a failure can be distinguished from an error that was there before.
func (w *world) freshError(b *wish, j *job) bool {
	before := w.chapters[b.chapter].errorAt(j.at - 1)
	return j.Error != 0 && (before.normal() != j.Error.normal() || w.showedCleared(b, j))
}

// showedCleared says whether a list has shown the chapter busy and without an error during the conversion.
func (w *world) showedCleared(b *wish, j *job) bool {
	return w.showedBusy(b, j, func(r *record) bool { return r.state != absent && r.state != empty && r.error == 0 })
}

// showedBusy says whether a list has shown the chapter busy, and so, since a conversion was requested.
func (w *world) showedBusy(b *wish, j *job, so func(*record) bool) bool {
	return slices.ContainsFunc(w.lists, func(l listing) bool {
		r := w.shownTo(b, l)
		return r != nil && r.busy && l.asked > j.at && l.asked < j.end+w.chapters[b.chapter].lag()+w.oldest() && so(r)
	})
}

// failureStands says whether the latest conversion was ours and failed, and the chapter still shows its error, which everybody could see.
func (w *world) failureStands(b *wish, now time.Duration) bool {
	c := w.chapters[b.chapter]
	return slices.ContainsFunc(c.jobs[max(len(c.jobs)-1, 0):], func(j *job) bool {
		adopted := b.Action || b.Book && (b.CreateBeforeDestroy && !w.outdated(b, now) || b.after == nil && (c.dateAt(j.at-1) != -1 || w.Blocks[b.index].From > 0 && j.at < b.settled.created)) // the conversion was for an action, or its date was enough, and it was for another block, or the object before
		return !adopted && !b.forgot && j.process > 0 && j.ShownLate < 30*time.Second && w.freshError(b, j) && c.errorAt(now) == j.Error && c.first.ErrorLag+w.oldest() <= 5*time.Second && w.firstShown(b, j.Error) >= j.end && w.firstShown(b, j.Error)+10*time.Second < now
	})
}

func uncounted(w *world, b *wish, _, now time.Duration) uint64 {
	c := w.chapters[b.chapter]
	if c.Counts != countsMissing || w.failureStands(b, now) {
		return 0
	}
	if b.Book && c.dateAt(now) != -1 || len(c.texts) > 1 || len(c.dismissals) > 0 || c.first.Queue+c.first.First+c.first.Busy != "" || c.first.DateAt != atEnd || c.first.StateLag+c.first.DateLag+c.first.ErrorLag > 0 || len(w.Replicas) > 0 ||
		slices.ContainsFunc(c.jobs, func(j *job) bool { return j.Ends != endsWell || j.ShownLate > 0 || j.RestsFor > 0 || j.NeverBusy }) {
		return everything
	}
	return 0
}

func ignored(w *world, b *wish, _, _ time.Duration) (excused uint64) {
	for _, s := range w.ignoredRequests {
		if s.chapter == b.chapter && s.busy {
			excused |= w.chapters[b.chapter].textAt(s.at)
		}
	}
	return excused
}

func stale(w *world, b *wish, _, _ time.Duration) (excused uint64) {
	c := w.chapters[b.chapter]
	for _, p := range w.posts {
		for _, j := range c.jobs {
			if p.chapter == b.chapter && j.end <= p.at && j.visible(j.end)+j.CountLag+c.lag()+w.oldest() > p.at {
				excused = everything
			}
		}
	}
	return excused
}

func replaced(w *world, b *wish, since, now time.Duration) (excused uint64) {
	c := w.chapters[b.chapter]
	// A block that was out of time is replaced, and its destruction does not tell the creation what it has seen.
	outOfTime := slices.ContainsFunc(w.Blocks, func(other block) bool { return other.Timeout > 0 && (other.Book || other.Chapter == b.chapter) })
	for _, j := range c.jobs {
		for _, before := range c.textsAt(j.at-time.Second-c.first.CountsLag-w.oldest(), j.at) { // The list on which a request is based is a second old at most, and shows what its replica knows.
			for _, at := range []time.Duration{min(j.end, now), max(since, min(j.end, now)), now} {
				after := c.textAt(at)
				if before != after && count(before) >= count(after) && (at <= j.end || outOfTime || !w.seenConverted(b.chapter, j, at)) {
					excused |= after &^ before
				}
			}
		}
	}
	left, some := c.first.Remainder, c.first.Remainder > 0
	for j, did := range c.effects() {
		left, some = max(left, count(did.missed)), some || j.Ends != endsWell
	}
	if some {
		// The provider knows left-over text only by its count.
		for i, text := range c.texts {
			if i > 0 && text.paragraphs&^c.texts[i-1].paragraphs != 0 && count(text.paragraphs) <= count(c.texts[i-1].paragraphs) {
				excused |= text.paragraphs &^ c.texts[i-1].paragraphs
				if open := c.openAt(now); count(open) <= left {
					excused |= open
				}
			}
		}
	}
	return excused
}

// textsAt are the texts that a chapter had in a time.
func (c *chapter) textsAt(from, to time.Duration) []uint64 {
	all := []uint64{c.textAt(from)}
	for _, text := range c.texts {
		if text.at > from && text.at <= to {
			all = append(all, text.paragraphs)
		}
	}
	return all
}

// seenConverted says whether a process has seen that a conversion had left nothing open, and later the text that is there at a time.
func (w *world) seenConverted(chapter int, j *job, at time.Duration) bool {
	edited, ended := w.chapters[chapter].texts[len(w.chapters[chapter].texts)-1].at, map[int]bool{}
	for _, l := range w.lists {
		switch r := l.shown[chapter]; {
		case r == nil || r.busy || l.asked > at:
		case l.asked < edited && l.asked > j.end && r.unconverted == 0 && w.chapters[chapter].looksLikeRest(r.state):
			ended[l.process] = true
		case l.asked > edited && ended[l.process]:
			return true
		}
	}
	return false
}

// writtenAgain is text that was written after a conversion had left as much, if another conversion has converted that since. The
// provider knows left-over text only by its count.
func writtenAgain(w *world, b *wish, _, now time.Duration) (excused uint64) {
	c := w.chapters[b.chapter]
	left := uint64(0)
	for j, did := range c.effects() {
		switch open := c.openAt(now); {
		case j.end > now:
		case left&did.gain != 0 && count(open) <= count(left):
			excused |= open &^ left
		case did.gain != 0 && did.missed != 0:
			left = did.missed
		}
	}
	return excused
}

func likeRest(w *world, b *wish, since, now time.Duration) (excused uint64) {
	c := w.chapters[b.chapter]
	for _, j := range c.jobs {
		for _, at := range []time.Duration{since, now} { // A book waits for its other chapters after that.
			state, _ := c.stateAt(at)
			if like := !(&record{state: state}).converting(); like && j.end > now && j.dated() >= 0 && j.dated() <= at {
				excused |= c.textAt(j.at)
			}
		}
	}
	return excused
}
