package conversion

import (
	"fmt"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// FailedError means that a conversion ended with an error, or ended without converting anything.
type FailedError struct {
	// Reason is [Error], [OldError] or [Nothing].
	Reason Reason
	// Words are the chapter's last_conversion_error (section 2.3) without control characters; empty if it has none.
	Words string
	// Joined: somebody else requested the conversion.
	Joined bool
}

func (e *FailedError) Error() string {
	if e.Reason == Nothing {
		return "the conversion ended without converting anything, and the service gives no error"
	}
	return "the conversion failed: " + audioprojects.Text(e.Words).Line()
}

// UnconfirmedError means that the answer to the request for a conversion was lost, and that the chapter has shown no
// conversion since. Nobody knows whether the service received the request.
type UnconfirmedError struct{ Lost error }

func (e *UnconfirmedError) Error() string {
	return fmt.Sprintf("no clear answer to the request for a conversion, and no sign of one within %s: %v", window, e.Lost)
}

func (e *UnconfirmedError) Unwrap() error { return e.Lost }

// MissingChapterError means that the project has no such chapter, by all witnesses.
type MissingChapterError struct{ ProjectID, ChapterID string }

func (e *MissingChapterError) Error() string {
	return fmt.Sprintf("project %q has no chapter %q", e.ProjectID, e.ChapterID)
}

// Is makes a missing chapter an error of the kind [audioprojects.NotFound], like an unknown project.
func (e *MissingChapterError) Is(target error) bool { return target == audioprojects.NotFound }

// UnclearError means that two lists and the project's own record show different things of a chapter, so that none is believed yet.
type UnclearError struct{ ProjectID, ChapterID string }

func (e *UnclearError) Error() string {
	return fmt.Sprintf("the lists of project %q and its own record differ in what they show of chapter %q", e.ProjectID, e.ChapterID)
}
