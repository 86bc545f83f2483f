package simulation_test

import (
	"slices"
	"time"
)

// scenes change a story so that certain rules of the engine must decide in it. Plain stories leave most of them out.
var scenes = []func(*dice, *story){
	(*dice).flaps, (*dice).lags, (*dice).queuedForOthers, (*dice).stopsInSeconds, (*dice).failsAgain,
	(*dice).replacesAll, (*dice).retriggers, (*dice).leavesText, (*dice).demandsDates, (*dice).losesAnswers, (*dice).editsMeanwhile, (*dice).refuses,
	(*dice).sendsWhileStopped, (*dice).replacesMany,
}

// stage one or two scenes in most stories.
func (d *dice) scenes(s *story) {
	if d.Float64() < *strangers {
		pick(d, strange...)(d, s)
	}
	if d.one(3) {
		return
	}
	for range pick(d, 1, 1, 2) {
		pick(d, scenes...)(d, s)
	}
}

// eachConversion changes some of the conversions that the provider requests, and makes sure that there are some.
func (d *dice) eachConversion(s *story, do func(*conversion)) {
	for i := range s.Chapters {
		c := &s.Chapters[i]
		for len(c.Conversions) < 1+d.IntN(3) {
			c.Conversions = append(c.Conversions, d.conversion())
		}
		for j := range c.Conversions {
			if !d.one(3) {
				do(&c.Conversions[j])
			}
		}
	}
}

func (d *dice) anyChapter(s *story) *habits { return &s.Chapters[d.IntN(len(s.Chapters))] }
func (d *dice) anyRound(s *story) *round    { return &s.Rounds[d.IntN(len(s.Rounds))] }

// again makes sure that there is a round after the first, soon.
func (d *dice) again(s *story) {
	if len(s.Rounds) < 2 {
		s.Rounds = append(s.Rounds, d.round(s, 1))
	}
	if d.one(2) {
		s.Rounds[1].Pause = pick(d, time.Second, d.seconds(1, 20), d.seconds(20, 50))
	}
}

func (d *dice) flaps(s *story) {
	d.eachConversion(s, func(c *conversion) {
		c.Takes = max(c.Takes, d.seconds(20, 120))
		c.RestsFor = pick(d, time.Second, 2*time.Second, 4*time.Second)
		c.Retries = sometimes[errorText](d, 1, 2)
	})
}

func (d *dice) lags(s *story) {
	if d.one(2) {
		s.Replicas = make([]time.Duration, 2+d.IntN(2))
		for i := range s.Replicas {
			s.Replicas[i] = pick(d, 0, d.seconds(0, 4))
		}
		return
	}
	d.anyChapter(s).CountLag = d.seconds(0, 20)
	if d.one(2) {
		d.eachConversion(s, func(c *conversion) {
			c.ShownLate = pick(d, d.seconds(1, 10), d.seconds(10, 29), 31*time.Second, 50*time.Second)
		})
	}
}

// queuedForOthers: somebody has a chapter converted right before Terraform comes, and that waits in the service's queue.
func (d *dice) queuedForOthers(s *story) {
	chapter := d.IntN(len(s.Chapters))
	c := d.conversion()
	c.Queued, c.ShownLate = d.seconds(5, 120), 0
	at := pick(d, -time.Second, -d.seconds(1, 30), d.seconds(0, 5))
	r := d.anyRound(s)
	r.Events = append(r.Events, event{Chapter: chapter, What: "convert", At: at, Conversion: c})
	if d.one(2) {
		r.Events = append(r.Events, event{Chapter: chapter, What: pick(d, "append", "replace", "cancel"), Paragraphs: 1 + d.IntN(2), At: d.seconds(2, 100)})
	}
	s.Chapters[chapter].WhenBusy = pick(d, busyConflict, busyBadRequest, busyError, busyQueues)
}

// stopsInSeconds: an apply ends in one of the seconds that matter: right after the request, around the end of the
// conversion, or around the end of the window. The next one comes soon.
func (d *dice) stopsInSeconds(s *story) {
	takes := d.seconds(5, 90)
	d.eachConversion(s, func(c *conversion) { c.Takes = takes })
	d.again(s)
	r := &s.Rounds[d.IntN(len(s.Rounds)-1)]
	when := pick(d, time.Millisecond, d.seconds(0, 3)+time.Millisecond, takes+time.Duration(d.IntN(8000)-3000)*time.Millisecond, d.seconds(28, 38), takes+d.seconds(28, 38))
	r.Interrupt, r.Kill = 0, 0
	switch d.IntN(4) {
	case 0:
		r.Kill = max(when, time.Millisecond)
	case 1:
		s.Blocks[d.IntN(len(s.Blocks))].Timeout = max(when.Truncate(time.Second), 2*time.Second)
	default:
		r.Interrupt = max(when, time.Millisecond)
	}
}

