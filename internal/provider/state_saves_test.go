package provider

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestFailedCreationsAreSentAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := newStateSaves("1.16.3")
		s.work = func() {}
		var mu sync.Mutex
		sent := map[time.Time][]string{}
		var all sync.WaitGroup
		send := func(what string, failedCreation bool) {
			all.Go(func() {
				s.await(t.Context(), failedCreation)
				mu.Lock()
				defer mu.Unlock()
				sent[time.Now()] = append(sent[time.Now()], what)
			})
		}
		for range 50 {
			send("failed", true)
			send("done", false)
		}
		all.Wait()
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("fifty failures delayed Terraform by %s", took)
		}
		if got := len(slices.Concat(slices.Collect(maps.Values(sent))...)); got != 100 {
			t.Errorf("sent: got %d, want 100", got)
		}
		for at, what := range sent {
			for other := range sent {
				if apart := at.Sub(other).Abs(); slices.Contains(what, "failed") && (len(what) > 1 || apart > 0 && apart < savePause) {
					t.Errorf("%v sent at %s, others %s apart", what, at.Format(time.StampMilli), apart)
				}
			}
		}
		time.Sleep(time.Second) // the pause after the last failure
	})
}

// TestThePausesAreLongerOnABusyMachine, where work takes longer.
func TestThePausesAreLongerOnABusyMachine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStateSaves("1.16.4")
		s.work = func() { time.Sleep(20 * savePause) }
		began := time.Now()
		for number := range 4 {
			s.await(t.Context(), true)
			if got, want := time.Since(began), time.Duration(number)*20*savePause; got != want {
				t.Errorf("reply %d: sent after %s, want %s", number, got, want)
			}
		}
		s.await(t.Context(), false)
		s.await(t.Context(), true)
		if got, want := time.Since(began), 5*20*savePause; got != want {
			t.Errorf("the last reply: sent after %s, want %s", got, want)
		}
		time.Sleep(time.Minute) // the pause after that
	})
}

// TestAnInterruptionSkipsThePauses: after Ctrl-C, Terraform waits for the replies before it ends, so they are sent at once.
func TestAnInterruptionSkipsThePauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStateSaves("1.16.0")
		s.work = func() {}
		ctx, interrupt := context.WithCancel(t.Context())
		began := time.Now()
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { s.await(ctx, true) })
		}
		synctest.Wait()
		interrupt()
		all.Wait()
		if took := time.Since(began); took != 0 {
			t.Errorf("the replies were sent after %s", took)
		}
		time.Sleep(time.Second) // the pause after the first reply
	})
}

func TestVersionsThatNeedPauses(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"1.5.7": false, "1.15.9": false, "1.16.0-rc1": true, "1.16.0": true, "1.16.4": true, "1.16.4-dev": true,
		"1.16.5": false, "1.17.0": false, "": false, "unknown": false,
	} {
		if got := newStateSaves(version) != nil; got != want {
			t.Errorf("%q: got %t, want %t", version, got, want)
		}
	}
}

func TestFailedCreation(t *testing.T) {
	t.Parallel()
	kind := tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}
	encode := func(value any) *tfprotov6.DynamicValue {
		encoded, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, value))
		if err != nil {
			t.Fatal(err)
		}
		return &encoded
	}
	object, null := encode(map[string]tftypes.Value{}), encode(nil)
	failure := []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError}}
	warning := []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityWarning}}
	for name, c := range map[string]struct {
		prior, made *tfprotov6.DynamicValue
		diagnostics []*tfprotov6.Diagnostic
		want        bool
	}{
		"created, with an error":              {null, object, failure, true},
		"created, with a warning":             {null, object, warning, false},
		"not created":                         {null, null, failure, false},
		"updated or destroyed, with an error": {object, object, failure, false},
		"without any state":                   {nil, nil, failure, false},
	} {
		req := &tfprotov6.ApplyResourceChangeRequest{PriorState: c.prior}
		resp := &tfprotov6.ApplyResourceChangeResponse{NewState: c.made, Diagnostics: c.diagnostics}
		if got := isFailedCreation(req, resp); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
	if isFailedCreation(&tfprotov6.ApplyResourceChangeRequest{}, nil) {
		t.Error("without a reply")
	}
}
