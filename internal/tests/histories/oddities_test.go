package histories_test

import (
	"fmt"
	"time"

	. "github.com/audioprojects/terraform-provider-audioprojects/internal/tests/histories"
)

// oddity is one thing that may go otherwise than usual, at one moment. Two of the same slot exclude each other.
type oddity struct {
	kind, moment, slot string
	do                 func(*History)
}

func (o oddity) String() string {
	if o.moment == "" {
		return o.kind
	}
	return o.kind + ", " + o.moment
}

// moment is one at which it may make a difference that something happens at the service, so long after a run began.
type moment struct {
	name string
	run  int
	at   time.Duration
}

var (
	beforePlan = moment{"before the first plan", 0, -time.Second}
	afterPlan  = moment{"between the first plan and its apply", 0, planned / 2}
	queued     = moment{"while the first conversion is queued", 0, planned + 1100*time.Millisecond}
	running    = moment{"while the first conversion runs", 0, planned + 6100*time.Millisecond}
	ended      = moment{"between the end of the first conversion and the look at it", 0, planned + 10050*time.Millisecond}
	inWindow   = moment{"in the window after the first conversion", 0, planned + 15100*time.Millisecond}
	between    = moment{"between the applies", 1, -40 * time.Second}
	afterPlan2 = moment{"between the second plan and its apply", 1, planned / 2}
	running2   = moment{"while the second conversion runs", 1, planned + 6100*time.Millisecond}
	ofEdits    = []moment{afterPlan, running, ended, inWindow, between, afterPlan2, running2}
)

// oddities are all of them, in the order in which they are enumerated.
func oddities() (all []oddity) {
	add := func(kind, moment, slot string, do func(*History)) { all = append(all, oddity{kind, moment, slot, do}) }
	answers(add)
	lists(add)
	conversions(add)
	services(add)
	people(add)
	commands(add)
	return all
}

type adder func(kind, moment, slot string, do func(*History))

var nth = []string{"first", "second"}

// answers to requests for a conversion.
func answers(add adder) {
	for _, a := range []struct {
		kind   string
		answer Answer
	}{
		{"an answer is lost, and the conversion begins", Answer{What: "eof", After: true}},
		{"an answer is lost, and nothing begins", Answer{What: "eof"}},
		{"no answer comes, and the conversion begins", Answer{What: "hang", After: true}},
		{"an answer is late", Answer{What: "slow", For: 5 * time.Second}},
		{"an answer is 429", Answer{What: "status", Status: 429}},
		{"an answer is 402", Answer{What: "status", Status: 402}},
		{"an answer is 409, and nothing runs", Answer{What: "status", Status: 409}},
		{"an answer is 500, and nothing begins", Answer{What: "status", Status: 500}},
		{"an answer is 500, and the conversion begins", Answer{What: "status", Status: 500, After: true}},
	} {
		for number := range 2 {
			add(a.kind, nth[number]+" request", fmt.Sprint("post ", number), func(h *History) {
				a.answer.Number = number
				h.Posts = append(h.Posts, a.answer)
			})
		}
	}
}

// lists of chapters.
func lists(add adder) {
	window := func(kind, what string, length time.Duration, moments ...moment) {
		for _, m := range moments {
			add(kind, m.name, "", func(h *History) {
				h.Runs[m.run].Events = append(h.Runs[m.run].Events, Event{What: what, At: m.at, For: length})
			})
		}
	}
	window("the service is down for 3 s", "down", 3*time.Second, afterPlan, running, ended)
	window("the service is down for 40 s", "down", 40*time.Second, running)
	window("lists lack the chapter for 2 s", "missing", 2*time.Second, afterPlan, running, ended)
	window("lists lack the chapter for 15 s", "missing", 15*time.Second, beforePlan, running, ended, afterPlan2)
	window("the project is being created", "creating", 20*time.Second, beforePlan, afterPlan2)
	add("lists lag by 3 s", "", "lag", func(h *History) { h.Replicas = []time.Duration{3 * time.Second} })
	add("every other list lags by 4 s", "", "lag", func(h *History) { h.Replicas = []time.Duration{0, 4 * time.Second} })
	for _, number := range []int{0, 2, 5} {
		add("a list is HTML", fmt.Sprintf("list %d", number+1), "get", func(h *History) { h.Gets = append(h.Gets, Answer{Number: number, What: "html"}) })
	}
}

