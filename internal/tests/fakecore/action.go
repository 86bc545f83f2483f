package fakecore

import (
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Invocation is the result of an action: what a run shows of it.
type Invocation struct {
	*Screen
	Lines []Line
	Took  time.Duration
	// Completed: the action has reported its end. If it does not, core takes that for a success.
	Completed bool
}

// Line is a line of progress and its time.
type Line struct {
	At   time.Duration
	Text string
}

// ActionConfig is a configuration of an action with these arguments; the others are null.
func (c *Core) ActionConfig(actionType string, arguments map[string]any) tftypes.Value {
	return ValueOf(c.schemas.ActionSchemas[actionType].Schema.ValueType(), arguments)
}

// PlanAction plans an invocation.
func (c *Core) PlanAction(provider Provider, actionType string, config tftypes.Value) *Screen {
	c.t.Helper()
	response, err := provider.PlanAction(c.t.Context(), &tfprotov6.PlanActionRequest{ActionType: actionType, Config: c.Encode(config)})
	c.Must(err)
	shown := &Screen{}
	shown.Print(response.Diagnostics)
	return shown
}

// Invoke invokes an action and waits for its end.
func (c *Core) Invoke(provider Provider, actionType string, config tftypes.Value) *Invocation {
	c.t.Helper()
	return CollectEvents(c.StartAction(provider, actionType, config))
}

// StartAction invokes an action. The caller reads its events from the stream.
func (c *Core) StartAction(provider Provider, actionType string, config tftypes.Value) *tfprotov6.InvokeActionServerStream {
	c.t.Helper()
	stream, err := provider.InvokeAction(c.t.Context(), &tfprotov6.InvokeActionRequest{ActionType: actionType, Config: c.Encode(config)})
	c.Must(err)
	return stream
}

// CollectEvents reads the events of an invocation.
func CollectEvents(stream *tfprotov6.InvokeActionServerStream) *Invocation {
	began := time.Now()
	shown := &Invocation{Screen: &Screen{}}
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			shown.Lines = append(shown.Lines, Line{time.Since(began), event.Message})
		case tfprotov6.CompletedInvokeActionEventType:
			shown.Print(event.Diagnostics)
			shown.Completed = true
		}
	}
	shown.Took = time.Since(began)
	return shown
}

// WantLines checks that lines with these beginnings come in this order. Other lines may come between
// them, but not before the first or after the last.
func (i *Invocation) WantLines(t T, beginnings ...string) {
	t.Helper()
	next := 0
	for number, line := range i.Lines {
		switch {
		case next == len(beginnings):
			t.Errorf("got lines %v, want none after %q", i.Lines, beginnings[next-1])
			return
		case strings.HasPrefix(line.Text, beginnings[next]):
			next++
		case number == 0:
			t.Errorf("got lines %v, want %q first", i.Lines, beginnings[next])
			return
		}
	}
	if next < len(beginnings) {
		t.Errorf("got lines %v, want %q next", i.Lines, beginnings[next])
	}
}
