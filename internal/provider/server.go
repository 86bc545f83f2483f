package provider

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// actionStopTimeout is how long a provider that is to stop waits until its actions have told how they ended.
const actionStopTimeout = 5 * time.Second

// NewServer returns what speaks Terraform's protocol for the provider of the given version.
func NewServer(version string, options ...Option) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return newServer(newProvider(version, options)) }
}

// protocol is what the framework speaks; tfprotov6 has not put it into one interface yet.
type protocol interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// server is the framework's, but answers by itself for conversions that are unchanged, holds a reply back
// where Terraform could not save it, and stops only when its actions have. The plugin library otherwise
// sends nothing any more of an action that was interrupted, and Terraform takes that for success.
type server struct {
	protocol
	provider *audioprojectsProvider

	mu          sync.Mutex
	invocations map[chan struct{}]bool // each is closed at its end
}

func newServer(p *audioprojectsProvider) *server {
	framework, complete := p.wrapped(providerserver.NewProtocol6(p)()).(protocol)
	if !complete {
		panic("the framework has no actions or no list resources")
	}
	return &server{protocol: framework, provider: p, invocations: map[chan struct{}]bool{}}
}

// ApplyResourceChange replies when Terraform can save what the reply brings.
func (s *server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp, err := s.protocol.ApplyResourceChange(ctx, req)
	if data := s.provider.data.Load(); data != nil {
		data.saves.await(ctx, isFailedCreation(req, resp))
	}
	return resp, err
}

// InvokeAction counts as under way until Terraform has its last event.
func (s *server) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	ended := make(chan struct{})
	s.mu.Lock()
	s.invocations[ended] = true
	s.mu.Unlock()
	end := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.invocations, ended)
		close(ended)
	}

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

// StopProvider returns when the actions have ended, which it makes them do.
func (s *server) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	s.mu.Lock()
	var underWay []chan struct{}
	for ended := range s.invocations {
		underWay = append(underWay, ended)
	}
	s.mu.Unlock()

	resp, err := s.protocol.StopProvider(ctx, req)
	enough := time.After(actionStopTimeout)
	for _, ended := range underWay {
		select {
		case <-ended:
		case <-enough:
			return resp, err
		}
	}
	return resp, err
}
