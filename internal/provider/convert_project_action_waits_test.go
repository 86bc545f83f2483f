package provider_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// invokeBook invokes the action for the book.
func (c *core) invokeBook(p *fakecore.Process, arguments map[string]any) *fakecore.Invocation {
	c.Helper()
	arguments["project_id"] = "book"
	return c.Invoke(p, convertProject, c.ActionConfig(convertProject, arguments))
}

func TestConvertProject_showsFewLinesAndIsNeverSilent(t *testing.T) {
	t.Parallel()
	all := manyChapters(100)
	for i := range all {
		all[i].Conversions = []mockserver.Conversion{{Takes: time.Duration(20+i) * time.Second}}
	}
	for i := 50; i < 53; i++ {
		all[i].Conversions = []mockserver.Conversion{failing}
	}
	withBook(t, all, func(c *core) {
		p := c.begin()
		defer p.End()
		shown := c.invokeBook(p, map[string]any{})
		c.wantSent(100)
		if len(shown.Errors) != 1 || !shown.Says(`Unable to convert 3 of the 100 chapters of project "book"`) ||
			!shown.Says("Invoking the action again requests another conversion.\n\nInvoking the action again requests nothing for chapters that are already converted.") {
			c.Errorf("got %q", shown.Errors)
		}
		before := time.Duration(0)
		for _, line := range shown.Lines {
			silence := line.At - before
			if silence > 32*time.Second {
				c.Errorf("no line for %s before %q", silence, line.Text)
			}
			before = line.At
		}
		first, last := shown.Lines[0].Text, shown.Lines[len(shown.Lines)-1].Text
		if len(shown.Lines) > 40 || !strings.HasPrefix(first, "0 of 100 chapters converted, ") || !strings.HasPrefix(last, "97 of 100 chapters converted, 0 converting, 3 failed, ") {
			c.Errorf("got %d lines from %q to %q", len(shown.Lines), first, last)
		}
	})
}

// TestConvertProject_outOfTime: a conversion that goes on is not called failed.
func TestConvertProject_outOfTime(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, oneMinute), func(c *core) {
		p := c.begin()
		defer p.End()
		shown := c.invokeBook(p, map[string]any{"timeouts": map[string]any{"invoke": "40s"}})
		last := shown.Lines[len(shown.Lines)-1].Text
		if len(shown.Errors) != 1 || !strings.HasPrefix(last, "0 of 3 chapters converted, 3 converting") || strings.Contains(last, "failed") {
			c.Errorf("got %q, and %q", last, shown.Errors)
		}
	})
}

func TestConvertProject_cancelled(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, oneMinute), func(c *core) {
		p := c.begin()
		defer p.End()
		time.AfterFunc(20*time.Second, func() {
			_, err := p.StopProvider(c.Context(), &tfprotov6.StopProviderRequest{})
			c.Must(err)
		})
		shown := c.invokeBook(p, map[string]any{})
		const follows = "Invoking the action again joins the conversion if it is still running, and may request another if it has ended."
		if shown.Took > 21*time.Second || len(shown.Errors) != 1 || !shown.Says("The conversion continues at the service.") || !shown.Says(follows) {
			c.Errorf("took %s, errors %q", shown.Took, shown.Errors)
		}
		// Terraform drops the error of an action that sends a line after Ctrl-C.
		last := shown.Lines[len(shown.Lines)-1]
		if last.At >= 20*time.Second || strings.Contains(last.Text, "failed") {
			c.Errorf("got the lines %v", shown.Lines)
		}
		next := c.begin()
		defer next.End()
		c.invokeBook(next, map[string]any{}).Want(c, "", nil, nil)
		c.wantSent(3)
	})
}

func TestConvertProject_chaptersAreNotListed(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		p := c.begin()
		defer p.End()
		busy := mockserver.RateLimited(20 * time.Second)
		busy.Operation, busy.Times = mockserver.ListChapters, 12
		c.service.Inject(busy)
		c.invokeBook(p, map[string]any{}).WantLines(c,
			"Chapters not listed yet; the service limits requests (429 Too Many Requests), and the next one is sent in 10s, 30s", "0 of 2 chapters converted, ", "2 of 2 chapters converted, ")
	})
}

// TestConvertProject_saysWhyItWaits: the service runs one conversion at a time.
func TestConvertProject_saysWhyItWaits(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, mockserver.Conversion{Takes: 40 * time.Second}), func(c *core) {
		p := c.begin()
		defer p.End()
		c.service.SetHabits(mockserver.Habits{AtATime: 1})
		const waits = " waiting, because the service runs no more at a time (429 Too Many Requests), "
		c.invokeBook(p, map[string]any{}).WantLines(c, "0 of 3 chapters converted, 0 converting, 0s", "0 of 3 chapters converted, 1 converting, 0s",
			"0 of 3 chapters converted, 1 converting, 2"+waits, "1 of 3 chapters converted, 0 converting, 2"+waits, "1 of 3 chapters converted, 1 converting, 1"+waits,
			"2 of 3 chapters converted, 0 converting, 1"+waits, "2 of 3 chapters converted, 1 converting, ", "3 of 3 chapters converted, ")
	})
}

// TestConvertActions_failedLooks: the lists hang. Progress, log and the error say since when none came.
func TestConvertActions_failedLooks(t *testing.T) {
	t.Parallel()
	for name, invoke := range map[string]func(*core, *fakecore.Process, map[string]any) *fakecore.Invocation{
		"a chapter": (*core).invoke,
		"a project": (*core).invokeBook,
	} {
		withProcess(t, chapterWithConversions(mockserver.Conversion{Takes: time.Hour}), func(c *core, p *fakecore.Process) {
			c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 12, Times: -1, Hang: time.Hour})
			shown := invoke(c, p, map[string]any{"timeouts": map[string]any{"invoke": "4m"}})
			says := slices.ContainsFunc(shown.Lines, func(line fakecore.Line) bool {
				return strings.Contains(line.Text, "; no list of the chapters has come for ")
			})
			if !says || !shown.Says("no list of the chapters has come since ") {
				c.Errorf("%s: got %v and %s, want since when nothing was seen", name, shown.Lines, shown.Screen)
			}
		})
	}
}
