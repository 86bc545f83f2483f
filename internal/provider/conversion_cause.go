package provider

import (
	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// cause is why a chapter of a project needs a conversion. Configurations compare with these texts.
type cause string

const (
	failedBefore    cause = "failed before"
	neverConverted  cause = "never converted"
	convertedBefore cause = "converted before the time"
	edited          cause = "edited"
)

// causeOf tells why a conversion is predicted to be requested; empty if nothing that the service shows tells it.
func causeOf(predicted conversion.ChapterPrediction) cause {
	chapter, demand := predicted.Chapter, predicted.Demand
	date, after := chapter.LastConversionDateUnix, demand.ConvertedAfter
	left, counted := conversion.Unconverted(chapter)
	switch failure := chapter.LastConversionError; {
	case demand.Pending != nil && demand.Pending.Failure != nil, left > demand.KnownRemainder && failure != nil && *failure != "":
		return failedBefore
	case date == nil && counted && !someConverted(chapter):
		return neverConverted
	case after != nil && date != nil && int64(*date) < *after:
		return convertedBefore
	case counted:
		return edited
	default:
		return ""
	}
}

func someConverted(chapter audioprojects.Chapter) bool {
	counts := chapter.Statistics
	return counts != nil && counts.CharactersConverted != nil && *counts.CharactersConverted > 0
}