// conversions that go otherwise.
func conversions(add adder) {
	for _, c := range []struct {
		kind   string
		change func(*Habits, *Conversion)
	}{
		{"a conversion fails", func(_ *Habits, c *Conversion) { c.Ends, c.Error = 1, 1 }},
		{"a conversion fails after a part", func(_ *Habits, c *Conversion) { c.Ends, c.Error, c.Part = 1, 1, 5 }},
		{"a conversion fails, with a timestamp", func(h *Habits, c *Conversion) { c.Ends, c.Error, h.DateOnFailure = 1, 1, true }},
		{"a conversion fails in a word", func(h *Habits, c *Conversion) { c.Ends, h.Failed = 1, "failed" }},
		{"a conversion fails with the error of before", func(h *Habits, c *Conversion) { h.OldError, c.Ends, c.Error = 1, 1, 1 }},
		{"a conversion fails with the error of before, which stays", func(h *Habits, c *Conversion) { h.OldError, h.ErrorStays, c.Ends, c.Error = 1, true, 1, 1 }},
		{"a conversion fails within a second, with the error of before", func(h *Habits, c *Conversion) {
			h.OldError, c.Ends, c.Error, c.Queued, c.Takes = 1, 1, 1, 0, time.Second/2
		}},
		{"a conversion is cancelled after a part", func(_ *Habits, c *Conversion) { c.Ends, c.Part = 2, 5 }},
		{"a conversion is cancelled", func(_ *Habits, c *Conversion) { c.Ends = 2 }},
		{"a conversion is shown 20 s late", func(_ *Habits, c *Conversion) { c.ShownLate, c.Takes = 20*time.Second, 40*time.Second }},
		{"a conversion is shown 45 s late", func(_ *Habits, c *Conversion) { c.ShownLate, c.Takes = 45*time.Second, 60*time.Second }},
		{"a conversion rests for 4 s in its middle", func(_ *Habits, c *Conversion) { c.RestsFor, c.Takes = 4*time.Second, 20*time.Second }},
		{"a conversion rests for 10 s in its middle", func(_ *Habits, c *Conversion) { c.RestsFor, c.Takes = 10*time.Second, 30*time.Second }},
		{"a conversion rests for 10 s in its middle, and its counts move", func(h *Habits, c *Conversion) { c.RestsFor, c.Takes, h.Grow = 10*time.Second, 30*time.Second, true }},
		{"a conversion takes two minutes, and its counts move", func(h *Habits, c *Conversion) { c.Takes, h.Grow = 2*time.Minute, true }},
		{"a conversion shows an error, and tries again", func(_ *Habits, c *Conversion) { c.Retries, c.RestsFor, c.Takes = 2, time.Second, 20*time.Second }},
		{"a conversion ends at once", func(_ *Habits, c *Conversion) { c.Queued, c.Takes = 0, 0 }},
	} {
		for number := range 2 {
			add(c.kind, nth[number]+" conversion", fmt.Sprint("conversion ", number), func(h *History) {
				c.change(&h.Chapters[0], &h.Chapters[0].Conversions[number])
			})
		}
	}
	for _, part := range []int{0, 5} {
		kind := map[int]string{0: "a conversion fails, and its message is dismissed", 5: "a conversion fails after a part, and its message is dismissed"}[part]
		for _, m := range []moment{ended, inWindow} {
			add(kind, m.name, "conversion 0", func(h *History) {
				c := &h.Chapters[0].Conversions[0]
				c.Ends, c.Error, c.Part = 1, 1, part
				h.Runs[0].Events = append(h.Runs[0].Events, Event{What: "dismiss", At: m.at})
			})
		}
	}
}

// services with habits of their own.
func services(add adder) {
	for _, s := range []struct {
		kind   string
		change func(*Habits)
	}{
		{"the service sets no timestamps", func(h *Habits) { h.Undated, h.OldDate = true, 0 }},
		{"the clock of the service is 20 s behind", func(h *Habits) { h.ClockSkew = -20 * time.Second }},
		{"the clock of the service is an hour ahead", func(h *Habits) { h.ClockSkew = time.Hour }},
		{"an error stays", func(h *Habits) { h.OldError, h.ErrorStays = 2, true }},
		{"counts come 5 s late", func(h *Habits) { h.CountLag = 5 * time.Second }},
		{"the service shows no progress", func(h *Habits) { h.NoProgress = true }},
		{"counts move during a conversion", func(h *Habits) { h.Grow = true }},
		{"requests for a busy chapter are accepted, and paid for", func(h *Habits) { h.WhenBusy = 3 }},
		{"requests for a busy chapter are refused with 500", func(h *Habits) { h.WhenBusy = 2 }},
		{"requests have no effect if nothing is unconverted", func(h *Habits) { h.Idles = true }},
		{"the service never converts a paragraph", func(h *Habits) { h.Remainder = 1 }},
		{"a conversion runs in a word of its own", func(h *Habits) { h.Busy = "mastering" }},
		{"a conversion ends in a word of its own", func(h *Habits) { h.Done = "completed" }},
	} {
		add(s.kind, "", s.kind, func(h *History) { s.change(&h.Chapters[0]) })
	}
}

