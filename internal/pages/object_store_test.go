package pages

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
)

// objectStore is the part of another provider that an example uses. It can plan, but
// not apply.
type objectStore struct{}

func (objectStore) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "aws"
}

func (objectStore) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (objectStore) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (objectStore) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (objectStore) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return storedObject{} }}
}

// storedObject is the resource aws_s3_object.
type storedObject struct{ resource.Resource }

func (storedObject) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "aws_s3_object"
}

func (storedObject) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"bucket":       schema.StringAttribute{Required: true},
		"key":          schema.StringAttribute{Required: true},
		"source":       schema.StringAttribute{Optional: true},
		"source_hash":  schema.StringAttribute{Optional: true},
		"content_type": schema.StringAttribute{Optional: true, Computed: true},
	}}
}

// useObjectStore serves the other provider of the example, which uploads the audio file.
func useObjectStore(t *testing.T, terraform *clitest.CLI) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	attached, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	go func() {
		err := tf6server.Serve("hashicorp/aws", providerserver.NewProtocol6(objectStore{}),
			tf6server.WithDebug(ctx, attached, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithLoggingSink(t))
		if err != nil {
			t.Error(err)
		}
	}()
	at := <-attached
	t.Cleanup(func() {
		stop()
		<-closed
	})
	type address struct{ Network, String string }
	settings, err := json.Marshal(map[string]any{"hashicorp/aws": map[string]any{
		"Protocol": at.Protocol, "ProtocolVersion": at.ProtocolVersion, "Pid": at.Pid, "Test": at.Test,
		"Addr": address{at.Addr.Network(), at.Addr.String()},
	}})
	if err != nil {
		t.Fatal(err)
	}
	terraform.Environment = append(terraform.Environment, "TF_REATTACH_PROVIDERS="+string(settings))
}
