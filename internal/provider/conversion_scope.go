package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// scope is what a resource wants converted: chapters of one project. A single chapter is a scope, too.
type scope struct {
	conversion.Project
	thing string    // in messages
	at    path.Path // the attribute that says which chapters are meant
	// singleChapter: it is about one chapter. The engine is asked for it directly, because in a book it would wait for its turn. While nobody
	// knows which chapter that is, the scope is all of the project's.
	singleChapter bool
	// template is the demand for each chapter, without what is remembered of it.
	template conversion.Desired
	// unknownArguments says what is known only in the apply, so that an estimate is for more than that may cost; empty if all is known.
	// anyTime: that is when the chapters must have been converted.
	unknownArguments string
	anyTime          bool
	// tolerant: chapters that the service cannot convert are a warning, and no error.
	tolerant bool
	// onlyResumes: the resource demands nothing but the end of what is pending, and nothing is.
	onlyResumes bool
	// noted: what the chapters need was found by an earlier refresh, and not by one in this process.
	noted bool
	// adoptable: a chapter that has nothing left is converted all the same, and an argument could prevent that.
	adoptable bool
	// uncounted: max_characters counts the chapters in another plan.
	uncounted bool
	// leftOut are the chapters that the resource in the state leaves out: they were there when it was saved.
	leftOut map[string]bool
	// count is how many chapters the resource in the state has.
	count int
}

// names reports whether the resource names the chapter, and is not about all of a project.
func (s scope) names(chapterID string) bool {
	return s.Others == nil && slices.ContainsFunc(s.Desired, func(desired conversion.Desired) bool { return desired.ChapterID == chapterID })
}
