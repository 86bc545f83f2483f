package provider

import (
	"context"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

const (
	conversionTypeName = "audioprojects_chapter_conversion"
	bookTypeName       = "audioprojects_project_conversion"
)

// postponing is the framework's server. In an apply Terraform destroys what it replaces, and only then validates and plans the
// creation once more: with values that were unknown, and with a service that may have changed its mind. If that failed, Create would
// never be called, and what Delete has handed over would be lost with the object. So when an object has been destroyed, such
// errors are kept for Create: it requests nothing, saves what was handed over, and ends with them.
type postponing struct {
	protocol
	mu        sync.Mutex
	destroyed bool // a conversion, in this process
	errors    map[postponedKey][]*tfprotov6.Diagnostic
}

// postponedKey is a creation, by its type and its configuration.
type postponedKey struct {
	typeName, config string
	planned          bool // the errors are those of the plan, and not of the validation
}

func (p *postponing) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	resp, err := p.protocol.ValidateResourceConfig(ctx, req)
	if resp != nil {
		resp.Diagnostics = p.postpone(keyOf(req.TypeName, req.Config, false), resp.Diagnostics)
	}
	return resp, err
}

func (p *postponing) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := p.protocol.PlanResourceChange(ctx, req)
	switch {
	case resp == nil:
	case isNull(req.PriorState):
		resp.Diagnostics = p.postpone(keyOf(req.TypeName, req.Config, true), resp.Diagnostics)
	default:
		// An object that stays loses nothing.
		resp.Diagnostics = append(resp.Diagnostics, p.postponed(req.TypeName, req.Config)...)
	}
	return resp, err
}

func (p *postponing) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if isNull(req.PlannedState) {
		p.mu.Lock()
		p.destroyed = p.destroyed || isConversion(req.TypeName)
		p.mu.Unlock()
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

func isConversion(typeName string) bool {
	return typeName == conversionTypeName || typeName == bookTypeName
}

func keyOf(typeName string, config *tfprotov6.DynamicValue, planned bool) postponedKey {
	key := postponedKey{typeName: typeName, planned: planned}
	if config != nil {
		key.config = string(config.MsgPack)
	}
	return key
}

// postpone keeps the errors for Create if they could cost what was handed over, and returns what is to be shown now.
func (p *postponing) postpone(key postponedKey, all []*tfprotov6.Diagnostic) (shown []*tfprotov6.Diagnostic) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.destroyed || !isConversion(key.typeName) {
		return all
	}
	p.errors[key] = nil
	for _, diagnostic := range all {
		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError {
			p.errors[key] = append(p.errors[key], diagnostic)
		} else {
			shown = append(shown, diagnostic)
		}
	}
	return shown
}

// postponed are the errors that were kept for a configuration. An invalid one has no other errors worth telling.
func (p *postponing) postponed(typeName string, config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
	p.mu.Lock()
	defer p.mu.Unlock()
	if invalid := p.errors[keyOf(typeName, config, false)]; len(invalid) > 0 {
		return invalid
	}
	return p.errors[keyOf(typeName, config, true)]
}
