package provider

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

// streamStopTimeout is how long StopProvider waits until actions and queries have sent their last events.
const streamStopTimeout = 5 * time.Second

// Machine is what the provider uses of the machine that it runs on.
type Machine struct {
	Transport *http.Transport // carries the requests; nil means one over the network
	Disk      audiofile.Disk  // has the audio files; nil means that of the system
}

// NewServer returns a function that makes a server of Terraform's protocol for the provider of the given version.
func NewServer(version string, machine Machine) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		p := &audioprojectsProvider{version: version, machine: machine}
		framework, complete := providerserver.NewProtocol6(p)().(protocol)
		if !complete {
			panic("the framework has no actions or no list resources")
		}
		return &server{protocol: framework, provider: p}
	}
}

// protocol has all methods that the framework implements. tfprotov6 has no single interface for them yet.
type protocol interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// server is the framework's server with three changes:
//   - It validates an action when that is planned and invoked ([server.refuseAction]).
//   - It delays a reply that Terraform could not save otherwise ([stateSaves]), as long as 1.16.0 to 1.16.4 are in use.
//   - It stops after its actions and queries have ended: when terraform-plugin-go v0.31.0 is stopped, its tf6server sends no further
//     event of them, and Terraform would report success. The wait can go when InvokeAction and ListResource there no longer return
//     at ctx.Done().
type server struct {
	protocol
	provider *audioprojectsProvider
	streams  sync.Map // of events; each is a channel that is closed at its end
}

// ApplyResourceChange delays the reply until Terraform can save it.
func (s *server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp, err := s.protocol.ApplyResourceChange(ctx, req)
	s.awaitTurn(isFailedCreation(req, resp))
	return resp, err
}

// ReadDataSource delays the reply while Terraform records a failed creation: during an apply, it saves the state after this reply, too.
func (s *server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	resp, err := s.protocol.ReadDataSource(ctx, req)
	s.awaitTurn(false)
	return resp, err
}

// awaitTurn returns when a reply after which Terraform saves the state may be sent.
func (s *server) awaitTurn(failedCreation bool) {
	data := s.provider.data.Load()
	if data != nil {
		data.saves.await(failedCreation)
	}
}

// refuseAction is what the schema and its validators refuse in the configuration of an action. Terraform asks for that only before it knows
// the values of variables, and of what is created in the apply. A null for a required argument, an empty set or a bad duration would come
// through later, and pay.
func (s *server) refuseAction(ctx context.Context, action string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
	validated, err := s.ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: action, Config: config})
	if err != nil || !hasErrors(validated.Diagnostics) {
		return nil, err
	}
	return validated.Diagnostics, nil
}

// PlanAction validates the action first.
func (s *server) PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	refused, err := s.refuseAction(ctx, req.ActionType, req.Config)
	if err != nil || refused != nil {
		return &tfprotov6.PlanActionResponse{Diagnostics: refused}, err
	}
	return s.protocol.PlanAction(ctx, req)
}

// InvokeAction validates the action first, and records that it runs, until Terraform has received its last event.
func (s *server) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	refused, err := s.refuseAction(ctx, req.ActionType, req.Config)
	if err != nil {
		return nil, err
	}
	if refused != nil {
		return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
			push(tfprotov6.InvokeActionEvent{Type: tfprotov6.CompletedInvokeActionEventType{Diagnostics: refused}})
		}}, nil
	}
	end := s.beginStream()
	stream, err := s.protocol.InvokeAction(ctx, req)
	if err != nil {
		end()
		return nil, err
	}
	return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
		defer end()
		stream.Events(push)
	}}, nil
}

// ListResource records that the list is under way, until Terraform has received its last result.
func (s *server) ListResource(ctx context.Context, req *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	end := s.beginStream()
	stream, err := s.protocol.ListResource(ctx, req)
	if err != nil {
		end()
		return nil, err
	}
	return &tfprotov6.ListResourceServerStream{Results: func(push func(tfprotov6.ListResourceResult) bool) {
		defer end()
		stream.Results(push)
	}}, nil
}

// beginStream records that a stream of events is under way. The caller calls end at its end.
func (s *server) beginStream() (end func()) {
	ended := make(chan struct{})
	s.streams.Store(ended, true)
	return func() {
		s.streams.Delete(ended)
		close(ended)
	}
}

// StopProvider cancels the actions and the queries, and returns after they have ended.
func (s *server) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	resp, err := s.protocol.StopProvider(ctx, req)
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), streamStopTimeout)
	defer cancel()
	for stream := range s.streams.Range {
		ended, _ := stream.(chan struct{})
		select {
		case <-ended:
		case <-limited.Done():
		}
	}
	return resp, err
}

func hasErrors(all []*tfprotov6.Diagnostic) bool {
	return slices.ContainsFunc(all, func(problem *tfprotov6.Diagnostic) bool { return problem.Severity == tfprotov6.DiagnosticSeverityError })
}

func isNull(object *tfprotov6.DynamicValue) bool {
	if object == nil {
		return true
	}
	null, err := object.IsNull()
	return err == nil && null
}

// isFailedCreation reports whether Terraform will record a new resource as tainted: one with a state and an error.
func isFailedCreation(req *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse) bool {
	return isNull(req.PriorState) && resp != nil && !isNull(resp.NewState) && hasErrors(resp.Diagnostics)
}
