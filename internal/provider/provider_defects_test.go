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

// defectVariable is the environment variable that makes this test program run as a provider with a defect.
const defectVariable = "AUDIOPROJECTS_TEST_DEFECT"

// defects are providers that panic, or are killed, during a request.
var defects = map[string]func() tfprotov6.ProviderServer{
	"panics in a request": func() tfprotov6.ProviderServer {
		return provider.NewServer("test", provider.WithTransport(&http.Transport{Proxy: func(request *http.Request) (*url.URL, error) {
			return panicInRequest(request.Header.Get("xi-api-key"), request.URL.Path)
		}}))()
	},
	"is killed between Read and Plan": func() tfprotov6.ProviderServer {
		return &killedAfterRead{ProviderServer: provider.NewServer("test")()}
	},
}

// panicInRequest panics with the key on its stack.
//
//go:noinline
func panicInRequest(key, path string) (*url.URL, error) {
	panic(fmt.Sprintf("with a key of %d bytes, the way to %s is lost", len(key), path))
}

// killedAfterRead ends at the first plan after a Read.
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

// serveDefect serves the provider with a defect, if the CLI has started this program as a provider.
func serveDefect() (served bool, err error) {
	defect, started := defects[os.Getenv(defectVariable)]
	if !started {
		return false, nil
	}
	return true, tf6server.Serve("registry.terraform.io/audioprojects/audioprojects", defect)
}

// defect makes the CLI use a provider with the named defect instead of the built one.
func (c *cli) defect(how string) {
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
	c.Environment = append(c.Environment, defectVariable+"="+how)
}
