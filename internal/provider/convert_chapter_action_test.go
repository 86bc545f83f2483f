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

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	subject       = "Chapter \"one\" “" + chapterName + "”: "
	requestedLine = subject + "conversion requested"
	joinedLine    = subject + "joined a conversion that was already running, requested none"
	convertedLine = subject + "converted, 35 characters, 2 paragraphs, "
)

func TestActionShowsProgress(t *testing.T) {
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

func TestActionJoinsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
		c.service.Convert("book", "one")
		time.Sleep(20 * time.Second)
		shown := c.invoke(p, nil)
		shown.Want(c, "", nil, nil)
		shown.WantLines(c, joinedLine+", 33 %", subject+"converting, ", convertedLine)
		if at := shown.Lines[0].At; at > 0 {
			c.Errorf("no progress for %s", at)
		}
		c.wantSent(0)
	})
}

// TestActionTwiceAtOnce: two blocks trigger the same action.
func TestActionTwiceAtOnce(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
		first := make(chan *fakecore.Invocation)
		stream := c.StartAction(p, convertChapter, c.actionConfig(nil))
		go func() { first <- fakecore.Watch(stream) }()
		synctest.Wait()
		time.Sleep(10 * time.Second)
		second := c.invoke(p, nil)
		second.WantLines(c, joinedLine, subject+"converting, ", convertedLine)
		(<-first).WantLines(c, requestedLine, subject+"converting, ", convertedLine)
		c.wantSent(1)
	})
}

func TestActionCancelled(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
		const after = 20 * time.Second
		time.AfterFunc(after, func() {
			if _, err := p.StopProvider(c.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
				c.Error(err)
			}
		})
		shown := c.invoke(p, nil)
		if shown.Took > after+time.Second {
			c.Errorf("returned %s after it was cancelled", shown.Took-after)
		}
		shown.Want(c, "", nil, []string{"state converting, "})
		if !shown.Says("Invoking the action again joins the conversion while it runs") {
			c.Errorf("got %q", shown.Errors)
		}

		next := c.begin()
		defer next.End()
		c.invoke(next, nil).WantLines(c, joinedLine, convertedLine)
		c.wantSent(1)
	})
}

// TestActionReportsItsEndBeforeStopReturns: after StopProvider has returned, the plugin library sends nothing
// more from an action, and Terraform would take that for a success.
func TestActionReportsItsEndBeforeStopReturns(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
		var told atomic.Bool
		stream := c.StartAction(p, convertChapter, c.actionConfig(nil))
		go func() {
			for event := range stream.Events {
				if completed, ended := event.Type.(tfprotov6.CompletedInvokeActionEventType); ended {
					told.Store(len(completed.Diagnostics) == 1)
				}
			}
		}()
		time.Sleep(20 * time.Second)
		_, err := p.StopProvider(c.Context(), &tfprotov6.StopProviderRequest{})
		c.Must(err)
		if !told.Load() {
			c.Error("the provider stopped before its action reported its end")
		}
	})
}

func TestActionOutOfTime(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(mockserver.Conversion{Takes: 3 * time.Minute}), func(c *core, p *fakecore.Process) {
		shown := c.invoke(p, map[string]any{"timeout": "1m30s"})
		shown.Want(c, "", nil, []string{"Out of time after 1m30s (`timeout`). The conversion goes on at the service. - state converting, 49 %\n\nInvoking the action again joins the conversion"})
		if shown.Took != 90*time.Second {
			c.Errorf("waited for %s, want 1m30s", shown.Took)
		}
	})
	t.Run("default", func(t *testing.T) {
		t.Parallel()
		withProcess(t, chapterWithConversions(mockserver.Conversion{Takes: 2 * time.Hour}), func(c *core, p *fakecore.Process) {
			shown := c.invoke(p, map[string]any{"timeout": ""})
			shown.Want(c, "", nil, []string{"Out of time after 1h0m0s (`timeout`)."})
		})
	})
}

func TestActionWhoseConversionFails(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(failing), func(c *core, p *fakecore.Process) {
		shown := c.invoke(p, nil)
		shown.Want(c, "", nil, []string{"The service says: " + conversionError + "\n\nInvoking the action again requests another conversion."})
		c.wantSent(1)
	})
	t.Run("joined", func(t *testing.T) {
		t.Parallel()
		withProcess(t, chapterWithConversions(failing), func(c *core, p *fakecore.Process) {
			c.service.Convert("book", "one")
			shown := c.invoke(p, nil)
			shown.Want(c, "", nil, []string{"it was not requested here, and nothing was requested since. The service says: " + conversionError})
			c.wantSent(0)
		})
	})
}

func TestActionWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
		c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Reset: true})
		shown := c.invoke(p, nil)
		shown.WantLines(c, requestedLine+", but no clear answer has come: watching for it", subject+"waiting for a sign of the conversion, state default, 30s")
		shown.Want(c, "", nil, []string{"It is not known yet whether the service received the request. - state default\n\nLook at the chapter's state and `last_conversion_date_unix` first."})
		c.wantSent(1)
	})
}

