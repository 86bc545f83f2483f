package simulation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// draw makes the story that belongs to a seed.
func draw(seed uint64) *story {
	d := &dice{Rand: rand.New(rand.NewPCG(seed, 17))}
	// Most stories have few unusual features, so that a failing one is easy to read.
	d.odds = min(*odds, pick(d, 0.015, 0.015, 0.03, 0.03, 0.03, 0.06, 0.06, 0.12, 0.12, 0.3))
	s := &story{Seed: seed}
	for range pick(d, 1, 1, 1, 1, 2, 3) {
		s.Chapters = append(s.Chapters, d.habits())
	}
	for range pick(d, 1, 1, 1, 1, 2, 2, 3) {
		s.Blocks = append(s.Blocks, d.block(len(s.Chapters)))
	}
	for number := range pick(d, 1, 2, 2, 3, 3, 4) {
		s.Rounds = append(s.Rounds, d.round(s, number))
	}
	for number := range 6 {
		if d.odd() {
			s.Posts = append(s.Posts, d.postFault(number))
		}
	}
	for number := range 40 {
		if d.odd() && d.one(3) {
			s.Gets = append(s.Gets, d.getFault(number))
		}
	}
	if d.odd() {
		s.Replicas = make([]time.Duration, 1+d.IntN(3))
		for i := range s.Replicas {
			s.Replicas[i] = d.seconds(0, 4)
		}
	}
	if d.one(4) {
		s.Limit = 1 + d.IntN(10)
	}
	if d.one(3) {
		d.book(s)
		d.moreOfBooks(s)
		if d.one(3) {
			d.grow(s)
		}
	}
	d.scenes(s)
	for i := range s.Blocks {
		s.Blocks[i].Excludes = s.Blocks[i].Book && d.one(4)
	}
	if d.odd() {
		s.AtATime = 1 + d.IntN(2)
	}
	if d.one(8) {
		d.wholeProject(s)
	}
	return s
}

// mostDrawn is how many chapters a story has at most, except that of one scene.
const mostDrawn = 3

// book makes a block one for the whole project, or adds such a block.
func (d *dice) book(s *story) {
	for len(s.Chapters) < mostDrawn && d.one(2) {
		s.Chapters = append(s.Chapters, d.habits())
	}
	b := d.bookBlock(s)
	b.ChapterTimeout = sometimes(d, 10*time.Second, 40*time.Second, time.Minute, 5*time.Minute)
	s.Parallel = sometimes(d, 1, 2)
	number := len(s.Blocks)
	if d.one(2) {
		s.Blocks = append(s.Blocks, b)
	} else {
		number = d.IntN(len(s.Blocks))
		s.Blocks[number] = b
	}
	s.Blocks[number].Chapters = sometimes(d, d.chapters(s))
	d.changeBook(s, number)
}

func (d *dice) bookBlock(s *story) block {
	b := d.block(len(s.Chapters))
	b.Book, b.Chapter, b.Keep, b.Action = true, 0, false, false
	return b
}

// moreOfBooks makes another block for the same project, and lets actions follow the blocks of books.
func (d *dice) moreOfBooks(s *story) {
	if d.one(3) {
		b := d.bookBlock(s)
		b.Chapters = d.chapters(s)
		if len(b.Chapters) == 0 {
			b.Chapters = []int{0}
		}
		s.Blocks = append(s.Blocks, b)
		d.changeBook(s, len(s.Blocks)-1)
	}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		if b.Book && d.one(4) {
			b.Action, b.All = true, d.one(3)
		}
	}
}

// grow makes the project get chapters, and lose some. That of a chapter block stays, because nothing could be applied without it.
func (d *dice) grow(s *story) {
	if len(s.Chapters) < mostDrawn {
		s.Chapters = append(s.Chapters, d.habits())
	}
	var free []int
	for chapter := range s.Chapters {
		if !slices.ContainsFunc(s.Blocks, func(b block) bool { return !b.Book && b.Chapter == chapter }) {
			free = append(free, chapter)
		}
	}
	for _, chapter := range free {
		what := pick(d, "add", "add", "delete", "swap", "")
		if what == "" {
			continue
		}
		r := &s.Rounds[d.IntN(len(s.Rounds))]
		e := event{Chapter: chapter, What: "add", At: pick(d, -time.Second, d.seconds(0, 10), d.seconds(5, 60), d.seconds(30, 600))}
		if d.one(3) {
			e.At, e.Before = 0, 1+d.IntN(len(s.Blocks))
		}
		s.Chapters[chapter].Later = what != "delete"
		if what != "add" {
			gone := e
			gone.What = "delete"
			if what == "swap" {
				gone.Chapter = pick(d, free...)
			}
			r.Events = append(r.Events, gone)
		}
		if what != "delete" {
			r.Events = append(r.Events, e)
		}
	}
}