// failsAgain: conversions fail, with the words of an error that stands there already, perhaps.
func (d *dice) failsAgain(s *story) {
	h := d.anyChapter(s)
	h.OldError = sometimes[errorText](d, 1)
	if d.one(2) {
		h.OldError = pick[errorText](d, 1, 2)
	}
	h.ErrorStays = d.one(3)
	h.DateOnFailure = d.one(2)
	d.eachConversion(s, func(c *conversion) {
		c.Ends = pick(d, endsInError, endsInError, endsCancelled, endsWell)
		c.Error = pick[errorText](d, 1, 1, 2, -2, 3)
		c.Part = pick(d, 0, 0, 5)
	})
	d.again(s)
	if d.one(4) {
		r := d.anyRound(s)
		r.Events = append(r.Events, event{Chapter: d.IntN(len(s.Chapters)), What: "dismiss", At: d.seconds(0, 60)})
	}
}

// replacesAll: several blocks for the same chapters are all replaced in one apply, after one that did not end well.
func (d *dice) replacesAll(s *story) {
	if len(s.Blocks) < 3 {
		b := d.block(len(s.Chapters))
		b.Chapter, b.From = s.Blocks[0].Chapter, 0
		s.Blocks = append(s.Blocks, b)
	}
	d.again(s)
	what := pick(d, "taint", "replace", "triggers")
	last := &s.Rounds[len(s.Rounds)-1]
	for block := range s.Blocks {
		last.Changes = append(last.Changes, change{Block: block, What: what})
	}
	last.OneByOne = d.one(3)
	first := &s.Rounds[len(s.Rounds)-2]
	switch d.IntN(3) {
	case 0:
		first.Interrupt = d.seconds(0, 20) + 500*time.Millisecond
	case 1:
		for i := range s.Blocks {
			s.Blocks[i].Timeout = 10 * time.Second
		}
	}
}

// retriggers: the triggers change while a conversion for other ones is pending.
func (d *dice) retriggers(s *story) {
	block := d.IntN(len(s.Blocks))
	d.again(s)
	if len(s.Rounds) < 3 && d.one(2) {
		s.Rounds = append(s.Rounds, d.round(s, 2))
	}
	for i := range s.Rounds {
		r := &s.Rounds[i]
		r.Changes = append(r.Changes, change{Block: block, What: "triggers"})
		if i < len(s.Rounds)-1 && !d.one(3) {
			r.Interrupt = pick(d, d.seconds(0, 2)+500*time.Millisecond, d.seconds(2, 40)+500*time.Millisecond)
		}
	}
	d.eachConversion(s, func(c *conversion) { c.Takes = pick(d, c.Takes, d.seconds(20, 100)) })
}

func (d *dice) leavesText(s *story) {
	h := d.anyChapter(s)
	h.Remainder = 1 + d.IntN(2)
	d.again(s)
	if d.one(2) {
		r := d.anyRound(s)
		r.Events = append(r.Events, event{What: pick(d, "append", "shorten", "replace"), Paragraphs: 1 + d.IntN(2), At: pick(d, -time.Second, d.seconds(0, 60))})
	}
}

// demandsDates: a book demands a date, in the past or in the future, of a service whose clock is wrong.
func (d *dice) demandsDates(s *story) {
	if !slices.ContainsFunc(s.Blocks, func(b block) bool { return b.Book }) {
		d.book(s)
	}
	number := slices.IndexFunc(s.Blocks, func(b block) bool { return b.Book })
	r := d.anyRound(s)
	r.Changes = append(r.Changes, change{Block: number, What: "after", Ago: pick(d, 0, d.seconds(0, 600), d.seconds(1, 4000), -d.seconds(1, 300))})
	h := d.anyChapter(s)
	h.ClockSkew = pick(d, 0, d.skew())
	h.OldDate, h.Converted = pick(d, time.Hour, time.Minute), pick(d, h.Converted, h.Paragraphs)
}

func (d *dice) losesAnswers(s *story) {
	for number := range 1 + d.IntN(3) {
		f := d.postFault(number)
		f.What, f.Status, f.RetryAfter, f.After = pick(d, "reset", "eof", "hang", "unreadable", "status"), 0, "", d.one(2)
		switch f.What {
		case "status":
			f.Status = pick(d, 408, 500, 502, 504)
		case "unreadable":
			f.After = true
		}
		s.Posts = slices.DeleteFunc(s.Posts, func(other fault) bool { return other.Number == number })
		s.Posts = append(s.Posts, f)
	}
	d.again(s)
	d.anyChapter(s).WhenBusy = pick(d, busyConflict, busyQueues)
	d.eachConversion(s, func(c *conversion) {
		c.ShownLate = pick(d, 0, 0, d.seconds(5, 29), 31*time.Second)
		c.Takes = pick(d, c.Takes, d.seconds(40, 200))
	})
}

