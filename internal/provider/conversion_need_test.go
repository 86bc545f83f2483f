package provider

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// A replacement costs at most what either apply converts: one that is told what the old resource remembers, or one that is not.
func TestTheMostCharactersOfAReplacement(t *testing.T) {
	t.Parallel()
	after, date := int64(2000), audioprojects.Integer(1000)
	chapter := audioprojects.Chapter{
		ChapterID: "one", LastConversionDateUnix: &date,
		Statistics: &audioprojects.ChapterStatistics{
			CharactersConverted: new(audioprojects.Integer(100)), CharactersUnconverted: new(audioprojects.Integer(7)),
		},
	}
	for name, test := range map[string]struct {
		remembers conversion.Memory
		after     *int64
		need      need
		step      conversion.Step
		want      int64
	}{
		// Told of it, an apply would convert all; it does not. Without it, the skipped text looks new.
		"text was skipped": {conversion.Memory{KnownRemainder: 7}, nil, needsHandover, conversion.Done, 7},
		// The service's clock is behind. Without what was remembered, the date is too old for converted_after, so that all is converted.
		"edited after a conversion for a time": {conversion.Memory{ConvertedFor: &after}, &after, needsConversion, conversion.Request, 107},
		"edited":                               {conversion.Memory{}, nil, needsConversion, conversion.Request, 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alone := conversion.Demand{ChapterID: "one", UpToDate: true, ConvertedAfter: test.after}
			told := alone
			told.Memory = test.remembers
			s := scope{withoutHandover: map[string]conversion.Prediction{"one": {Demand: alone, Outcome: conversion.Outcome{Chapter: chapter}}}}
			predicted := conversion.Prediction{Demand: told, Outcome: conversion.Outcome{Chapter: chapter}, Decision: conversion.Decision{Step: test.step}}
			got := s.mostCharacters(predicted, told, test.need)
			if got == nil || *got != test.want {
				t.Errorf("got %v characters, want %d", got, test.want)
			}
		})
	}
}