// changeBook makes somebody change the arguments of a book.
func (d *dice) changeBook(s *story, number int) {
	for round := range s.Rounds {
		if !d.odd() && !d.one(6) {
			continue
		}
		change := change{Block: number, What: pick(d, "after", "after", "after", "always", "chapters")}
		switch change.What {
		case "after":
			change.Ago = pick(d, 0, 0, d.seconds(1, 60), d.seconds(60, 3600), -d.seconds(1, 300))
		case "chapters":
			change.Chapters = d.chapters(s)
		}
		s.Rounds[round].Changes = append(s.Rounds[round].Changes, change)
	}
}

type dice struct {
	*rand.Rand
	odds float64
}

func (d *dice) odd() bool      { return d.Float64() < d.odds }
func (d *dice) one(n int) bool { return d.IntN(n) == 0 }

func (d *dice) seconds(least, most int) time.Duration {
	return time.Duration(least+d.IntN(most-least+1)) * time.Second
}

func pick[T any](d *dice, of ...T) T { return of[d.IntN(len(of))] }

// sometimes returns one of the values with the probability odds, and otherwise the zero value, which is the usual one.
func sometimes[T any](d *dice, of ...T) (usual T) {
	if d.odd() {
		return pick(d, of...)
	}
	return usual
}

func (d *dice) habits() habits {
	h := habits{Paragraphs: 1 + d.IntN(6)}
	if d.one(3) {
		h.Converted = d.IntN(h.Paragraphs + 1)
	}
	if h.Converted > 0 || d.one(3) {
		h.OldDate = time.Hour
	}
	h.Remainder = sometimes(d, 1, 2)
	h.OldError = sometimes[errorText](d, 1, 1, 2, -2)
	h.Undated, h.DateOnFailure = sometimes(d, true), sometimes(d, true)
	h.ClockSkew = sometimes(d, d.skew())
	h.ErrorStays = sometimes(d, true)
	h.CountLag = sometimes(d, d.seconds(1, 20))
	h.Grow = sometimes(d, true)
	h.WhenBusy = sometimes(d, busyBadRequest, busyError, busyQueues, busyQueues)
	h.Idles = h.Remainder == 0 && sometimes(d, true)
	for range d.IntN(5) {
		h.Conversions = append(h.Conversions, d.conversion())
	}
	return h
}

// skew is how wrong a service's clock is. Ten minutes are more than may be ahead of this machine's.
func (d *dice) skew() time.Duration {
	return pick(d, -5*time.Minute, -20*time.Second, time.Minute, 10*time.Minute)
}

// chapters are some of the chapters; none stands for all.
func (d *dice) chapters(s *story) (chapters []int) {
	for chapter := range s.Chapters {
		if d.one(2) {
			chapters = append(chapters, chapter)
		}
	}
	return chapters
}

// absent is a state that the record lacks.
const absent = "(absent)"

func (d *dice) conversion() conversion {
	c := conversion{Takes: pick(d, 0, d.seconds(1, 10), d.seconds(5, 60), d.seconds(30, 300))}
	c.Takes = max(c.Takes, sometimes(d, 10*time.Minute, 30*time.Minute))
	c.Queued = sometimes(d, d.seconds(1, 10), d.seconds(20, 120))
	c.ShownLate = sometimes(d, time.Second, 5*time.Second, 20*time.Second, 29*time.Second, 31*time.Second, 45*time.Second, 3*time.Minute)
	if d.odd() || d.one(12) {
		c.Ends = pick(d, endsInError, endsInError, endsCancelled)
		if d.one(3) {
			c.Part = d.IntN(10)
		}
		c.Error = pick[errorText](d, 1, 1, 1, 2, -2, 3)
	}
	c.RestsFor = sometimes(d, time.Second, 2*time.Second, 4*time.Second)
	return c
}