// TestActionOutOfTimeBeforeAnySign: the next block or action for the chapter in the same apply
// knows that a conversion has been requested.
func TestActionOutOfTimeBeforeAnySign(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(mockserver.Conversion{Lag: 20 * time.Second, Takes: time.Minute}), func(c *core, p *fakecore.Process) {
		c.invoke(p, map[string]any{"timeout": "10s"}).Want(c, "", nil,
			[]string{"Out of time after 10s (`timeout`)."})
		shown := c.invoke(p, nil)
		shown.Want(c, "", nil, nil)
		shown.WantLines(c, joinedLine, convertedLine)
		c.wantSent(1)
	})
}

// TestActionKeepsAChapterUpToDate: what Terraform runs again after a success is not paid for again.
func TestActionKeepsAChapterUpToDate(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(oneMinute, oneMinute), func(c *core, p *fakecore.Process) {
		upToDate := map[string]any{"keep_up_to_date": true}
		shown := c.invoke(p, upToDate)
		shown.WantLines(c, requestedLine, convertedLine)
		c.wantSent(1)

		next := c.begin()
		defer next.End()
		shown = c.invoke(next, upToDate)
		shown.Want(c, "", nil, nil)
		shown.WantLines(c, subject+"nothing left to convert, requested none, 35 characters, 2 paragraphs")
		c.wantSent(1)

		c.service.EditChapter("book", "one", "Another text.")
		again := c.begin()
		defer again.End()
		c.invoke(again, upToDate).WantLines(c, requestedLine, subject+"converted, ")
		c.wantSent(2)
	})
}

// TestActionThatIsRefused: no conversion is known, so the action does not say that it joins one.
func TestActionThatIsRefused(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
		c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: 400, Body: `{"detail":"The text is empty."}`})
		shown := c.invoke(p, nil)
		shown.Want(c, "", nil, []string{"400 Bad Request: The text is empty."})
		shown.WantLines(c, subject+"waiting for a sign of the conversion, state default, 30s")
		c.wantSent(1)
	})
}

func TestActionLeavesTextUnconverted(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
		c.service.SetHabits(mockserver.Habits{LeavesLast: true})
		c.invoke(p, nil).Want(c, "", []string{"To convert the chapter once more, invoke the action again."}, nil)
	})
}

func TestActionIsValidatedAtPlan(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arguments map[string]any
		fault     mockserver.Fault
		want      []string
	}{
		"as it should be": {nil, mockserver.Fault{}, nil},
		"no such chapter": {map[string]any{"chapter_id": "nine"}, mockserver.Fault{}, []string{`Unable to convert chapter "nine" of project "book"` + "\n" + `Project "book" has no chapter "nine".`}},
		"no such project": {map[string]any{"project_id": "nook"}, mockserver.Fault{}, []string{`Unable to read project "nook"`}},
		"key refused":     {nil, mockserver.Fault{Status: 401}, []string{"The service does not accept the API key."}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
				if test.fault.Status > 0 {
					c.service.Inject(test.fault)
				}
				c.planAction(p, test.arguments).Want(c, "", nil, test.want)
				c.wantSent(0)
			})
		})
	}
}

// No plan that may cost something is silent.
func TestAnActionForAnUnknownChapterSaysThatItsCostIsNotKnown(t *testing.T) {
	t.Parallel()
	for _, unknown := range []string{"chapter_id", "project_id"} {
		withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
			c.planAction(p, map[string]any{unknown: tftypes.UnknownValue}).Want(c, "", []string{"Conversions of an unknown cost"}, nil)
		})
	}
}

func TestActionPlansABill(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare        func(c *core)
		keep           bool
		warnings, bill []string
	}{
		"nothing is converted":  {bill: []string{`35 "The Dark Lantern" (one), never converted`}},
		"all is converted":      {prepare: convertedBefore, bill: []string{`35 "The Dark Lantern" (one)`}},
		"kept up to date":       {keep: true, bill: []string{`35 "The Dark Lantern" (one), never converted`}},
		"kept, all is done":     {prepare: convertedBefore, keep: true, bill: []string{"Adopted at no cost"}},
		"it is converting":      {prepare: func(c *core) { c.service.Convert("book", "one") }, warnings: []string{"A conversion is under way that was not requested for this object"}},
		"the service is broken": {prepare: func(c *core) { c.service.Inject(mockserver.Fault{Status: 503, Times: -1}) }, warnings: []string{"So this plan does not know what the conversions cost."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
				if test.prepare != nil {
					test.prepare(c)
				}
				sent := c.service.Count(mockserver.ConvertChapter)
				shown := c.planAction(p, map[string]any{"keep_up_to_date": test.keep})
				shown.Want(c, "", test.warnings, nil)
				shown.WantBill(c, test.bill...)
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

func TestActionIsBoundAtPlan(t *testing.T) {
	t.Parallel()
	inFakeTime(t, mockserver.Chapter{}, nil, func(c *core) {
		p := c.beginWith(map[string]any{"base_url": "http://localhost", "api_key": mockserver.Secret, "max_characters": 34}, nil)
		defer p.End()
		c.planAction(p, nil).Want(c, "", nil, []string{"may take 35 characters, and `max_characters` allows 34."})
		c.wantSent(0)
	})
}
