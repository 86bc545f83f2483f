package conversion

import "github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"

// Prospect is what [Engine.Convert] is going to do about a chapter, as far as can be told beforehand.
type Prospect int

// The prospects of a request.
const (
	// Starts: a conversion will be requested, or the chapter is adopted as it is.
	Starts Prospect = iota
	// Joins: the chapter is being converted, and that conversion will be waited for.
	Joins
	// Waits: an earlier request's conversion will be waited for.
	Waits
	// Ends: an earlier request's conversion has ended well, which fulfils the request.
	Ends
	// LooksFirst: nobody knows whether the service received an earlier request.
	LooksFirst
	// Follows: a joined conversion has left text unconverted, so one more will be requested.
	Follows
	// StartsAnew: an earlier request's conversion has failed.
	StartsAnew
)

// Foretell tells the prospect of a request for a chapter that looks like this now; a chapter
// without an id could not be looked at. With [StartsAnew] come the service's words on the failure.
func Foretell(request Request, now audioprojects.Chapter) (prospect Prospect, words string) {
	if request.Resume == nil {
		return orJoins(Starts, now), ""
	}
	ticket := *request.Resume
	seen := noEvidence
	if now.ChapterID != "" && ticket.Failure == nil {
		seen = ticket.observe(now)
	}
	switch {
	case ticket.Failure != nil:
		return orJoins(StartsAnew, now), string(*ticket.Failure)
	case request.Again && seen == succeeded:
		return Starts, ""
	case seen == converting && (request.Again || ticket.Joined()):
		return Joins, ""
	case seen == succeeded && ticket.Joined() && textLeft(now):
		return Follows, ""
	case seen == succeeded:
		return Ends, ""
	case !ticket.Confirmed:
		return LooksFirst, ""
	case request.Again:
		return Joins, ""
	default:
		return Waits, ""
	}
}

func orJoins(otherwise Prospect, now audioprojects.Chapter) Prospect {
	if Busy(now) {
		return Joins
	}
	return otherwise
}
