package simulation_test

import (
	"slices"
	"time"
)

// excuse is a reason why nobody can know that certain paragraphs are not converted: all that any list has shown fits
// a good end, too. It returns these paragraphs of a wish's chapter, for a claim made now.
type excuse struct {
	name string
	of   func(w *world, b *wish, now time.Duration) uint64
}

const (
	cutInPart    = "I1: a conversion converted a part, and was cancelled, or failed with an error that nobody could tell"
	replacedText = "I1: text was replaced by as much or less, before a process that waited could see the end, or beside text that is left"
)

// excuses are asked in this order. No others may be added: a story that needs another one shows a fault, or is left.
var excuses = []excuse{
	{cutInPart, partly},
	{replacedText, replaced},
}

const (
	// window is how long looks must agree where the chapter does not show how its conversion has ended.
	window = 30 * time.Second
	// secondLook is the time to the look that confirms another.
	secondLook = 5 * time.Second
	// longestInterval is the longest time between two looks at a conversion that is waited for.
	longestInterval = 16 * time.Second
)

// partly excuses what a conversion has left that converted a part, and then failed or was cancelled, where nothing
// shows that it has not ended well. The rest looks like text that the service skips.
func partly(w *world, b *wish, now time.Duration) (excused uint64) {
	for j, did := range w.chapters[b.chapter].effects() {
		inPart := j.end <= now && did.gain != 0
		if inPart && (j.Ends == endsCancelled || j.Ends == endsInError && w.hidesFailure(b, j)) {
			excused |= did.missed
		}
	}
	return excused
}

// hidesFailure says whether nobody could be sure that this conversion has failed.
func (w *world) hidesFailure(b *wish, j *job) bool {
	c := w.chapters[b.chapter]
	firstShown := w.firstShown(b, j)
	return !w.freshError(b, j) ||
		w.followedByAnother(b, j) ||
		firstShown < 0 ||
		c.dismissed(j, firstShown+secondLook+time.Second)
}

// shared says whether several blocks may be about a chapter.
func (s *story) shared(chapter int) bool {
	about := 0
	for _, b := range s.Blocks {
		if b.Book || b.Chapter == chapter {
			about++
		}
	}
	return about > 1
}

// shownTo is what a list has shown of the chapter to a block's provider; nil if it has not. Another alias is another
// process, and tells it nothing, nor does a list that it requested for another chapter, before this one's turn.
func (w *world) shownTo(b *wish, l listing) *record {
	looked := func(at time.Duration) bool { return at >= l.asked && at <= l.asked+time.Second }
	if w.aliases[l.process-1] != b.Alias || !slices.ContainsFunc(w.looks[b.chapter], looked) {
		return nil
	}
	return l.shown[b.chapter]
}

// firstShown is when a list first showed the error of a conversion, and no other conversion that ran; -1: never.
func (w *world) firstShown(b *wish, j *job) time.Duration {
	for _, l := range w.lists {
		r := w.shownTo(b, l)
		if r != nil && r.error == j.Error && !r.busy && l.asked >= j.end {
			return l.asked
		}
	}
	return -1
}

// followedByAnother says whether another conversion began before anybody could be sure of this one's error.
func (w *world) followedByAnother(b *wish, j *job) bool {
	sure := max(j.end, w.firstShown(b, j)) + 2*secondLook
	return slices.ContainsFunc(w.chapters[b.chapter].jobs, func(other *job) bool {
		return other != j && other.at >= j.at && other.at <= sure
	})
}

// dismissed says whether the error of a conversion is gone.
func (c *chapter) dismissed(j *job, now time.Duration) bool {
	return slices.ContainsFunc(c.dismissals, func(at time.Duration) bool { return at >= j.end && at <= now })
}

// freshError says whether a failure can be told from an error that was there before.
func (w *world) freshError(b *wish, j *job) bool {
	before := w.chapters[b.chapter].errorAt(j.at - 1)
	return j.Error != 0 && (before.normal() != j.Error.normal() || w.showedCleared(b, j))
}

// showedCleared says whether a list has shown the chapter busy and without an error during the conversion.
func (w *world) showedCleared(b *wish, j *job) bool {
	return w.showedBusy(b, j, func(r *record) bool { return r.state != absent && r.error == 0 })
}

// showedBusy says whether a list has shown the chapter busy, and so, since a conversion was requested.
func (w *world) showedBusy(b *wish, j *job, so func(*record) bool) bool {
	until := j.end + w.oldest()
	return slices.ContainsFunc(w.lists, func(l listing) bool {
		r := w.shownTo(b, l)
		return r != nil && r.busy && l.asked > j.at && l.asked < until && so(r)
	})
}

// replaced excuses new text that looks like the old one, because the provider knows a text only by its length.
func replaced(w *world, b *wish, now time.Duration) (excused uint64) {
	for _, j := range w.chapters[b.chapter].jobs {
		excused |= w.replacedDuring(b.chapter, j, now)
	}
	return excused | w.replacedBesideLeftOver(b.chapter, now)
}

// replacedDuring is text that replaced as much text or more since a conversion was requested, and before somebody who waited for it could
// see its end. The list on which a request is based is a second old at most.
func (w *world) replacedDuring(chapter int, j *job, now time.Duration) (excused uint64) {
	c := w.chapters[chapter]
	from, until := j.at-time.Second-w.oldest(), min(now, j.visible(j.end)+j.CountLag+w.oldest()+longestInterval)
	texts := []uint64{c.textAt(from)}
	for _, text := range c.texts {
		if text.at <= from || text.at > until {
			continue
		}
		for _, before := range texts {
			if count(before) >= count(text.paragraphs) {
				excused |= text.paragraphs &^ before
			}
		}
		texts = append(texts, text.paragraphs)
	}
	return excused
}

// replacedBesideLeftOver is text that replaced as much text or more where some is left over, which the provider knows
// only by its count.
func (w *world) replacedBesideLeftOver(chapter int, now time.Duration) (excused uint64) {
	c := w.chapters[chapter]
	left, some := c.first.Remainder, c.first.Remainder > 0
	for j, did := range c.effects() {
		left, some = max(left, count(did.missed)), some || j.Ends != endsWell
	}
	if !some {
		return 0
	}
	for i, text := range c.texts[1:] {
		before := c.texts[i].paragraphs
		written := text.paragraphs &^ before
		if written == 0 || count(text.paragraphs) > count(before) {
			continue
		}
		excused |= written
		open := c.openAt(now)
		if count(open) <= left {
			excused |= open
		}
	}
	return excused
}
