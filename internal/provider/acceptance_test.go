package provider_test

import (
	"context"
	"net"
	"net/http"
	"net/url"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// providerFactories make the provider of an acceptance test. It takes its settings from the environment, where TestMain has put
// them, so that no configuration needs a provider block. Its requests go to the mock server of the test, whatever the base URL is.
func (s *service) providerFactories() map[string]func() (tfprotov6.ProviderServer, error) {
	s.t.Helper()
	address, err := url.Parse(s.Address)
	if err != nil {
		s.t.Fatal(err)
	}
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address.Host)
	}
	return map[string]func() (tfprotov6.ProviderServer, error){
		"audioprojects": func() (tfprotov6.ProviderServer, error) {
			return provider.NewServer("test", &http.Transport{DialContext: dial})(), nil
		},
	}
}

// example is the configuration file of a published example.
func example(path string) config.TestStepConfigFunc {
	return config.StaticFile("../../examples/" + path)
}

// wantRequests checks the requests since the last check: so many for each operation, and no others.
func (s *service) wantRequests(want map[mockserver.Operation]int) {
	s.t.Helper()
	got := map[mockserver.Operation]int{}
	for _, entry := range s.Journal() {
		got[entry.Operation]++
	}
	for operation := range got {
		if _, wanted := want[operation]; !wanted {
			s.t.Errorf("%s requests: got %d, want none", operation, got[operation])
		}
	}
	for operation, count := range want {
		if got[operation] != count {
			s.t.Errorf("%s requests: got %d, want %d", operation, got[operation], count)
		}
	}
	s.ResetJournal()
}
