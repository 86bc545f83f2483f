package provider_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const convertChapter = "audioprojects_convert_chapter"

// inAction runs a test with a process whose actions convert the book's chapter as given.
func inAction(t *testing.T, chapter mockserver.Chapter, test func(*core, *process)) {
	t.Helper()
	inFakeTime(t, chapter, nil, func(c *core) {
		p := c.begin()
		defer p.end()
		test(c, p)
	})
}

// invocation is what a person sees of an action.
type invocation struct {
	*screen
	lines []line
	took  time.Duration
}

// line is one of progress, and when it came.
type line struct {
	at   time.Duration
	text string
}

// planAction plans the conversion of the book's chapter.
func (c *core) planAction(p *process, arguments map[string]any) *screen {
	c.Helper()
	planned, err := c.actions(p).PlanAction(c.Context(), &tfprotov6.PlanActionRequest{ActionType: convertChapter, Config: c.wire(actionConfig(arguments))})
	c.must(err)
	shown := &screen{}
	shown.print(planned.Diagnostics)
	return shown
}

// invoke has the book's chapter converted.
func (c *core) invoke(p *process, arguments map[string]any) *invocation {
	c.Helper()
	return follow(c.invocation(p, arguments))
}

// follow watches an invocation to its end.
func follow(stream *tfprotov6.InvokeActionServerStream) *invocation {
	began := time.Now()
	shown := &invocation{screen: &screen{}}
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			shown.lines = append(shown.lines, line{time.Since(began), event.Message})
		case tfprotov6.CompletedInvokeActionEventType:
			shown.print(event.Diagnostics)
		}
	}
	shown.took = time.Since(began)
	return shown
}

func (c *core) invocation(p *process, arguments map[string]any) *tfprotov6.InvokeActionServerStream {
	c.Helper()
	stream, err := c.actions(p).InvokeAction(c.Context(), &tfprotov6.InvokeActionRequest{ActionType: convertChapter, Config: c.wire(actionConfig(arguments))})
	c.must(err)
	return stream
}

func (c *core) actions(p *process) tfprotov6.ActionServer {
	c.Helper()
	server, ok := p.ProviderServer.(tfprotov6.ActionServer)
	if !ok {
		c.Fatal("the provider has no actions")
	}
	return server
}

func actionConfig(arguments map[string]any) tftypes.Value {
	config := map[string]any{"project_id": "book", "chapter_id": "one"}
	for name, value := range arguments {
		config[name] = value
	}
	return valueOf(schemas().ActionSchemas[convertChapter].Schema.ValueType(), config)
}

// wantLines checks the beginnings of lines that come in this order, with others between
// them, but not before the first, nor after the last.
func (i *invocation) wantLines(c *core, beginnings ...string) {
	c.Helper()
	next := 0
	for number, line := range i.lines {
		switch {
		case next == len(beginnings):
			c.Errorf("got lines %v, want none after %q", i.lines, beginnings[next-1])
			return
		case strings.HasPrefix(line.text, beginnings[next]):
			next++
		case number == 0:
			c.Errorf("got lines %v, want %q first", i.lines, beginnings[next])
			return
		}
	}
	if next < len(beginnings) {
		c.Errorf("got lines %v, want %q next", i.lines, beginnings[next])
	}
}

// wantSent checks how often the conversion has been asked for.
func (c *core) wantSent(want int) {
	c.Helper()
	if got := c.service.Count(mockserver.ConvertChapter); got != want {
		c.Errorf("convert requests sent: got %d, want %d", got, want)
	}
}
