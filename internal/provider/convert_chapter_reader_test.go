package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	audioprojects "github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// TestActionWithoutAReader: Terraform takes a line or none, and is gone. What sends the next
// line to it never returns, and the action must.
func TestActionWithoutAReader(t *testing.T) {
	t.Parallel()
	for taken := range 3 {
		t.Run(fmt.Sprint(taken), func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(mockserver.Conversion{Takes: 50 * time.Minute}), nil, func(c *core) {
				network := c.service.Network()
				defer network.Close()
				invoke := configuredAction(c, audioprojects.New("test", audioprojects.WithTransport(&http.Transport{DialContext: network.DialContext})))
				gone := make(chan struct{})
				defer close(gone)
				lines := 0
				response := &action.InvokeResponse{SendProgress: func(action.InvokeProgressEvent) {
					if lines++; lines > taken {
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

// TestActionCancelledWithoutAReader: it does not wait for its last lines to be taken.
func TestActionCancelledWithoutAReader(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
		network := c.service.Network()
		defer network.Close()
		invoke := configuredAction(c, audioprojects.New("test", audioprojects.WithTransport(&http.Transport{DialContext: network.DialContext})))
		gone := make(chan struct{})
		defer close(gone)
		ctx, cancel := context.WithTimeout(c.Context(), 20*time.Second)
		defer cancel()
		began := time.Now()
		invoke(ctx, &action.InvokeResponse{SendProgress: func(action.InvokeProgressEvent) { <-gone }})
		if took := time.Since(began); took > 21*time.Second {
			c.Errorf("came back after %s, want 20s", took)
		}
	})
}

// configuredAction is the action itself, without the framework's server between.
func configuredAction(c *core, p provider.Provider) (invoke func(context.Context, *action.InvokeResponse)) {
	c.Helper()
	var described provider.SchemaResponse
	p.Schema(c.Context(), provider.SchemaRequest{}, &described)
	var configured provider.ConfigureResponse
	p.Configure(c.Context(), provider.ConfigureRequest{Config: tfsdk.Config{
		Schema: described.Schema,
		Raw:    fakecore.ValueOf(schemas().Provider.ValueType(), map[string]any{"base_url": "http://localhost", "api_key": mockserver.Secret}),
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
