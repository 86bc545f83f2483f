package forecast

import (
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// The headline of an estimate is what the apply requests. What it only waits for is told beside that, and would come to it: both together
// are the most that the apply can cost.

// total is what chapters may cost together.
type total struct {
	chapters   int
	characters int64
	uncounted  bool // the service does not count all of these
}

// costs tells what an apply requests from what it only waits for. Where its portion cannot be chosen yet, it requests no
// more than that.
func (s Scope) costs() (requested, waited total) {
	for _, chapter := range s.Memory.Planned {
		if chapter.onlyWaits() {
			waited = waited.with(chapter)
		} else {
			requested = requested.with(chapter)
		}
	}
	portion := s.CharactersPerApply
	if portion != nil && (requested.uncounted || requested.characters > *portion) {
		requested.characters, requested.uncounted = *portion, false
	}
	return requested, waited
}

func (t total) with(chapter PlannedChapter) total {
	one := total{chapters: 1, uncounted: chapter.Characters == nil}
	if chapter.Characters != nil {
		one.characters = *chapter.Characters
	}
	return t.and(one)
}

func (t total) and(other total) total {
	return total{t.chapters + other.chapters, conversion.Sum(t.characters, other.characters), t.uncounted || other.uncounted}
}

// requested is how many chapters an apply requests, and what that costs at most.
func (t total) requested() string {
	switch {
	case t.chapters == 0:
		return "no new conversion"
	case t.uncounted:
		return say.CountOf(t.chapters, "chapter") + ", not all of them counted"
	default:
		return say.CountOf(t.chapters, "chapter") + ", " + say.CountOf(t.characters, "character") + " at most"
	}
}

// waited is for how many chapters an apply only waits, and what that costs at most beside what it requests; empty if there are none.
func (t total) waited() string {
	says := "Only waited for: " + say.CountOf(t.chapters, "chapter") + ", "
	switch {
	case t.chapters == 0:
		return ""
	case t.uncounted:
		return says + "not all of them counted."
	case t.chapters == 1:
		return says + "at most " + say.CountOf(t.characters, "character") + " more if its conversion fails."
	default:
		return says + "at most " + say.CountOf(t.characters, "character") + " more if their conversions fail."
	}
}
