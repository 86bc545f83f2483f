package bench

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

var queueTable = &table{title: "Many conversions of one project, some at a time", rows: [][]string{{
	"conversions", "by", "each takes", "at a time", "a list is answered", "ideal", "measured", "of the ideal", "looks",
}}}

// TestQueue converts a long queue of chapters, in fake time. As soon as the end of one is noticed, the next begins.
func TestQueue(t *testing.T) {
	queues := []queue{
		{count: 250, book: true, shortest: 20 * time.Second, longest: time.Minute, atATime: 50, mostLooks: 70, tested: true},
		{count: 250, shortest: 20 * time.Second, longest: time.Minute, atATime: 50, mostLooks: 70},
		{count: 250, book: true, shortest: 20 * time.Second, longest: time.Minute, atATime: 50, listTakes: time.Second / 2, mostOfIdeal: 1.2, tested: true},
		{count: 200, book: true, shortest: 5 * time.Second, longest: 5 * time.Second, atATime: 50, mostOfIdeal: 1.10, tested: true},
		{count: 200, shortest: 5 * time.Second, longest: 5 * time.Second, atATime: 50, mostOfIdeal: 1.10},
		{count: 200, shortest: 5 * time.Second, longest: 5 * time.Second, atATime: 10},
		{count: 100, book: true, shortest: 5 * time.Minute, longest: 5 * time.Minute, atATime: 50, mostOfIdeal: 1.10, tested: true},
		{count: 100, shortest: 5 * time.Minute, longest: 5 * time.Minute, atATime: 10},
	}
	// At some lengths, a freed slot waits for the next look.
	figures := len(queues)
	for length := 4 * time.Second; length < 12*time.Second; length += 1300 * time.Millisecond {
		queues = append(queues, queue{count: 200, book: true, shortest: length, longest: length, atATime: 50, mostOfIdeal: 1.15})
	}
	for number, q := range queues {
		if !q.tested && !measuring() {
			continue
		}
		var found queueFigures
		synctest.Test(t, func(t *testing.T) { found = q.convert(t) })
		ofIdeal := float64(found.took) / float64(found.ideal)
		if q.mostLooks > 0 && found.looks > q.mostLooks {
			t.Errorf("%+v: %d looks", q, found.looks)
		}
		listing := time.Duration(found.looks) * q.listTakes
		if listing > found.took/20 {
			t.Errorf("%+v: lists took %s of %s", q, listing, found.took)
		}
		if q.mostOfIdeal > 0 && ofIdeal > q.mostOfIdeal {
			t.Errorf("%+v: %.3f of the ideal", q, ofIdeal)
		}
		if number < figures {
			queueTable.add(q.row(found, ratio(ofIdeal))...)
		}
	}
}

// queue is how many conversions there are, how long each takes, how many run at a time, and what the figures must not exceed (0: anything).
type queue struct {
	count             int
	book              bool // one block for all, and not one for each
	shortest, longest time.Duration
	atATime           int
	listTakes         time.Duration // before it is answered
	mostLooks         int
	mostOfIdeal       float64
	tested            bool // by every run of the tests, and not only by a measurement
}

func (q queue) row(found queueFigures, ofIdeal string) []any {
	takes, lists := q.shortest.String(), "at once"
	if q.longest > q.shortest {
		takes += " to " + q.longest.String()
	}
	if q.listTakes > 0 {
		lists = "after " + q.listTakes.String()
	}
	by := "a resource for each"
	if q.book {
		by = "one project conversion"
	}
	return []any{q.count, by, takes, q.atATime, lists, seconds(found.ideal), seconds(found.took), ofIdeal, found.looks}
}

// queueFigures are the ideal and the real time, and the lists.
type queueFigures struct {
	ideal, took time.Duration
	looks       int
}

func (q queue) convert(t *testing.T) (found queueFigures) {
	service, random := mockserver.New(), rand.New(rand.NewPCG(1, 2))
	project := mockserver.Project{ID: "book"}
	takes := make([]time.Duration, q.count)
	for i := range takes {
		takes[i] = q.shortest + time.Duration(random.Float64()*float64(q.longest-q.shortest))
		project.Chapters = append(project.Chapters, mockserver.Chapter{ID: fmt.Sprint(i), Conversions: []mockserver.Conversion{{Takes: takes[i]}}})
	}
	service.AddProject(project)
	if q.listTakes > 0 {
		service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Hang: q.listTakes})
	}
	engine := newEngine(t, service.Network(), q.atATime)

	began := time.Now()
	if q.book {
		book := conversion.Project{ProjectID: project.ID, Template: conversion.Desired{Wish: conversion.WantsText, New: true}, All: true, Progress: func(...conversion.ChapterStatus) {}}
		for _, chapter := range engine.ConvertProject(t.Context(), book).Chapters {
			if chapter.Err != nil {
				t.Error(chapter.Err)
			}
		}
	} else {
		q.convertBlocks(t, engine)
	}
	found.took = time.Since(began)
	found.ideal = q.ideal(takes)
	found.looks, _ = looks(service.Journal(), began)
	return found
}

// convertBlocks converts every chapter for a block of its own, as Terraform does.
func (q queue) convertBlocks(t *testing.T, engine *conversion.Engine) {
	var all sync.WaitGroup
	chapters := make(chan int)
	for range q.atATime {
		all.Go(func() {
			for i := range chapters {
				_, err := engine.Convert(t.Context(), conversion.Desired{ProjectID: "book", ChapterID: fmt.Sprint(i), Wish: conversion.WantsConversion, New: true})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range q.count {
		chapters <- i
	}
	close(chapters)
	all.Wait()
}

// ideal is how long it takes if the next conversion begins at the moment at which one ends.
func (q queue) ideal(takes []time.Duration) time.Duration {
	free := make([]time.Duration, q.atATime)
	var last time.Duration
	for _, length := range takes {
		earliest := 0
		for slot := range free {
			if free[slot] < free[earliest] {
				earliest = slot
			}
		}
		free[earliest] += length
		last = max(last, free[earliest])
	}
	return last
}