func (d *dice) editsMeanwhile(s *story) {
	takes := d.seconds(10, 100)
	d.eachConversion(s, func(c *conversion) { c.Takes = takes })
	r := d.anyRound(s)
	for range 1 + d.IntN(3) {
		at := pick(d, d.seconds(0, 10), d.seconds(0, 100), takes+d.seconds(0, 8)-3*time.Second)
		r.Events = append(r.Events, event{Chapter: d.IntN(len(s.Chapters)), What: pick(d, "append", "append", "replace", "shorten"), Paragraphs: 1 + d.IntN(3), At: at})
	}
}

// refuses: requests are refused while somebody else's conversion runs, which lists show late; or for another reason.
func (d *dice) refuses(s *story) {
	chapter := d.IntN(len(s.Chapters))
	h := &s.Chapters[chapter]
	h.WhenBusy = pick(d, busyConflict, busyBadRequest)
	r := d.anyRound(s)
	c := d.conversion()
	c.ShownLate = pick(d, d.seconds(2, 25), 0)
	r.Events = append(r.Events, event{Chapter: chapter, What: "convert", At: -d.seconds(0, 2), Conversion: c})
	if d.one(3) {
		s.Posts = append(s.Posts, fault{Number: len(s.Posts), What: "status", Status: pick(d, 400, 401, 402, 403, 404, 409, 422, 429)})
	}
}

// sendsWhileStopped: an apply is interrupted while a request for a conversion is in flight.
func (d *dice) sendsWhileStopped(s *story) {
	d.again(s)
	s.Posts = append(slices.DeleteFunc(s.Posts, func(f fault) bool { return f.Number == 0 }), fault{What: "slow", After: true, For: d.seconds(2, 20)})
	r := &s.Rounds[0]
	r.PlanOnly, r.Kill, r.Interrupt = false, 0, d.seconds(0, 3)+500*time.Millisecond
	d.eachConversion(s, func(c *conversion) { c.Takes = pick(d, c.Takes, d.seconds(5, 100)) })
}

// replacesMany: more chapters than Terraform has turns at a time are all replaced, and the apply is interrupted.
func (d *dice) replacesMany(s *story) {
	if !d.one(4) || slices.ContainsFunc(s.Blocks, func(b block) bool { return b.Book }) {
		return // A story of so many takes long.
	}
	d.again(s)
	last := &s.Rounds[len(s.Rounds)-1]
	for len(s.Chapters) < 5+d.IntN(8) && len(s.Chapters) < len(chapterIDs) {
		s.Chapters = append(s.Chapters, d.habits())
		s.Blocks = append(s.Blocks, block{Chapter: len(s.Chapters) - 1, Keep: d.one(2)})
	}
	for block := range s.Blocks {
		last.Changes = append(last.Changes, change{Block: block, What: "taint"})
	}
	last.Parallelism, last.Interrupt = 3, d.seconds(0, 40)+500*time.Millisecond
}

// wholeProject: somebody has the whole project converted, or the service is still creating it, while its chapters rest.
func (d *dice) wholeProject(s *story) {
	r := d.anyRound(s)
	at := pick(d, -d.seconds(2, 60), d.seconds(0, 10), d.seconds(5, 60))
	if !d.one(3) {
		c := conversion{Queued: pick(d, d.seconds(5, 60), d.seconds(60, 1200)), Takes: d.seconds(5, 60)}
		r.Events = append(r.Events, event{What: "whole", At: at, Conversion: c})
		return
	}
	lasts := pick(d, d.seconds(5, 60), d.seconds(60, 1200))
	r.Events = append(r.Events, event{What: "creating", At: at, For: lasts})
	if !slices.ContainsFunc(s.Blocks, func(b block) bool { return b.Book }) {
		s.Blocks = append(s.Blocks, d.bookBlock(s))
	}
	if len(s.Chapters) < mostDrawn {
		late := d.habits()
		late.Later = true
		s.Chapters = append(s.Chapters, late)
		r.Events = append(r.Events, event{Chapter: len(s.Chapters) - 1, What: "add", At: at + time.Duration(1+d.IntN(9))*lasts/10})
	}
}

// strange services have words of their own for a state, or ask for a pause of a day, and their authors type on.
var strange = []func(*dice, *story){
	func(d *dice, s *story) { d.anyChapter(s).Busy = pick(d, "processing", "rendering", "finalizing") },
	func(d *dice, s *story) { d.anyChapter(s).Rest = pick(d, "ready", "done", absent) },
	func(d *dice, s *story) { d.anyChapter(s).Done = pick(d, "done", "converted", "ready", absent) },
	func(d *dice, s *story) { d.anyChapter(s).Failed = pick(d, "failed", "error") },
	func(d *dice, s *story) {
		r := d.anyRound(s)
		r.Events = append(r.Events, event{Chapter: d.IntN(len(s.Chapters)), What: "types", At: d.seconds(0, 60), For: d.seconds(10, 80)})
	},
	func(d *dice, s *story) {
		s.Gets = append(s.Gets, fault{Number: d.IntN(30), What: "status", Status: pick(d, 429, 503), RetryAfter: "86400"})
	},
}
