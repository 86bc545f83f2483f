package conversion

import (
	"fmt"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// FailedError is a conversion that ended with an error of its own, or without having converted anything.
type FailedError struct {
	// Reason is [Error], [OldError] or [Nothing].
	Reason Reason
	// Words are the chapter's last_conversion_error, verbatim but for control characters (section 2.3); empty
	// where there are none.
	Words string
	// Joined: it was not asked for here.
	Joined bool
}

// Error quotes the service, in one line.
func (e *FailedError) Error() string {
	if e.Reason == Nothing {
		return "the conversion ended without converting anything, and the service gives no error"
	}
	return "the conversion failed: " + audioprojects.Text(e.Words).Line()
}

// UnconfirmedError is a request for a conversion whose answer was lost, and that has
// left no sign in the chapter since.
type UnconfirmedError struct{ Lost error }

// Error says what became of the answer.
func (e *UnconfirmedError) Error() string {
	return fmt.Sprintf("no clear answer to the request for a conversion, and no sign of one within %s: %v", window, e.Lost)
}

// Unwrap gives the request's error.
func (e *UnconfirmedError) Unwrap() error { return e.Lost }

// MissingChapterError is a chapter that is neither in two lists of its project, one some seconds after
// the other, nor in the project's own record.
type MissingChapterError struct{ ProjectID, ChapterID string }

// Error names the chapter and the project.
func (e *MissingChapterError) Error() string {
	return fmt.Sprintf("project %q has no chapter %q", e.ProjectID, e.ChapterID)
}

// Is makes a missing chapter the same kind of failure as an unknown project.
func (e *MissingChapterError) Is(target error) bool { return target == audioprojects.NotFound }
