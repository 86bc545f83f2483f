package simulation_test

import (
	"testing"
	"time"
)

// TestExceptionsHaveCountersOfTheirOwn plays a short story for each exception that is rare in random stories.
func TestExceptionsHaveCountersOfTheirOwn(t *testing.T) {
	t.Parallel()
	schemas()
	one := []habits{{Paragraphs: 2, OldDate: time.Hour}}
	for name, s := range map[string]story{
		"I2: two provider aliases asked for one chapter in one apply": {
			Chapters: []habits{{Paragraphs: 2, WhenBusy: busyQueues}},
			Blocks:   []block{{}, {Alias: 1}}, Rounds: []round{{}},
		},
		"I2: a provisioner failed, and Terraform tainted the object": {
			Chapters: one,
			Blocks:   []block{{}}, Rounds: []round{{Changes: []change{{What: "provisioner"}}}},
		},
		"I2: a tainted book was replaced with -refresh=false": {
			Chapters: []habits{{Paragraphs: 2, WhenBusy: busyQueues, Conversions: []conversion{{Takes: time.Minute, ShownLate: 50 * time.Second}}}},
			Blocks:   []block{{Book: true, Timeout: 10 * time.Second}}, Rounds: []round{{}, {NoRefresh: true}},
		},
		"I2: two lists and the project's record lacked a chapter, and a book forgot that it was converted for a converted_after in the future": {
			Chapters: []habits{{Paragraphs: 2}}, Blocks: []block{{Book: true}},
			Rounds: []round{
				{Changes: []change{{What: "after", Ago: -4 * time.Minute}}},
				{Events: []event{{What: "missing", For: 10 * time.Second, Project: 10 * time.Second}}},
			},
		},
		"I2: an interrupted book had not come to a chapter that another block had had converted, and its converted_after was in the future": {
			Chapters: []habits{{Paragraphs: 2, Conversions: []conversion{{Takes: time.Minute}}}, {Paragraphs: 2}},
			Blocks:   []block{{Book: true}, {Chapter: 1}}, Parallel: 1,
			Rounds: []round{{Changes: []change{{What: "after", Ago: -4 * time.Minute}}, Interrupt: 50 * time.Second}},
		},
		"I2: the service shows neither counts nor dates, and each apply of a book converts": {
			Chapters: []habits{{Paragraphs: 2, Counts: countsMissing, DateAt: never}},
			Blocks:   []block{{Book: true}}, Rounds: []round{{}},
		},
		"I3: an object with something pending is replaced as requested, and its plan is that of an update": {
			Chapters: []habits{{Paragraphs: 2, Conversions: []conversion{{Takes: 4 * time.Minute}}}},
			Blocks:   []block{{}}, Rounds: []round{
				{Interrupt: time.Second, Events: []event{{At: time.Second, What: "append", Paragraphs: 1}}},
				{Pause: 2 * time.Minute, Changes: []change{{What: "replace"}}},
			},
		},
		"I3: a person or a provisioner tainted a book, and its plan bills what a new book would pay for": {
			Chapters: []habits{{Paragraphs: 3, Remainder: 1}}, Blocks: []block{{Book: true}},
			Rounds: []round{{}, {Pause: 2 * time.Minute, Changes: []change{{What: "taint"}}}},
		},
		"I2: an answer was lost at a service that shows nothing": {
			Chapters: []habits{{
				Paragraphs: 2, Counts: countsMissing, Progress: progressNone, DateAt: never,
				Conversions: []conversion{{Takes: time.Minute, NeverBusy: true}},
			}},
			Blocks: []block{{}}, Rounds: []round{{}, {Pause: time.Hour}},
			Posts: []fault{{What: "eof", After: true}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := play(t, &s, true)
			if len(o.violations) > 0 || o.exceptions[name] != 1 || len(o.exceptions) != 1 {
				t.Errorf("got the exceptions %v, want this one alone:\n%s\n%s", o.exceptions, o.timeline, o.said())
			}
		})
	}
}
