package fakecore

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The actions that a plan can show.
const (
	NoOp    = "no-op"
	Create  = "create"
	Update  = "update"
	Replace = "replace"
	Destroy = "destroy"
)

// Screen is what a run shows.
type Screen struct {
	// Action is the planned action: one of the constants; empty if the plan failed.
	Action string
	// Warnings and Errors are the texts of the boxes: a summary, a line break, and the detail.
	Warnings, Errors []string
	// Estimate has the warnings that only say what something costs, and are in every plan that costs something.
	Estimate []string
	// Diagnostics are those of the warnings and errors.
	Diagnostics []*tfprotov6.Diagnostic
}

// estimateSummaries are how the summaries of an estimate begin.
var estimateSummaries = []string{"Conversions that cost credits in ", "Adopted at no cost in "}

// Print adds diagnostics, and reports whether an error is among them.
func (s *Screen) Print(diagnostics []*tfprotov6.Diagnostic) (failed bool) {
	for _, diagnostic := range diagnostics {
		box := diagnostic.Summary + "\n" + diagnostic.Detail
		if slices.ContainsFunc(estimateSummaries, func(begins string) bool { return strings.HasPrefix(box, begins) }) {
			s.Estimate = append(s.Estimate, box)
			continue
		}
		s.Diagnostics = append(s.Diagnostics, diagnostic)
		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError {
			s.Errors = append(s.Errors, box)
			failed = true
		} else {
			s.Warnings = append(s.Warnings, box)
		}
	}
	return failed
}

// Says reports whether a warning or an error contains the text.
func (s *Screen) Says(text string) bool {
	return slices.ContainsFunc(slices.Concat(s.Warnings, s.Errors, s.Estimate), func(box string) bool { return strings.Contains(unbroken(box), text) })
}

// WantEstimate checks the warnings that only say what something costs, as [Screen.Want] does the others.
func (s *Screen) WantEstimate(t T, estimate ...string) {
	t.Helper()
	wantBoxes(t, "estimate", s.Estimate, estimate)
}

// Want checks the planned action, and that the warnings and errors are as many as given and contain the given texts.
func (s *Screen) Want(t T, action string, warnings, errors []string) {
	t.Helper()
	if s.Action != action {
		t.Errorf("got action %q, want %q", s.Action, action)
	}
	wantBoxes(t, "warning", s.Warnings, warnings)
	wantBoxes(t, "error", s.Errors, errors)
}

func wantBoxes(t T, kind string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%ss: got %q, want %q", kind, got, want)
		return
	}
	for i := range want {
		if !strings.Contains(unbroken(got[i]), want[i]) {
			t.Errorf("%s: got %q, want %q", kind, got[i], want[i])
		}
	}
}

// unbroken puts the lines together again that the provider has broken for the screen, or indented.
func unbroken(box string) string {
	return lineBreaks.ReplaceAllString(box, " ")
}

var lineBreaks = regexp.MustCompile(`\n  │ |\n {2,}| {2,}`)

func (s *Screen) String() string {
	text := s.Action
	for i, boxes := range [][]string{s.Errors, s.Warnings, s.Estimate} {
		for _, box := range boxes {
			text += "\n" + []string{"Error: ", "Warning: ", "Estimate: "}[i] + box
		}
	}
	return text
}
