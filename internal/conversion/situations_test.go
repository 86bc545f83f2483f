package conversion_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// purpose is the comment with which a situation begins.
var purpose = regexp.MustCompile(`^(?:# .+\n)*# .*\w\.\nsituation\n`)

// TestSituations plays the situations of testdata/situations: what the service shows of a chapter, and when; what people do; and then
// what the provider does, when, and what it says. With -rewrite, the test records that again; read the difference.
//
// A line of a script is a time after the beginning, and one of
//
//	shows converting, 50 converted, 50 unconverted, dated -1h, progress 40, error "no voice"
//	answers 409 The chapter is busy.           to requests for a conversion from now on; "answers nothing" breaks the connection
//	plan [resource=…] [argument=…]
//	apply [resource=…] [argument=…]            each resource once in a process, until all have ended
//	Ctrl-C
//
// A state cannot be "error", "dated" or "progress", because these words begin something else. The arguments are
// keep_up_to_date, triggers=…, timeout=…, and imported, or imported=… with the triggers that the state has.
func TestSituations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/situations/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no situations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil || !purpose.Match(text) {
				t.Errorf("it does not begin with a comment of whole sentences that says what happens, and why: %v", err)
			}
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				var record string
				synctest.Test(t, func(t *testing.T) {
					s, err := newSituation(t, d.Input)
					if err != nil {
						d.Fatalf(t, "%v", err)
					}
					record = s.play()
				})
				return record
			})
		})
	}
}

// situation is a service that does what a script says, and what the provider does with it.
type situation struct {
	*testing.T
	began   time.Time
	shows   []shown
	answers []answer
	acts    []act

	network   *mockserver.Network
	engine    *conversion.Engine
	resources map[string]resource // what the state has of each

	mu             sync.Mutex
	record         strings.Builder
	listed         string        // by the latest list in the record
	same           time.Duration // when a later list has shown the same; 0: none has
	waits, because string        // the latest in the record
	sent, accepted int

	decidedBy map[string]bool       // the numbers of the rules that looks have led to
	moved     *conversion.RuleOrder // a rule that is asked after its rival; nil if none is
}

// act is what a person does.
type act struct {
	at       time.Duration
	what     string // plan, apply or Ctrl-C
	resource string
	desired  conversion.Desired
	follows  bool // keep_up_to_date
	timeout  time.Duration
}

// resource is what the state has of a resource.
type resource struct {
	inState  bool
	memory   string // JSON
	triggers string
}

