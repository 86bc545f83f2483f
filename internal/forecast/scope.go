package forecast

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// Scope is what a resource or an action wants converted: chapters of one project; and what it remembers of them. A single chapter is a scope,
// too.
type Scope struct {
	conversion.Project
	Label         string    // in messages
	AttributePath path.Path // the attribute that says which chapters are meant
	// SingleChapter: it is about one chapter. The engine is asked for it directly, because in a book it would wait for its turn.
	SingleChapter bool
	// Memory is what the resource remembers; empty for an action, and for a new resource.
	Memory ResourceMemory
	// UnknownArguments says what is known only in the apply, so that an estimate is for more than that may cost; empty if all is known.
	UnknownArguments string
	// IsAction: an action wants it, and no resource.
	IsAction bool
	// Follows: the audio follows the text. Its wish may be more than that.
	Follows bool
	// Excluded are the chapters that the resource in the state leaves out: they were there when it was saved.
	Excluded map[string]bool
	// Count is how many chapters the resource in the state has.
	Count int
	// Converted and Unconverted are how many characters they have; nil if that is not known.
	Converted, Unconverted *int64
	// NewestDate is the newest date of a conversion of them; 0 if there is none.
	NewestDate audioprojects.Integer
	// CharactersPerApply is the most characters that one apply requests; nil for any number.
	CharactersPerApply *int64
	// leftOut is how many chapters a look has found that the update leaves to the next plan. later are those that are not
	// in its portion; what is pending of them is among the planned ones as well.
	leftOut int
	later   []PlannedChapter
}

// names reports whether the resource names the chapter, and is not about all of a project.
func (s Scope) names(chapterID string) bool {
	return !s.All && slices.ContainsFunc(s.Desired, func(desired conversion.Desired) bool { return desired.ChapterID == chapterID })
}

// mayStillRun reports whether a conversion that this resource has requested may be under way, although no look at its chapter says so: the
// resource leaves the chapter out now, or lists lack it. Its time is not over.
func (s Scope) mayStillRun(pending *conversion.ResumeToken) bool {
	if pending == nil || pending.Failed() || pending.Joined() {
		return false
	}
	return time.Since(time.Unix(pending.RequestedAtUnix, 0)) < s.ChapterTimeout
}

// key tells the resource or action from others, as far as the provider can know: two resources for the same chapters
// are one, unless one of them follows the text, and the other does not.
func (s Scope) key() string {
	key := fmt.Sprintf("%t %t %t %q", s.IsAction, s.SingleChapter, s.Follows, s.ProjectID)
	if !s.All {
		for _, desired := range s.Desired {
			key += " " + strconv.Quote(desired.ChapterID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.Except)) {
		key += " but " + strconv.Quote(id)
	}
	return key
}
