package conversion

import (
	"fmt"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// FailedError is a conversion that ended with an error of its own.
type FailedError struct {
	// Words is the chapter's last_conversion_error, verbatim but for control characters (section 2.3).
	Words string
	// Joined: it was not asked for here.
	Joined bool
}

// Error quotes the service.
func (e *FailedError) Error() string { return "the conversion failed: " + e.Words }

// UnconfirmedError is a request for a conversion whose answer was lost, and that has
// left no evidence in the chapter since.
type UnconfirmedError struct{ Lost error }

// Error says what became of the answer.
func (e *UnconfirmedError) Error() string {
	return fmt.Sprintf("no clear answer to the request for a conversion, and no sign of one within %s: %v", evidenceWindow, e.Lost)
}

// Unwrap gives the request's error.
func (e *UnconfirmedError) Unwrap() error { return e.Lost }

// MissingChapterError is a project that the service lists without the chapter.
type MissingChapterError struct{ ProjectID, ChapterID string }

// Error names the chapter and the project.
func (e *MissingChapterError) Error() string {
	return fmt.Sprintf("project %q has no chapter %q", e.ProjectID, e.ChapterID)
}

// Is makes a missing chapter the same kind of failure as an unknown project.
func (e *MissingChapterError) Is(target error) bool { return target == audioprojects.NotFound }
