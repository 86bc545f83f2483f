package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// sabotageVariable makes the test's own program a provider with a defect, for the CLI to start.
const sabotageVariable = "AUDIOPROJECTS_TEST_SABOTAGE"

// sabotages are providers that a defect, or somebody, ends in the middle of their work.
var sabotages = map[string]func() tfprotov6.ProviderServer{
	"panics in a request": func() tfprotov6.ProviderServer {
		return provider.NewServer("test", provider.WithTransport(&http.Transport{Proxy: func(request *http.Request) (*url.URL, error) {
			return panicInRequest(request.Header.Get("xi-api-key"), request.URL.Path)
		}}))()
	},
	"is killed between Read and Plan": func() tfprotov6.ProviderServer {
		return &killedAfterRead{ProviderServer: provider.NewServer("test")()}
	},
}

// panicInRequest has the key on its stack when it panics.
//
//go:noinline
func panicInRequest(key, path string) (*url.URL, error) {
	panic(fmt.Sprintf("with a key of %d bytes, the way to %s is lost", len(key), path))
}

// killedAfterRead ends when it is asked for a plan of what it has read.
type killedAfterRead struct {
	tfprotov6.ProviderServer
	read bool
}

func (k *killedAfterRead) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	k.read = true
	return k.ProviderServer.ReadResource(ctx, req)
}

func (k *killedAfterRead) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if k.read {
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return nil, err
		}
		if err := self.Kill(); err != nil {
			return nil, err
		}
		<-ctx.Done()
	}
	return k.ProviderServer.PlanResourceChange(ctx, req)
}

// serveSabotage is the provider, if the CLI has started this program as one.
func serveSabotage() (served bool, err error) {
	sabotage, started := sabotages[os.Getenv(sabotageVariable)]
	if !started {
		return false, nil
	}
	return true, tf6server.Serve("registry.terraform.io/audioprojects/audioprojects", sabotage)
}

// sabotage puts such a provider in place of the built one.
func (c *cli) sabotage(how string) {
	c.t.Helper()
	program, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	folder := c.t.TempDir()
	if err := os.Symlink(program, filepath.Join(folder, "terraform-provider-audioprojects")); err != nil {
		c.t.Fatal(err)
	}
	c.UseProvider(folder)
	c.Environment = append(c.Environment, sabotageVariable+"="+how)
}
