// Command smallest is a provider with one data source without attributes. The framework allows no less.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

func main() {
	options := providerserver.ServeOpts{Address: "registry.terraform.io/audioprojects/audioprojects"}
	newProvider := func() provider.Provider { return silent{} }
	if err := providerserver.Serve(context.Background(), newProvider, options); err != nil {
		log.Fatal(err)
	}
}

type silent struct{}

func (silent) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "audioprojects"
}

func (silent) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (silent) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (silent) Resources(context.Context) []func() resource.Resource                              { return nil }

func (silent) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return nothing{} }}
}

type nothing struct{}

func (nothing) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_project"
}

func (nothing) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{"project_id": schema.StringAttribute{Required: true}}}
}

func (nothing) Read(_ context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.State.Raw = req.Config.Raw
}
