package provider

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// NewServerOver speaks Terraform's protocol for it. The framework is what the server leaves questions to.
func NewServerOver(transport *http.Transport) (tfprotov6.ProviderServer, *Framework) {
	s := newServer(newProvider("test", []Option{WithTransport(transport)}))
	framework := &Framework{protocol: s.protocol}
	s.protocol = framework
	return s, framework
}

// Framework counts what is left to it.
type Framework struct {
	protocol
	Upgrades, Validations, Reads, Plans atomic.Int32
}

// Itself answers without being counted.
func (f *Framework) Itself() tfprotov6.ProviderServer { return f.protocol }

// UpgradeResourceState is the framework's.
func (f *Framework) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	f.Upgrades.Add(1)
	return f.protocol.UpgradeResourceState(ctx, req)
}

// ValidateResourceConfig is the framework's.
func (f *Framework) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	f.Validations.Add(1)
	return f.protocol.ValidateResourceConfig(ctx, req)
}

// ReadResource is the framework's.
func (f *Framework) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	f.Reads.Add(1)
	return f.protocol.ReadResource(ctx, req)
}

// PlanResourceChange is the framework's.
func (f *Framework) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	f.Plans.Add(1)
	return f.protocol.PlanResourceChange(ctx, req)
}
