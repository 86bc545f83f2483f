package provider

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// postponing is the framework's server. In an apply Terraform destroys what it replaces, and only then validates and plans the
// creation once more: with values that were unknown, and with a service that may have changed its mind. If that failed, Create would
// never be called, and what Delete has handed over would be lost with the object. So when an object has been destroyed, such
// errors are kept for Create: it requests nothing, saves what was handed over, and ends with them.
type postponing struct {
	protocol
	destroyed atomic.Bool // a conversion, in this process
	errors    sync.Map    // of each creation, by its type and its configuration
}

func (p *postponing) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	resp, err := p.protocol.ValidateResourceConfig(ctx, req)
	if resp != nil && p.destroyed.Load() && isConversion(req.TypeName) {
		resp.Diagnostics = p.postpone(req.TypeName, req.Config, nil, resp.Diagnostics)
	}
	return resp, err
}

func (p *postponing) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := p.protocol.PlanResourceChange(ctx, req)
	if resp == nil || !p.destroyed.Load() || !isConversion(req.TypeName) {
		return resp, err
	}
	invalid := p.postponed(req.TypeName, req.Config)
	if isNull(req.PriorState) {
		resp.Diagnostics = p.postpone(req.TypeName, req.Config, invalid, resp.Diagnostics)
	} else {
		resp.Diagnostics = append(resp.Diagnostics, invalid...) // An object that stays loses nothing.
	}
	return resp, err
}

func (p *postponing) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if isNull(req.PlannedState) {
		if isConversion(req.TypeName) {
			p.destroyed.Store(true)
		}
		return p.protocol.ApplyResourceChange(ctx, req)
	}
	failed := p.postponed(req.TypeName, req.Config)
	if len(failed) == 0 {
		return p.protocol.ApplyResourceChange(ctx, req)
	}
	// As at Ctrl-C, Create returns at once, and saves what is pending.
	interrupted, cancel := context.WithCancel(ctx)
	cancel()
	resp, err := p.protocol.ApplyResourceChange(interrupted, req)
	if resp != nil {
		if resp.Diagnostics = failed; !isNull(resp.NewState) {
			last := *failed[len(failed)-1]
			last.Detail += "\n\nWhat is pending stays in the state. The next apply takes it up."
			resp.Diagnostics = slices.Concat(failed[:len(failed)-1], []*tfprotov6.Diagnostic{&last})
		}
	}
	return resp, err
}

// isConversion goes by the names, so that no list of them can lack one.
func isConversion(typeName string) bool { return strings.HasSuffix(typeName, "_conversion") }

// postpone keeps the errors for Create, and returns what is to be shown now. An invalid configuration has no other errors worth telling.
func (p *postponing) postpone(typeName string, config *tfprotov6.DynamicValue, invalid, all []*tfprotov6.Diagnostic) (shown []*tfprotov6.Diagnostic) {
	var failed []*tfprotov6.Diagnostic
	for _, diagnostic := range all {
		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError {
			failed = append(failed, diagnostic)
		} else {
			shown = append(shown, diagnostic)
		}
	}
	if len(invalid) > 0 {
		failed = invalid
	}
	p.errors.Store(creationKey(typeName, config), failed)
	return shown
}

// postponed are the errors that were kept for a configuration.
func (p *postponing) postponed(typeName string, config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
	kept, _ := p.errors.Load(creationKey(typeName, config))
	failed, _ := kept.([]*tfprotov6.Diagnostic)
	return failed
}

func creationKey(typeName string, config *tfprotov6.DynamicValue) string {
	return typeName + string(config.MsgPack)
}
