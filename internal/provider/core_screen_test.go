package provider_test

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// screen is what a run of the CLI shows.
type screen struct {
	action   string // no-op, create, update or replace
	warnings []string
	errors   []string
	// diagnostics are those that the boxes were made of.
	diagnostics []*tfprotov6.Diagnostic
}

func (s *screen) says(text string) bool {
	return slices.ContainsFunc(slices.Concat(s.warnings, s.errors), func(box string) bool { return strings.Contains(box, text) })
}

func (s *screen) print(diagnostics []*tfprotov6.Diagnostic) (failed bool) {
	s.diagnostics = append(s.diagnostics, diagnostics...)
	for _, diagnostic := range diagnostics {
		box := diagnostic.Summary + "\n" + diagnostic.Detail
		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError {
			s.errors = append(s.errors, box)
			failed = true
		} else {
			s.warnings = append(s.warnings, box)
		}
	}
	return failed
}

// want checks what a run has planned, and what its warnings and errors say.
func (s *screen) want(c *core, action string, warnings, errors []string) {
	c.Helper()
	if s.action != action {
		c.Errorf("got action %q, want %q", s.action, action)
	}
	c.wantBoxes("warning", s.warnings, warnings)
	c.wantBoxes("error", s.errors, errors)
}

func (c *core) wantBoxes(kind string, got, want []string) {
	c.Helper()
	if len(got) != len(want) {
		c.Errorf("%ss: got %q, want %q", kind, got, want)
		return
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			c.Errorf("%s: got %q, want %q", kind, got[i], want[i])
		}
	}
}
