package conversion_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// characters are those of the text of most chapters here.
const characters = 35

func TestCharacters(t *testing.T) {
	t.Parallel()
	const most = math.MaxInt64
	counts := func(converted, unconverted int64) *audioprojects.ChapterStatistics {
		return &audioprojects.ChapterStatistics{
			CharactersConverted: (*audioprojects.Integer)(&converted), CharactersUnconverted: (*audioprojects.Integer)(&unconverted),
		}
	}
	paragraphs := audioprojects.Integer(3)
	for name, test := range map[string]struct {
		demand conversion.Demand
		shown  *audioprojects.ChapterStatistics
		want   *int64
	}{
		"all of the text":                   {conversion.Demand{}, counts(100, 20), new(int64(120))},
		"what is open":                      {conversion.Demand{UpToDate: true}, counts(100, 20), new(int64(20))},
		"what is open, with a leftover":     {conversion.Demand{UpToDate: true, Memory: conversion.Memory{KnownRemainder: 5}}, counts(100, 20), new(int64(20))},
		"nothing is open":                   {conversion.Demand{UpToDate: true}, counts(100, 0), new(int64(100))},
		"no more than the leftover is open": {conversion.Demand{UpToDate: true, Memory: conversion.Memory{KnownRemainder: 20}}, counts(100, 20), new(int64(120))},
		"nothing is counted":                {conversion.Demand{}, nil, nil},
		"paragraphs are counted":            {conversion.Demand{UpToDate: true}, &audioprojects.ChapterStatistics{ParagraphsUnconverted: &paragraphs}, nil},
		"absurd counts":                     {conversion.Demand{}, counts(most, most), new(int64(most))},
		"negative counts":                   {conversion.Demand{}, counts(-100, 20), new(int64(20))},
	} {
		if got := test.demand.Characters(audioprojects.Chapter{Statistics: test.shown}); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

// TestARefusedRequestCountsNothing, and one whose answer was lost counts.
func TestARefusedRequestCountsNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault  mockserver.Fault
		second bool // whether a second conversion is requested
	}{
		"402":                   {mockserver.Fault{Status: 402}, true},
		"500":                   {mockserver.Fault{Status: 500}, false},
		"lost":                  {mockserver.Fault{EOF: true}, false},
		"lost, and carried out": {mockserver.Fault{EOF: true, Process: true}, false},
		"accepted":              {mockserver.Fault{Operation: mockserver.GetProject}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.bound(characters)
				if test.fault.Operation == "" {
					test.fault.Operation = mockserver.ConvertChapter
				}
				b.service.Inject(test.fault)
				for number := range 2 {
					_, err := b.engine.Convert(b.Context(), conversion.Demand{ProjectID: project, ChapterID: fmt.Sprint("chapter-", number)})
					var bound *conversion.BoundError
					if exceeded := errors.As(err, &bound); exceeded != (number == 1 && !test.second) {
						b.Errorf("chapter %d: got %v", number, err)
					}
				}
			}, many(2, time.Minute)...)
		})
	}
}

// TestAPlanCountsAChapterOnce, however often and for however many objects Terraform plans it, books among them, and tells once.
func TestAPlanCountsAChapterOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.bound(int64(3 * characters))
		each := int64(characters)
		plan := func(numbers ...int) *conversion.BoundError {
			chapters := map[string]*int64{}
			for _, number := range numbers {
				chapters[fmt.Sprint("chapter-", number)] = &each
			}
			return b.engine.PlanProject(project, chapters)
		}
		for _, numbers := range [][]int{{0}, {0}, {0, 3}, {1}, {0, 1}, {3}} {
			if err := plan(numbers...); err != nil {
				b.Error(err)
			}
		}
		bound := plan(0, 1, 2)
		if bound == nil || bound.Characters != 3*characters || bound.Together != 4*characters || bound.Most != 3*characters {
			b.Errorf("got %+v, want that the book's third chapter exceeds the bound", bound)
		}
		if err := plan(4); err != nil {
			b.Errorf("told again: %v", err)
		}
	}, many(5, time.Minute)...)
}
