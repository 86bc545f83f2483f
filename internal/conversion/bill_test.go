package conversion_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

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
		"all of the text":                    {conversion.Demand{}, counts(100, 20), new(int64(120))},
		"what is open":                       {conversion.Demand{UpToDate: true}, counts(100, 20), new(int64(20))},
		"what is open, with a remainder":     {conversion.Demand{UpToDate: true, Memory: conversion.Memory{KnownRemainder: 5}}, counts(100, 20), new(int64(20))},
		"nothing is open":                    {conversion.Demand{UpToDate: true}, counts(100, 0), new(int64(100))},
		"no more than the remainder is open": {conversion.Demand{UpToDate: true, Memory: conversion.Memory{KnownRemainder: 20}}, counts(100, 20), new(int64(120))},
		"nothing is counted":                 {conversion.Demand{}, nil, nil},
		"paragraphs are counted":             {conversion.Demand{UpToDate: true}, &audioprojects.ChapterStatistics{ParagraphsUnconverted: &paragraphs}, nil},
		"absurd counts":                      {conversion.Demand{}, counts(most, most), new(int64(most))},
		"negative counts":                    {conversion.Demand{}, counts(-100, 20), new(int64(20))},
	} {
		got := test.demand.Characters(audioprojects.Chapter{Statistics: test.shown})
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}
