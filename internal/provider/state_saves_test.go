package provider

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// replies is a provider whose creations fail with a state, and whose data sources answer.
type replies struct {
	protocol
	failed *tfprotov6.ApplyResourceChangeResponse
}

func (r replies) ApplyResourceChange(context.Context, *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return r.failed, nil
}

func (r replies) ReadDataSource(context.Context, *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return &tfprotov6.ReadDataSourceResponse{}, nil
}

// withReplies runs the test with a server for Terraform 1.16.4, and with two functions that return how long a reply took.
func withReplies(t *testing.T, test func(t *testing.T, create, read func(context.Context) time.Duration)) {
	t.Helper()
	object, null := encodings(t)
	synctest.Test(t, func(t *testing.T) {
		p := &audioprojectsProvider{}
		p.data.Store(&providerData{saves: newStateSaves("1.16.4")})
		s := &server{protocol: replies{failed: &tfprotov6.ApplyResourceChangeResponse{NewState: object, Diagnostics: failure}}, provider: p}
		timed := func(request func(context.Context) error) func(context.Context) time.Duration {
			return func(ctx context.Context) time.Duration {
				began := time.Now()
				if err := request(ctx); err != nil {
					t.Error(err)
				}
				return time.Since(began)
			}
		}
		test(t, timed(func(ctx context.Context) error {
			_, err := s.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{PriorState: null, PlannedState: object})
			return err
		}), timed(func(ctx context.Context) error {
			_, err := s.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{})
			return err
		}))
	})
}

// TestStateSaves_interruptionKeepsPauses: Terraform saves after Ctrl-C as well, and crashed nearly always when failures that waited for their
// turn were then sent at once.
func TestStateSaves_interruptionKeepsPauses(t *testing.T) {
	t.Parallel()
	withReplies(t, func(t *testing.T, create, _ func(context.Context) time.Duration) {
		ctx, interrupt := context.WithCancel(t.Context())
		took := make(chan time.Duration)
		for range 10 {
			go func() { took <- create(ctx) }()
		}
		synctest.Wait()
		interrupt()
		for number := range 10 {
			got, want := <-took, time.Duration(number)*savePause
			if got != want {
				t.Errorf("reply %d: sent after %s, want %s", number, got, want)
			}
		}
		got := create(ctx)
		if got != savePause {
			t.Errorf("a failure after the interruption was sent after %s, want %s", got, savePause)
		}
	})
}

// TestStateSaves_dataSourcesWait: Terraform saves the state when it has read one during an apply.
func TestStateSaves_dataSourcesWait(t *testing.T) {
	t.Parallel()
	withReplies(t, func(t *testing.T, create, read func(context.Context) time.Duration) {
		for number, step := range []struct {
			reply func(context.Context) time.Duration
			want  time.Duration
		}{{read, 0}, {read, 0}, {create, savePause}, {create, savePause}, {read, savePause}, {read, 0}} {
			got := step.reply(t.Context())
			if got != step.want {
				t.Errorf("reply %d: sent after %s, want %s", number, got, step.want)
			}
		}
	})
}

func TestStateSaves_affectedVersions(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"1.5.7": false, "1.15.9": false, "1.16.0-rc1": true, "1.16.0": true, "1.16.4": true, "1.16.4-dev": true,
		"1.16.5": false, "1.17.0": false, "": false, "unknown": false,
	} {
		got := newStateSaves(version) != nil
		if got != want {
			t.Errorf("%q: got %t, want %t", version, got, want)
		}
	}
}

// encodings are an object and null.
func encodings(t *testing.T) (object, null *tfprotov6.DynamicValue) {
	t.Helper()
	kind := tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}
	encode := func(value any) *tfprotov6.DynamicValue {
		encoded, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, value))
		if err != nil {
			t.Fatal(err)
		}
		return &encoded
	}
	return encode(map[string]tftypes.Value{}), encode(nil)
}

var failure = []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError}}

func TestIsFailedCreation(t *testing.T) {
	t.Parallel()
	object, null := encodings(t)
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
		got := isFailedCreation(req, resp)
		if got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
	if isFailedCreation(&tfprotov6.ApplyResourceChangeRequest{}, nil) {
		t.Error("without a reply")
	}
}

// TestStateSaves_faultIsStillThere: when the Terraform that the tests are built with does not have it any more, state_saves.go must go.
func TestStateSaves_faultIsStillThere(t *testing.T) {
	t.Parallel()
	module, err := os.ReadFile(filepath.Join("..", "tools", "terraform", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	pinned := regexp.MustCompile(`hashicorp/terraform v([0-9.]+)`).FindSubmatch(module)
	if pinned == nil || newStateSaves(string(pinned[1])) == nil {
		t.Errorf("%s is pinned, which needs no pauses: remove state_saves.go, and what calls it in server.go", pinned)
	}
}
