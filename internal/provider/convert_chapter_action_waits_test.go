package provider_test

import (
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const (
	subject       = "Chapter \"" + acctest.ChapterName + "\" (one): "
	requestedLine = subject + "conversion requested"
	joinedLine    = subject + "joined a conversion that was already running, "
	convertedLine = subject + "converted, 35 characters, "
)

func TestConvertChapter_showsProgress(t *testing.T) {
	t.Parallel()
	progressLine := regexp.MustCompile(`^converting, (\d+) %, `)
	for _, takes := range []time.Duration{5 * time.Second, time.Minute, 10 * time.Minute, 50 * time.Minute} {
		t.Run(takes.String(), func(t *testing.T) {
			t.Parallel()
			withProcess(t, chapterWithConversions(mockserver.Conversion{Queued: 20 * time.Second, Takes: takes}), func(c *core, p *fakecore.Process) {
				shown := c.invoke(p, nil)
				shown.Want(c, "", nil, nil)
				c.wantPaid(1)
				shown.WantLines(c, requestedLine, subject+"in_queue, 1s", subject+"converting, ", convertedLine)

				told, tenths := -1, map[int]bool{}
				for i, line := range shown.Lines[2:] {
					silence := line.At - shown.Lines[i+1].At
					if silence > 30*time.Second {
						c.Errorf("no progress for %s before %q", silence, line.Text)
					}
					match := progressLine.FindStringSubmatch(strings.TrimPrefix(line.Text, subject))
					if match == nil {
						continue
					}
					progress, _ := strconv.Atoi(match[1])
					if told >= 0 && silence < 30*time.Second && (silence < 2*time.Second || progress/10 == told/10) {
						c.Errorf("%q came %s after progress %d", line.Text, silence, told)
					}
					told = progress
					tenths[progress/10] = true
				}
				if takes >= time.Minute && len(tenths) < 7 {
					c.Errorf("got lines %v, want one for most of the tenths", shown.Lines)
				}
			})
		})
	}
}

// TestConvertChapter_twiceAtOnce: two blocks trigger the same action. They take turns, and each converts the chapter, as its plan has said.
func TestConvertChapter_twiceAtOnce(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
		first := make(chan *fakecore.Invocation)
		stream := c.StartAction(p, convertChapter, c.actionConfig(nil))
		go func() { first <- fakecore.CollectEvents(stream) }()
		synctest.Wait()
		time.Sleep(10 * time.Second)
		second := c.invoke(p, nil)
		second.WantLines(c, `Chapter "one": waiting for another resource that is about this chapter`, requestedLine, subject+"converting, ", convertedLine)
		at := second.Lines[0].At
		if at > time.Second {
			c.Errorf("no progress for %s", at)
		}
		(<-first).WantLines(c, requestedLine, subject+"converting, ", convertedLine)
		c.wantSent(2)
	})
}

// TestStopProvider_waitsForActionEnd: after StopProvider has returned, the plugin library sends nothing
// more from an action, and Terraform would take that for a success.
func TestStopProvider_waitsForActionEnd(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
		var told atomic.Bool
		stream := c.StartAction(p, convertChapter, c.actionConfig(nil))
		go func() {
			for event := range stream.Events {
				completed, ended := event.Type.(tfprotov6.CompletedInvokeActionEventType)
				if ended {
					told.Store(len(completed.Diagnostics) == 1)
				}
			}
		}()
		time.Sleep(20 * time.Second)
		c.stop(p)
		if !told.Load() {
			c.Error("the provider stopped before its action reported its end")
		}
	})
}

// TestConvertChapter_planCutShort: without the error, Terraform would save the plan of an action although it lacks the estimate.
func TestConvertChapter_planCutShort(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]func(*core, *fakecore.Process) *fakecore.Screen{
		convertChapter: func(c *core, p *fakecore.Process) *fakecore.Screen { return c.planAction(p, nil) },
		convertProject: func(c *core, p *fakecore.Process) *fakecore.Screen {
			return c.PlanAction(p, convertProject, c.ActionConfig(convertProject, map[string]any{"project_id": "book"}))
		},
		chapterConversion.name: func(c *core, p *fakecore.Process) *fakecore.Screen { return c.PlanChange(p, &fakecore.Screen{}).Screen },
		projectConversion.name: func(c *core, p *fakecore.Process) *fakecore.Screen {
			book := newCore(c.T, projectConversion, c.service, nil)
			return book.PlanChange(p, &fakecore.Screen{}).Screen
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
				c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Hang: 20 * time.Second})
				time.AfterFunc(time.Second, func() { c.stop(p) })
				shown := plan(c, p)
				shown.Want(c, shown.Action, nil, []string{"Interrupted before the cost was known. Nothing was requested. Plan again."})
				shown.WantEstimate(c)
				shown = plan(c, p)
				shown.Want(c, shown.Action, nil, nil)
				shown.WantEstimate(c, "Characters at most: 35")
				c.wantSent(0)
			})
		})
	}
}

