package histories

import (
	"iter"
	"math/bits"
	"time"
)

func count(paragraphs uint64) int { return bits.OnesCount64(paragraphs) }

// chapter is the truth about a chapter: all that has happened to it. What it shows at any time is computed from that.
// Times are since the history began. A text is a set of paragraphs, one bit for each that was ever written.
type chapter struct {
	*Habits
	first      Habits // the habits at the beginning
	texts      []text
	next       int // the next paragraph's bit
	jobs       []*job
	dismissals []time.Duration
	added      time.Duration // of a chapter that is there later; 0: not yet
	deleted    time.Duration // 0: never
	requested  int           // conversions that the provider has requested
}

type text struct {
	at         time.Duration
	paragraphs uint64
}

// job is a conversion.
type job struct {
	Conversion
	*Habits               // of the service when it began
	process int           // that asked for it; 0: somebody else
	at      time.Duration // it was accepted
	cut     time.Duration // when somebody cancelled it; 0: nobody

	start, end time.Duration
}

const remainders = 8 // bits for paragraphs that are never converted

const neverConverted = 1<<remainders - 1

func newChapter(h Habits) *chapter {
	h.Paragraphs = max(h.Paragraphs, 1)
	c := &chapter{Habits: &h, first: h, next: remainders}
	c.texts = []text{{-time.Hour, c.write(h.Paragraphs) | (1<<h.Remainder - 1)}}
	if h.Later {
		c.texts[0].paragraphs = 0
	}
	return c
}

// add makes the project have the chapter.
func (c *chapter) add(at time.Duration) {
	if c.first.Later && c.added == 0 {
		c.added = max(at, 1)
		c.next = remainders
		c.texts = append(c.texts, text{at, c.write(c.first.Paragraphs) | (1<<c.first.Remainder - 1)})
	}
}

// exists says whether the project has the chapter.
func (c *chapter) exists(at time.Duration) bool {
	return (!c.first.Later || c.added > 0 && c.added <= at) && (c.deleted == 0 || c.deleted > at)
}

// write makes paragraphs, or as many as there are bits left.
func (c *chapter) write(paragraphs int) (written uint64) {
	for range paragraphs {
		if c.next < 64 {
			written |= 1 << c.next
			c.next++
		}
	}
	return written
}

// textAt is the text at a time.
func (c *chapter) textAt(at time.Duration) uint64 {
	for i := len(c.texts) - 1; ; i-- {
		if i == 0 || c.texts[i].at <= at {
			return c.texts[i].paragraphs
		}
	}
}

func lowest(paragraphs uint64, count int) (low uint64) {
	for ; count > 0 && paragraphs != 0; count-- {
		low |= paragraphs & -paragraphs
		paragraphs &= paragraphs - 1
	}
	return low
}

// schedule sets when the conversions start and end: one after the other.
func (c *chapter) schedule() {
	var free time.Duration
	for _, j := range c.jobs {
		j.start = max(j.at+j.Queued, free)
		j.end = j.start + j.Takes
		if j.cut > 0 && j.cut < j.end {
			j.end = j.cut
			j.start = min(j.start, j.cut)
			j.Ends = endsCancelled
		}
		free = j.end
	}
}

// busy is the conversion that runs now.
func (c *chapter) busy(now time.Duration) *job {
	for _, j := range c.jobs {
		if now < j.end {
			return j
		}
	}
	return nil
}

// gain is the text that a conversion converts when it ends, and missed the text that it does not, given what was converted
// before it.
func (c *chapter) gain(j *job, converted uint64) (gain, missed uint64) {
	if j.cut > 0 && j.start == j.end {
		return 0, 0
	}
	open := c.textAt(j.start) &^ neverConverted &^ converted
	if j.Ends == endsWell {
		return open, 0
	}
	gain = lowest(open, j.Part*count(open)/10)
	return gain, open &^ gain
}

// effect is what a conversion converts, what it does not, and what was converted before it.
type effect struct{ gain, missed, before uint64 }

// effects are the conversions in their order.
func (c *chapter) effects() iter.Seq2[*job, effect] {
	return func(yield func(*job, effect) bool) {
		converted := (uint64(1)<<c.first.Converted - 1) << remainders
		for _, j := range c.jobs {
			gain, missed := c.gain(j, converted)
			if !yield(j, effect{gain, missed, converted}) {
				return
			}
			converted |= gain
		}
	}
}

