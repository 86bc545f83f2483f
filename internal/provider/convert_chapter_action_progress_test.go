package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	audioprojects "github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestConvertChapter_eventsWithoutReader: Terraform reads one line or none, and then no more. A goroutine that sends the next
// line never returns, but the action must.
func TestConvertChapter_eventsWithoutReader(t *testing.T) {
	t.Parallel()
	for taken := range 3 {
		t.Run(fmt.Sprint(taken), func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(mockserver.Conversion{Takes: 50 * time.Minute}), nil, func(c *core) {
				invoke := configuredAction(c)
				gone := make(chan struct{})
				defer close(gone)
				lines := 0
				response := &action.InvokeResponse{SendProgress: func(action.InvokeProgressEvent) {
					lines++
					if lines > taken {
						<-gone
					}
				}}
				invoke(c.Context(), response)
				if response.Diagnostics.HasError() {
					c.Errorf("got %v", response.Diagnostics)
				}
				c.wantPaid(1)
			})
		})
	}
}

// TestConvertChapter_cancelledWithoutReader: the action does not wait until its last lines are read.
func TestConvertChapter_cancelledWithoutReader(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
		invoke := configuredAction(c)
		gone := make(chan struct{})
		defer close(gone)
		ctx, cancel := context.WithTimeout(c.Context(), 20*time.Second)
		defer cancel()
		began := time.Now()
		invoke(ctx, &action.InvokeResponse{SendProgress: func(action.InvokeProgressEvent) { <-gone }})
		took := time.Since(began)
		if took > 21*time.Second {
			c.Errorf("returned after %s, want 20s", took)
		}
	})
}

// configuredAction calls the action directly, without the framework's server.
func configuredAction(c *core) (invoke func(context.Context, *action.InvokeResponse)) {
	c.Helper()
	network := c.service.Network()
	c.Cleanup(network.Close)
	p := audioprojects.New("test", audioprojects.Machine{Transport: &http.Transport{DialContext: network.DialContext}})
	var described provider.SchemaResponse
	p.Schema(c.Context(), provider.SchemaRequest{}, &described)
	var configured provider.ConfigureResponse
	p.Configure(c.Context(), provider.ConfigureRequest{Config: tfsdk.Config{
		Schema: described.Schema,
		Raw:    fakecore.ValueOf(schemas().Provider.ValueType(), atTheService()),
	}}, &configured)

	withActions, ok := p.(provider.ProviderWithActions)
	if !ok {
		c.Fatal("the provider has no actions")
	}
	converts, ok := withActions.Actions(c.Context())[0]().(action.ActionWithConfigure)
	if !ok {
		c.Fatal("the action cannot be configured")
	}
	converts.Configure(c.Context(), action.ConfigureRequest{ProviderData: configured.ActionData}, &action.ConfigureResponse{})
	var schema action.SchemaResponse
	converts.Schema(c.Context(), action.SchemaRequest{}, &schema)
	config := tfsdk.Config{Schema: schema.Schema, Raw: c.actionConfig(nil)}
	return func(ctx context.Context, response *action.InvokeResponse) {
		converts.Invoke(ctx, action.InvokeRequest{Config: config}, response)
	}
}

// TestConvertChapter_serviceDown: the action still reports every 30 s that it waits, and for what.
func TestConvertChapter_serviceDown(t *testing.T) {
	t.Parallel()
	withProcess(t, chapterWithConversions(mockserver.Conversion{Takes: 5 * time.Minute}), func(c *core, p *fakecore.Process) {
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 10, Times: 20, Status: 503, Body: "closed for lunch"})
		shown := c.invoke(p, nil)
		shown.Want(c, "", nil, nil)
		shown.WantLines(c, requestedLine, subject+"converting, ", convertedLine)
		told := false
		for i, line := range shown.Lines[1:] {
			silence := line.At - shown.Lines[i].At
			if silence > 30*time.Second {
				c.Errorf("no progress for %s before %q", silence, line.Text)
			}
			trouble := strings.Contains(line.Text, "; the latest request failed: ") && strings.Contains(line.Text, "closed for lunch")
			told = told || trouble && silence < 30*time.Second
		}
		if !told {
			c.Errorf("got lines %v, want one as soon as the service is down", shown.Lines)
		}
	})
	t.Run("busy from the beginning", func(t *testing.T) {
		t.Parallel()
		withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
			busy := mockserver.RateLimited(20 * time.Second)
			busy.Operation, busy.Times = mockserver.ListChapters, 12
			c.service.Inject(busy)
			shown := c.invoke(p, nil)
			shown.Want(c, "", nil, nil)
			shown.WantLines(c, `Chapter "one": not read yet; the service limits requests (429 Too Many Requests), and the next one is sent in 10s, 30s`,
				requestedLine, convertedLine)
		})
	})
	t.Run("takes no conversions for a while", func(t *testing.T) {
		t.Parallel()
		withProcess(t, chapterWithConversions(oneMinute), func(c *core, p *fakecore.Process) {
			limited := mockserver.RateLimited(40 * time.Second)
			limited.Operation = mockserver.ConvertChapter
			c.service.Inject(limited)
			shown := c.invoke(p, nil)
			shown.Want(c, "", nil, nil)
			shown.WantLines(c,
				subject+"no conversion requested yet, state default; the latest request failed: POST /v1/projects/book/chapters/one/convert: 429 Too Many Requests: too_many_requests: Too many requests., 0s",
				requestedLine, convertedLine)
		})
	})
}