func newSituation(t *testing.T, script string) (*situation, error) {
	s := &situation{
		T: t, began: time.Now(), resources: map[string]resource{}, answers: []answer{{status: http.StatusOK}}, decidedBy: map[string]bool{},
	}
	for line := range strings.Lines(script) {
		at, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		after, err := time.ParseDuration(at)
		if err != nil {
			return nil, err
		}
		does, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
		switch does {
		case "shows":
			var last shown
			if len(s.shows) > 0 {
				last = s.shows[len(s.shows)-1]
			}
			last, err = last.with(after, rest)
			s.shows = append(s.shows, last)
		case "answers":
			var given answer
			given, err = answerOf(after, rest)
			s.answers = append(s.answers, given)
		case "plan", "apply", "Ctrl-C":
			var a act
			a, err = s.actOf(after, does, strings.Fields(rest))
			s.acts = append(s.acts, a)
		default:
			err = fmt.Errorf("a situation has no %q", does)
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *situation) actOf(at time.Duration, what string, arguments []string) (act, error) {
	a := act{at: at, what: what, resource: "one", timeout: time.Hour, desired: conversion.Desired{ProjectID: project, ChapterID: chapter, Wish: conversion.WantsConversion, New: true}}
	for _, argument := range arguments {
		name, value, _ := strings.Cut(argument, "=")
		var err error
		switch name {
		case "resource":
			a.resource = value
		case "keep_up_to_date":
			a.follows, a.desired.Wish = true, conversion.WantsText
		case "imported":
			s.resources[a.resource] = resource{inState: true, triggers: value}
		case "triggers":
			a.desired.Triggers = value
		case "timeout":
			a.timeout, err = time.ParseDuration(value)
		default:
			err = fmt.Errorf("a resource has no %q", argument)
		}
		if err != nil {
			return act{}, err
		}
	}
	return a, nil
}

// play plays the situation, and returns the record.
func (s *situation) play() string {
	s.network = mockserver.NewNetwork(s)
	defer s.network.Close()
	var running sync.WaitGroup
	interrupt := func() {}
	ctx, under, applied := s.Context(), 0, map[string]bool{} // resources that the process has applied
	for _, a := range s.acts {
		time.Sleep(a.at - time.Since(s.began))
		s.mu.Lock()
		isNew := under == 0 && (a.what == "plan" || applied[a.resource] || len(applied) == 0)
		s.mu.Unlock()
		if isNew {
			clear(applied)
			s.newProcess()
			ctx, interrupt = context.WithCancel(s.Context())
		}
		switch a.what {
		case "Ctrl-C":
			s.note("Ctrl-C")
			interrupt()
		case "plan":
			s.plan(ctx, a)
		case "apply":
			s.mu.Lock()
			under++
			s.waits, applied[a.resource] = "", true
			s.mu.Unlock()
			running.Go(func() {
				s.apply(ctx, a)
				s.mu.Lock()
				under--
				s.mu.Unlock()
			})
		}
		synctest.Wait()
	}
	running.Wait()
	interrupt()
	s.network.Close()
	fmt.Fprintf(&s.record, "requests sent: %d, accepted: %d\n", s.sent, s.accepted)
	return s.record.String()
}

// newProcess makes the engine that of a new process, as each command of Terraform has.
func (s *situation) newProcess() {
	address, err := audioprojects.ParseBaseURL("http://localhost", false)
	if err != nil {
		s.Fatal(err)
	}
	client := audioprojects.New(audioprojects.Config{
		BaseURL: address, APIKey: mockserver.Secret, RequestTimeout: 30 * time.Second, MaxRetries: 4,
		Transport: &http.Transport{DialContext: s.network.DialContext},
	})
	free := func(string, audioprojects.Chapter, *int64) (func(context.Context, error), error) {
		return func(context.Context, error) {}, nil
	}
	s.listed = ""
	s.engine = conversion.NewEngine(conversion.Options{Client: client, Reserve: free, ParallelConversions: 50, Trace: s.noteDecision})
	if s.moved != nil {
		s.engine.Move(*s.moved)
	}
}

// desiredOf is what a resource wants of the chapter, as the provider has it.
func (s *situation) desiredOf(a act) conversion.Desired {
	before, desired := s.resources[a.resource], a.desired
	if !before.inState {
		return desired
	}
	desired.New = false
	if before.memory != "" {
		if err := json.Unmarshal([]byte(before.memory), &desired.Memory); err != nil {
			s.Fatal(err)
		}
	}
	isRetriggered := before.triggers != "" && desired.Triggers != "" && before.triggers != desired.Triggers
	desired.Memory.ForTriggers = desired.Memory.ForTriggers || isRetriggered
	if !a.follows {
		desired.Wish = conversion.WantsNothing
	}
	return desired
}

func (s *situation) plan(ctx context.Context, a act) {
	p := s.engine.Predict(ctx, s.desiredOf(a))[0]
	known := s.resources[a.resource]
	if known.inState && p.Err == nil { // Its refresh saves what it has seen.
		memory, err := json.Marshal(p.Memory)
		if err != nil {
			s.Error(err)
		}
		known.memory = string(memory)
		s.resources[a.resource] = known
	}
	var says string
	isAfterWait := p.Decision.Step == conversion.Wait
	switch v := p.Verdict; {
	case v.Action == conversion.DoesNothing:
		says = " counts none"
	case v.Action == conversion.Waits:
		says = " says that the apply waits, and may request a conversion after that"
	case v.Reason == conversion.StillUnconfirmed:
		says = " says that the apply looks for the conversion, and counts one if there is none"
	case v.Reason != conversion.Error && isAfterWait:
		says = " counts a conversion, after what it waits for"
	default:
		says = " counts a conversion" + reasonInWords(s.T, v.Reason)
	}
	if p.Err != nil {
		says = " fails: " + p.Err.Error()
	}
	s.note(s.named(a, "the plan") + says)
}

func (s *situation) apply(ctx context.Context, a act) {
	s.note(s.named(a, "apply"))
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	outcome, err := s.engine.Convert(ctx, s.desiredOf(a))
	memory, failure := json.Marshal(outcome.Memory)
	if failure != nil {
		s.Error(failure)
	}
	s.note(s.named(a, "apply") + " ends: " + endInWords(outcome, err))
	kept := outcome.Memory
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.record, "          the state keeps %s\n", memoryInWords(kept))
	s.resources[a.resource] = resource{inState: true, memory: string(memory), triggers: a.desired.Triggers}
}

// named names the resource if there is another one.
func (s *situation) named(a act, what string) string {
	for _, other := range s.acts {
		if other.what != "Ctrl-C" && other.resource != a.resource {
			return what + " of " + strconv.Quote(a.resource)
		}
	}
	return what
}

// note writes what happens now.
func (s *situation) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noteSame()
	s.write(time.Since(s.began), what)
}

func (s *situation) write(at time.Duration, what string) {
	fmt.Fprintf(&s.record, "%-9s %s\n", elapsed(at), what)
}

func (s *situation) noteSame() {
	if s.same > 0 {
		s.write(s.same, "list: the same")
	}
	s.same = 0
}

// noteList writes what a list shows, unless the latest one has shown the same and nothing happens then.
func (s *situation) noteList(shows string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if shows == s.listed {
		s.same = time.Since(s.began)
		return
	}
	s.noteSame()
	s.listed = shows
	s.write(time.Since(s.began), "list: "+shows)
}

func (s *situation) noteRequest(given answer) {
	isAccepted := given.status >= 200 && given.status <= 299
	because := s.because
	s.note("THE PROVIDER REQUESTS A CONVERSION" + because + "; " + given.String())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent++
	if isAccepted {
		s.accepted++
	}
}

// noteDecision writes why the provider waits, if that is another reason than before, and keeps why it requests.
func (s *situation) noteDecision(_ context.Context, t conversion.Trace) {
	s.mu.Lock()
	for number := range strings.SplitSeq(string(t.Concluded.Rules), "/") {
		s.decidedBy[number] = true
	}
	s.mu.Unlock()
	if !t.MayRequest {
		return
	}
	decided, says := t.Decided, ""
	switch decided.Step {
	case conversion.Wait:
		says = "waits"
		if !decided.Until.IsZero() {
			says += " until " + elapsed(decided.Until.Sub(s.began))
		}
		says += reasonInWords(s.T, decided.Reason)
	case conversion.Join:
		says = "joins the conversion"
	case conversion.Look:
		says = "looks again"
	}
	s.mu.Lock()
	s.because = reasonInWords(s.T, decided.Reason)
	isNew := says != s.waits
	s.waits = says
	s.mu.Unlock()
	if says != "" && isNew {
		s.note("  the provider " + says)
	}
}