func TestConvertChapter_outOfTime(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(mockserver.Conversion{Takes: 3 * time.Minute}), func(c *core, p *fakecore.Process) {
		shown := c.invoke(p, map[string]any{"timeouts": map[string]any{"invoke": "1m30s"}})
		shown.Want(c, "", nil, []string{"Timed out after 1m30s (`timeouts.invoke`). The conversion continues at the service. - state converting, 50 %\n\nInvoking the action again joins the conversion"})
		if shown.Took < 90*time.Second || shown.Took > 91*time.Second {
			c.Errorf("waited for %s, want 1m30s", shown.Took)
		}
	})
	for _, arguments := range []map[string]any{nil, {"timeouts": map[string]any{}}} {
		withProcess(t, chapterWithConversions(mockserver.Conversion{Takes: 2 * time.Hour}), func(c *core, p *fakecore.Process) {
			c.invoke(p, arguments).Want(c, "", nil, []string{"Timed out after 1h0m0s (`timeouts.invoke`)."})
		})
	}
}

// TestConvertChapter_ambiguousRequest: no conversion is known, so the action does not say that it joins one.
func TestConvertChapter_ambiguousRequest(t *testing.T) {
	t.Parallel()
	const unclear, waiting = requestedLine + ", no clear answer, watching for a sign of it, ", subject + "waiting for a sign of the conversion, state default, "
	for _, test := range []struct {
		fault mockserver.Fault
		lines []string
		says  string
	}{
		{
			mockserver.Fault{Reset: true}, []string{unclear + "0s", unclear + "30s"},
			"The provider does not know yet whether the service received the request. - state default\n\nCheck the chapter's `state` and `last_conversion_date_unix` first.",
		},
		{mockserver.Fault{Status: 400, Body: `{"detail":"The text is empty."}`}, []string{waiting + "0s"}, "400 Bad Request: The text is empty."},
	} {
		withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
			test.fault.Operation = mockserver.ConvertChapter
			c.service.Inject(test.fault)
			shown := c.invoke(p, nil)
			shown.WantLines(c, test.lines...)
			shown.Want(c, "", nil, []string{test.says})
			c.wantSent(1)
		})
	}
}

// TestConvertChapter_outOfTimeBeforeAnySign: the next block or action for the chapter in the same apply knows that a
// conversion was requested. It joins that if it shows, and requests none otherwise.
func TestConvertChapter_outOfTimeBeforeAnySign(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(mockserver.Conversion{Lag: 20 * time.Second, Takes: time.Minute}), func(c *core, p *fakecore.Process) {
		c.invoke(p, map[string]any{"timeouts": map[string]any{"invoke": "10s"}}).Want(c, "", nil, []string{"Timed out after 10s (`timeouts.invoke`)."})
		const open = "A conversion of the chapter was requested in this apply for another resource or action, and its end is not known. So no other one was requested." +
			"\n\nInvoking the action again starts over."
		c.invoke(p, nil).Want(c, "", nil, []string{open})
		time.Sleep(20 * time.Second)
		shown := c.invoke(p, nil)
		shown.Want(c, "", nil, nil)
		shown.WantLines(c, subject+"converting, ", joinedLine, convertedLine)
		c.wantSent(1)
	})
}

func TestConvertChapter_planHasEstimate(t *testing.T) {
	t.Parallel()
	const open = `35 "The Dark Lantern" (one)`
	for name, test := range map[string]struct {
		prepare                    func(c *core)
		arguments                  map[string]any
		warnings, errors, estimate []string
	}{
		"all is converted":    {prepare: convertedBefore, estimate: []string{`35 "The Dark Lantern" (one)`}},
		"only unconverted":    {prepare: convertedBefore, arguments: map[string]any{"only_unconverted": true}, estimate: []string{"Adopted at no cost"}},
		"it is converting":    {prepare: func(c *core) { c.service.Convert("book", "one") }, warnings: []string{"A conversion is under way"}},
		"too many characters": {prepare: func(c *core) { c.limitTo(34) }, errors: []string{"The conversions would exceed the limit of 34 characters (`max_characters`)."}, estimate: []string{open}},
		"no such chapter":     {arguments: map[string]any{"chapter_id": "nine"}, errors: []string{"Chapters that the project does not have"}},
		"unknown timeouts":    {arguments: map[string]any{"timeouts": tftypes.UnknownValue}, estimate: []string{open}},
		"unknown timeout":     {arguments: map[string]any{"timeouts": map[string]any{"invoke": tftypes.UnknownValue}}, estimate: []string{open}},
		// No plan that may cost something is silent.
		"unknown project": {arguments: map[string]any{"project_id": tftypes.UnknownValue}, warnings: []string{"Conversions of an unknown cost"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
				if test.prepare != nil {
					test.prepare(c)
				}
				p := c.Start()
				defer p.End()
				sent := c.service.Count(mockserver.ConvertChapter)
				shown := c.planAction(p, test.arguments)
				shown.Want(c, "", test.warnings, test.errors)
				shown.WantEstimate(c, test.estimate...)
				c.wantSent(sent)
			})
		})
	}
}

// convertedBefore has the chapter converted.
func convertedBefore(c *core) {
	c.service.Convert("book", "one")
	time.Sleep(2 * time.Minute)
}

// TestConvertChapter_redirected: a path of the same host is probably that of `api_path`.
func TestConvertChapter_redirected(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 308} {
		withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
			c.service.Inject(mockserver.Fault{
				Operation: mockserver.ConvertChapter, Status: status, Header: map[string][]string{"Location": {"/v1/studio/projects/book/chapters/one/convert"}},
			})
			shown := c.invoke(p, nil)
			if !shown.Says("/v1/studio/projects/") || !shown.Says("Check `base_url` and `api_path`") {
				c.Errorf("%d: got %s, want the new path, and api_path", status, shown.Screen)
			}
		})
	}
}