func (d *dice) block(chapters int) block {
	b := block{Keep: d.one(2), Depends: d.one(3)}
	if d.one(2) {
		b.Chapter = d.IntN(chapters)
	}
	b.Alias = sometimes(d, 1)
	b.Timeout = sometimes(d, 10*time.Second, 40*time.Second, time.Minute, 5*time.Minute, time.Hour)
	b.CreateBeforeDestroy, b.Forgets, b.Action = sometimes(d, true), sometimes(d, true), sometimes(d, true)
	b.From = sometimes(d, 1)
	return b
}

func (d *dice) round(s *story, number int) round {
	r := round{Pause: pick(d, time.Second, d.seconds(2, 60), d.seconds(60, 600), d.seconds(600, 3600))}
	for i := range s.Blocks {
		if d.odd() {
			r.Changes = append(r.Changes, change{Block: i, What: "provisioner"})
		}
		if number > 0 && (d.odd() || d.one(8)) {
			r.Changes = append(r.Changes, change{Block: i, What: pick(d, "taint", "replace", "triggers", "triggers", "keep", "rename")})
		}
	}
	for range 4 {
		if d.odd() || d.one(20) {
			r.Events = append(r.Events, d.event(s))
		}
	}
	r.PlanOnly, r.NoRefresh, r.Backwards = sometimes(d, true), sometimes(d, true), sometimes(d, true)
	r.Parallelism = sometimes(d, 2, 3)
	if d.one(4) {
		r.Parallelism = 1
	}
	r.Think = sometimes(d, d.seconds(1, 60), d.seconds(60, 600))
	if d.odd() || d.one(10) {
		r.Interrupt = d.disturbed()
	}
	if d.odd() {
		r.Kill = d.disturbed()
	}
	return r
}

func (d *dice) disturbed() time.Duration {
	return pick(d, time.Millisecond, d.seconds(0, 5)+500*time.Millisecond, d.seconds(5, 60)+500*time.Millisecond, d.seconds(60, 300))
}

func (d *dice) event(s *story) event {
	e := event{
		Chapter: d.IntN(len(s.Chapters)), Paragraphs: 1 + d.IntN(3),
		What: pick(d, "append", "append", "shorten", "replace", "mend", "convert", "convert", "cancel", "dismiss", "missing", "missing", "empty", "down"),
		At:   pick(d, -d.seconds(1, 30), d.seconds(0, 10), d.seconds(5, 60), d.seconds(30, 600)),
	}
	if sometimes(d, true) && d.one(4) {
		e.What = "delete"
	}
	switch e.What {
	case "append", "shorten", "replace", "mend":
		if d.one(3) {
			e.At, e.Before = 0, 1+d.IntN(len(s.Blocks))
		}
	case "convert":
		e.Conversion = d.conversion()
	case "missing", "empty":
		// Either so short that the look that confirms has the chapter again, or long enough for several looks.
		e.For = pick(d, time.Millisecond, 2*time.Second, d.seconds(1, 4), d.seconds(10, 60))
		e.At = pick(d, e.At, 0, -e.For/2)
	case "down":
		e.For = d.seconds(1, 60)
	}
	return e
}

func (d *dice) postFault(number int) fault {
	f := fault{Number: number, After: d.one(2)}
	what := d.IntN(22)
	switch {
	case what < 3:
		f.What = "reset"
	case what < 5:
		f.What = "eof"
	case what < 7:
		f.What = "hang"
	case what < 11:
		f.What, f.Status = "status", pick(d, 408, 500, 502, 503, 504)
	case what < 13:
		f.What, f.After = "unreadable", true
	case what < 16:
		f.What, f.Status, f.After, f.RetryAfter = "status", 429, false, d.retryAfter()
	case what < 19:
		f.What, f.Status, f.After = "status", pick(d, 400, 401, 402, 403, 404, 409, 422), false
	case what < 21:
		f.What, f.After, f.For = "slow", true, d.seconds(1, 20)
	default:
		f.What, f.After = "redirect", false
	}
	return f
}

func (d *dice) getFault(number int) fault {
	f := fault{Number: number, What: pick(d, "status", "status", "status", "reset", "eof", "hang", "truncated", "html")}
	if f.What == "status" {
		f.Status = pick(d, 500, 502, 503, 504, 429, 404)
		if f.Status == 429 {
			f.RetryAfter = d.retryAfter()
		}
	}
	return f
}

func (d *dice) retryAfter() string {
	seconds := pick(d, 1, 1+d.IntN(30), 1+d.IntN(300), 7200)
	return pick(d, "", fmt.Sprint(seconds), fmt.Sprintf("date %d", seconds))
}
