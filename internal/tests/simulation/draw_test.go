package simulation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	. "github.com/audioprojects/terraform-provider-audioprojects/internal/tests/histories"
)

// draw makes the story that belongs to a seed: a history with many chapters, long times, and rates. It leaves out what nobody can prevent,
// so that no check needs an exception.
func draw(seed uint64) *History {
	d := &dice{rand.New(rand.NewPCG(seed, 17))}
	h := &History{}
	for range 2 + d.IntN(MostChapters-1) {
		h.Chapters = append(h.Chapters, d.habits())
	}
	h.Resources = d.resources(len(h.Chapters))
	for range 1 + d.IntN(3) {
		h.Runs = append(h.Runs, d.run(h))
	}
	if d.one(2) {
		h.AtATime = 1 + d.IntN(4)
	}
	if d.one(3) {
		h.PerSecond = 2 + d.IntN(8)
	}
	if d.one(3) {
		h.Parallel = 1 + d.IntN(5)
	}
	isEdited := slices.ContainsFunc(h.Runs, func(r Run) bool { return len(r.Events) > 0 })
	if d.one(6) && !isEdited { // A list from before an edit, or before somebody's request, shows nothing of it.
		h.Replicas = []time.Duration{0, d.seconds(1, 3)}
	}
	for chapter := range h.Chapters {
		if d.one(10) {
			h.Posts = append(h.Posts, pick(d,
				Answer{Chapter: chapter, What: "status", Status: 429, RetryAfter: fmt.Sprint(1 + d.IntN(60))},
				Answer{Chapter: chapter, What: "status", Status: 402},
				Answer{Chapter: chapter, What: "slow", For: d.seconds(1, 20)},
				Answer{Chapter: chapter, What: "eof"}))
		}
	}
	return h
}

type dice struct{ *rand.Rand }

func (d *dice) one(n int) bool { return d.IntN(n) == 0 }

func (d *dice) seconds(least, most int) time.Duration {
	return time.Duration(least+d.IntN(most-least+1)) * time.Second
}

func pick[T any](d *dice, of ...T) T { return of[d.IntN(len(of))] }

func (d *dice) habits() Habits {
	h := Habits{Paragraphs: 1 + d.IntN(6), Grow: d.one(4)}
	if d.one(3) {
		h.Converted, h.OldDate = d.IntN(h.Paragraphs+1), 24*time.Hour
	}
	if d.one(8) {
		h.CountLag = d.seconds(1, 5)
	}
	for range 3 {
		h.Conversions = append(h.Conversions, d.conversion())
	}
	return h
}

// conversion takes seconds to hours.
func (d *dice) conversion() Conversion {
	c := Conversion{Takes: pick(d, d.seconds(1, 10), d.seconds(5, 60), d.seconds(60, 600), d.seconds(600, 9000))}
	if d.one(3) {
		c.Queued = pick(d, d.seconds(1, 20), d.seconds(20, 600))
	}
	if d.one(12) {
		c.Ends, c.Error = 1, ErrorText(1+d.IntN(3))
	}
	return c
}

// resources are a book, two that share the chapters, or one for each chapter.
func (d *dice) resources(chapters int) (resources []Resource) {
	const long = 100 * time.Hour
	half := make([]int, chapters/2)
	for i := range half {
		half[i] = i
	}
	switch d.IntN(4) {
	case 0:
		const portion = 30 // Any chapter fits, with what is added to it.
		return []Resource{{Book: true, Timeout: long, ChapterTimeout: long, PerApply: pick(d, 0, portion)}}
	case 1:
		return []Resource{{Book: true, Timeout: long, ChapterTimeout: long}, {Chapter: d.IntN(chapters), Keep: true, Timeout: long}}
	case 2:
		return []Resource{{Book: true, Chapters: half, Timeout: long, ChapterTimeout: long}, {Book: true, Timeout: long, ChapterTimeout: long}}
	}
	for chapter := range chapters {
		resources = append(resources, Resource{Chapter: chapter, Keep: d.one(2), Timeout: long})
	}
	return resources
}

func (d *dice) run(h *History) Run {
	r := Run{Pause: pick(d, time.Second, d.seconds(2, 600), d.seconds(600, 36000)), Think: d.seconds(0, 60), Parallelism: pick(d, 1, 3, 10)}
	if d.one(4) {
		r.Interrupt = pick(d, d.seconds(0, 5), d.seconds(5, 300), d.seconds(300, 9000)) + time.Millisecond
	}
	for range d.IntN(4) {
		r.Events = append(r.Events, Event{
			Chapter: d.IntN(len(h.Chapters)), Paragraphs: 1 + d.IntN(2), What: "append",
			At: pick(d, -d.seconds(1, 60), d.seconds(0, 60), d.seconds(60, 9000)),
		})
	}
	if d.one(6) {
		r.Events = append(r.Events, Event{Chapter: d.IntN(len(h.Chapters)), What: "convert", At: d.seconds(0, 600), Conversion: Conversion{Takes: d.seconds(1, 900)}})
	}
	for resource := range h.Resources {
		if d.one(6) {
			r.Changes = append(r.Changes, Change{Resource: resource, What: "triggers"})
		}
	}
	return r
}