// people who edit and convert.
func people(add adder) {
	event := func(kind string, e Event, moments ...moment) {
		for _, m := range moments {
			add(kind, m.name, "", func(h *History) {
				e.At = m.at
				h.Runs[m.run].Events = append(h.Runs[m.run].Events, e)
			})
		}
	}
	event("an edit adds text", Event{What: "append", Paragraphs: 1}, ofEdits...)
	event("an edit adds text", Event{What: "append", Paragraphs: 1}, queued)
	event("an edit replaces the text", Event{What: "replace", Paragraphs: 3}, ofEdits...)
	event("an edit replaces a paragraph", Event{What: "mend", Paragraphs: 1}, running, ended, between, running2)
	event("an edit removes text", Event{What: "shorten", Paragraphs: 1}, ofEdits...)
	event("somebody else converts", Event{What: "convert", Conversion: usualOne}, beforePlan, afterPlan, inWindow, between, afterPlan2)
	event("somebody else converts, and lists show it 8 s late", Event{What: "convert", Conversion: Conversion{Takes: 20 * time.Second, ShownLate: 8 * time.Second}}, afterPlan, afterPlan2)
	event("somebody else's conversion fails", Event{What: "convert", Conversion: Conversion{Takes: 8 * time.Second, Ends: 1, Error: 2}}, beforePlan, afterPlan, between, afterPlan2)
	event("somebody has the whole project converted", Event{What: "whole", Conversion: Conversion{Queued: 8 * time.Second, Takes: 8 * time.Second}}, beforePlan, afterPlan, afterPlan2)
	event("somebody cancels the conversion", Event{What: "cancel"}, queued, running, running2)
}

// commands that people give to Terraform.
func commands(add adder) {
	moments := []time.Duration{time.Millisecond, 500 * time.Millisecond, 5 * time.Second, 10500 * time.Millisecond}
	for run := range 2 {
		for _, after := range moments[run:] {
			moment := fmt.Sprintf("%s after the beginning of the %s apply", after, nth[run])
			stop := fmt.Sprint("stop ", run)
			add("Ctrl-C", moment, stop, func(h *History) { h.Runs[run].Interrupt = after })
			add("a kill", moment, stop, func(h *History) { h.Runs[run].Kill = after })
		}
	}
	for _, timeout := range []time.Duration{5 * time.Second, 36 * time.Second} {
		add("a timeout of "+timeout.String(), "in the first apply", "timeout", func(h *History) {
			h.Resources[0].Timeout = timeout
			h.Runs[1].Changes = append(h.Runs[1].Changes, Change{What: "timeout"})
		})
	}
	for _, what := range []string{"triggers", "replace", "taint", "keep", "rename", "chapters"} {
		add("changed: "+what, "before the second plan", "change", func(h *History) {
			isOfOther := what == "keep" && h.Resources[0].Book || what == "chapters" && !h.Resources[0].Book
			if !isOfOther {
				h.Runs[1].Changes = append(h.Runs[1].Changes, Change{What: what, Chapters: []int{0}})
			}
		})
	}
	add("replaced with create_before_destroy", "before the second plan", "change", func(h *History) {
		h.Resources[0].CreateBeforeDestroy = true
		h.Runs[1].Changes = append(h.Runs[1].Changes, Change{What: "replace"})
	})
	add("replaced with destroy = false", "before the second plan", "change", func(h *History) {
		h.Resources[0].Forgets = true
		h.Runs[1].Changes = append(h.Runs[1].Changes, Change{What: "replace"})
	})
	for times, kind := range []string{"a limit for all text once", "a limit for all text twice"} {
		add(kind, "", "limit", func(h *History) {
			for _, c := range h.Chapters {
				h.Limit += (times + 1) * c.Paragraphs
			}
		})
	}
	add("the second run begins at once, and applies at once", "", "pause", func(h *History) { h.Runs[1].Pause, h.Runs[1].Think = time.Second, 0 })
}
