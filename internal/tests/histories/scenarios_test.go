package histories_test

import (
	"time"

	. "github.com/audioprojects/terraform-provider-audioprojects/internal/tests/histories"
)

// scenario is what somebody does with some resources when nothing is odd: one run creates them, and another one has a reason to convert again.
type scenario struct {
	name string
	make func() *History
}

// planned is how long after its beginning a run applies what it has planned. From the request on, a conversion is queued for 2 s and takes 8 s.
const planned = 10 * time.Second

func usual() []Conversion { return []Conversion{usualOne, usualOne, usualOne} }

var usualOne = Conversion{Queued: 2 * time.Second, Takes: 8 * time.Second}

var (
	unconverted = Habits{Paragraphs: 3}
	partly      = Habits{Paragraphs: 3, Converted: 1, OldDate: time.Hour}
	converted   = Habits{Paragraphs: 3, Converted: 3, OldDate: time.Hour}
)

// twoRuns are a creation, and another run with a change or an event.
func twoRuns(chapters []Habits, resources []Resource, changes []Change, events []Event) func() *History {
	return func() *History {
		h := &History{Resources: append([]Resource{}, resources...), Runs: []Run{
			{Pause: time.Minute, Think: planned},
			{Pause: time.Minute, Think: planned, Changes: append([]Change{}, changes...), Events: append([]Event{}, events...)},
		}}
		for _, c := range chapters {
			c.Conversions = usual()
			h.Chapters = append(h.Chapters, c)
		}
		return h
	}
}

var (
	newTriggers  = []Change{{What: "triggers"}}
	anEdit       = []Event{{What: "append", Paragraphs: 1, At: -30 * time.Second}}
	editOfSecond = []Event{{What: "append", Chapter: 1, Paragraphs: 1, At: -30 * time.Second}}
)

var scenarios = []scenario{
	{"a chapter, then new triggers", twoRuns([]Habits{unconverted}, []Resource{{}}, newTriggers, nil)},
	{"a chapter, then nothing new", twoRuns([]Habits{unconverted}, []Resource{{}}, nil, nil)},
	{"a converted chapter, then new triggers", twoRuns([]Habits{converted}, []Resource{{}}, newTriggers, nil)},
	{"a chapter that follows its text, then an edit", twoRuns([]Habits{partly}, []Resource{{Keep: true}}, nil, anEdit)},
	{"a book of two, then an edit of the second", twoRuns([]Habits{unconverted, partly}, []Resource{{Book: true}}, nil, editOfSecond)},
	{"a converted book, then another voice", twoRuns([]Habits{converted}, []Resource{{Book: true}}, newTriggers, nil)},
	{"two resources for a chapter, then new triggers and an edit", twoRuns([]Habits{unconverted}, []Resource{{}, {Keep: true}}, newTriggers, anEdit)},
	{"two chapters, then new triggers for one and an edit of the other", twoRuns([]Habits{unconverted, partly}, []Resource{{}, {Chapter: 1, Keep: true}}, newTriggers, editOfSecond)},
	{"two books that share a chapter, then an edit", twoRuns([]Habits{unconverted, partly}, []Resource{{Book: true, Chapters: []int{0}}, {Book: true}}, nil, anEdit)},
	{"a book and an action, then an edit", twoRuns([]Habits{unconverted}, []Resource{{Book: true, Action: true}}, nil, anEdit)},
	{"a book in portions, then another voice and an edit", twoRuns([]Habits{unconverted, unconverted, converted}, []Resource{{Book: true, PerApply: 5}}, newTriggers, editOfSecond)},
	{"a chapter and an action, then an edit", twoRuns([]Habits{unconverted}, []Resource{{Keep: true, Action: true}}, nil, anEdit)},
}
