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
	// Template is the desired state of each chapter, without what is remembered of it.
	Template conversion.Desired
	// Memory is what the resource remembers; empty for an action, and for a new resource.
	Memory ResourceMemory
	// UnknownArguments says what is known only in the apply, so that an estimate is for more than that may cost; empty if all is known.
	UnknownArguments string
	// Adoptable: a chapter that has nothing left is converted all the same, and an argument could prevent that.
	Adoptable bool
	// Excluded are the chapters that the resource in the state leaves out: they were there when it was saved.
	Excluded map[string]bool
	// Count is how many chapters the resource in the state has.
	Count int
}

// names reports whether the resource names the chapter, and is not about all of a project.
func (s Scope) names(chapterID string) bool {
	return s.Others == nil && slices.ContainsFunc(s.Desired, func(desired conversion.Desired) bool { return desired.ChapterID == chapterID })
}

// isOutdated reports whether the last conversion of a chapter is older than `converted_after`.
func (s Scope) isOutdated(chapter audioprojects.Chapter) bool {
	date, after := chapter.LastConversionDateUnix, s.Template.ConvertedAfter
	return date != nil && after != nil && int64(*date) < *after
}

// needsConversion reports whether the resource wants a conversion of a chapter at rest that it does not know.
func (s Scope) needsConversion(chapter audioprojects.Chapter) bool {
	count, isCounted := chapter.Statistics.Unconverted()
	wasNever := !isCounted && chapter.LastConversionDateUnix == nil
	return count > 0 || wasNever || s.isOutdated(chapter)
}

// mayStillRun reports whether a conversion that this resource has requested may be under way, although no look at its chapter says so: the
// resource leaves the chapter out now, or lists lack it. Its time is not over.
func (s Scope) mayStillRun(pending *conversion.ResumeToken) bool {
	if pending == nil || pending.Failed() || pending.Joined() {
		return false
	}
	return time.Since(time.Unix(*pending.RequestedAtUnix, 0)) < s.ChapterTimeout
}

// key tells the resource or action from others, as far as the provider can know: two resources for the same chapters are one.
func (s Scope) key() string {
	key := fmt.Sprintf("%t %t %q", s.Template.Invoked, s.SingleChapter, s.ProjectID)
	if s.Others == nil {
		for _, desired := range s.Desired {
			key += " " + strconv.Quote(desired.ChapterID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.Except)) {
		key += " but " + strconv.Quote(id)
	}
	return key
}