// convertedAt is the converted text, or with shown the text that is shown as converted.
func (c *chapter) convertedAt(now time.Duration, shown bool) uint64 {
	converted := (uint64(1)<<c.first.Converted - 1) << remainders
	for j, did := range c.effects() {
		end, from := j.end, j.at
		if shown {
			from += j.ShownLate
			end = max(end, from) + j.CountLag
		}
		switch {
		case now >= end:
			converted |= did.gain
		case j.Grow && now >= from && now > j.start && j.end > j.start:
			done := min(float64(now-j.start)/float64(j.end-j.start), 1)
			converted |= lowest(did.gain, int(done*float64(count(did.gain))))
		}
		if now < j.end {
			break
		}
	}
	return converted
}

// openAt is the text that is really open.
func (c *chapter) openAt(now time.Duration) uint64 {
	return c.textAt(now) &^ neverConverted &^ c.convertedAt(now, false)
}

// visible is the earliest time at which a list can show anything of a conversion.
func (j *job) visible(at time.Duration) time.Duration { return max(at, j.at+j.ShownLate) }

// current is the conversion that the chapter shows.
func (c *chapter) current(now time.Duration) *job {
	for i := len(c.jobs) - 1; i >= 0; i-- {
		j := c.jobs[i]
		if now >= j.visible(j.at) && (i == 0 || now >= c.jobs[i-1].end) {
			return j
		}
	}
	return nil
}

func word(chosen, usual string) string {
	if chosen == "" {
		return usual
	}
	return chosen
}

// stateAt is the state, and whether the conversion runs in that state.
func (c *chapter) stateAt(now time.Duration) (string, bool) {
	rest := "default"
	j := c.current(now)
	if j == nil {
		return rest, false
	}
	if now < j.end {
		middle := (j.start + j.end) / 2
		switch {
		case j.RestsFor > 0 && now >= middle && now < middle+j.RestsFor:
			return rest, false
		case now < j.start:
			return "in_queue", true
		}
		return word(j.Busy, "converting"), true
	}
	switch j.Ends {
	case endsInError:
		return word(j.Failed, rest), false
	case endsCancelled:
		return rest, false
	}
	return word(j.Done, rest), false
}

// progressAt is a percentage, which proves nothing.
func (c *chapter) progressAt(now time.Duration) int {
	j := c.current(now)
	switch {
	case j == nil || now < j.start || c.first.NoProgress:
		return 0
	case now >= j.end:
		return 100
	}
	return int(100 * (now - j.start) / (j.end - j.start))
}

// dateAt is when the shown date last moved, without the skew of the service's clock; -1: there is no date.
func (c *chapter) dateAt(now time.Duration) time.Duration {
	date := time.Duration(-1)
	if c.first.OldDate > 0 {
		date = -c.first.OldDate
	}
	for _, j := range c.jobs {
		at := j.dated()
		if at >= 0 && j.visible(at) <= now {
			date = at
		}
	}
	return date
}

// dated is when a conversion moves the date; -1: never.
func (j *job) dated() time.Duration {
	if !j.Undated && (j.Ends == endsWell || j.Ends == endsInError && j.DateOnFailure) {
		return j.end
	}
	return -1
}

func (c *chapter) errorAt(now time.Duration) ErrorText {
	shown, since := c.first.OldError, time.Duration(-1)
	for _, j := range c.jobs {
		clears := j.visible(j.start)
		if !j.ErrorStays && clears <= now && (clears < j.visible(j.end) || j.Ends == endsWell) {
			shown, since = 0, clears
		}
		at := j.visible(j.end)
		if at <= now && j.Ends == endsInError {
			shown, since = j.Error, at
		}
	}
	for _, at := range c.dismissals {
		if at <= now && at >= since {
			shown = 0
		}
	}
	j := c.current(now)
	if j != nil && j.Retries != 0 && now >= j.start && now < min((j.start+j.end)/2+j.RestsFor, j.end) {
		return j.Retries
	}
	return shown
}

// record is what a list shows of a chapter.
type record struct {
	state                  string
	busy                   bool // whether the conversion runs in this state; the list does not say so
	progress               int
	date                   int64 // 0: there is none
	error                  ErrorText
	converted, unconverted int // paragraphs
}

// show is what a list shows at a time.
func (c *chapter) show(now time.Duration) record {
	r := record{progress: c.progressAt(now), error: c.errorAt(now)}
	r.state, r.busy = c.stateAt(now)
	date := c.dateAt(now)
	if date != -1 {
		r.date = epoch + int64((date+c.first.ClockSkew)/time.Second)
	}
	text, converted := c.textAt(now), c.convertedAt(now, true)
	r.converted, r.unconverted = count(text&converted), count(text&^converted)
	return r
}

// becomeUsual gives the chapter the usual habits from now on.
func (c *chapter) becomeUsual() { c.Habits = &Habits{Idles: c.Idles} }

// epoch is the time at which a synctest bubble begins.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
