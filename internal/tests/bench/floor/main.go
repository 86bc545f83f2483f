// Command floor is a provider that has our schemas and does nothing. It shows what the
// framework costs in any case.
package main

import (
	"context"
	"log"
	"os"
	"runtime/debug"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	audioprojects "github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

func main() {
	// The same settings as in our main, so that only the work is compared.
	for _, log := range []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK"} {
		os.Setenv(log, "off")
	}
	debug.SetGCPercent(400)
	server := providerserver.NewProtocol6(idle{audioprojects.New("floor", audioprojects.Machine{})})
	err := tf6server.Serve("registry.terraform.io/audioprojects/audioprojects", server)
	if err != nil {
		log.Fatal(err)
	}
}

type idle struct{ provider.Provider }

func (idle) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (p idle) Resources(ctx context.Context) (resources []func() resource.Resource) {
	for _, newResource := range p.Provider.Resources(ctx) {
		resources = append(resources, func() resource.Resource { return idleResource{newResource()} })
	}
	return resources
}

// idleResource has a resource's schema and identity, and implements no optional interface.
type idleResource struct{ described resource.Resource }

func (r idleResource) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	r.described.Metadata(ctx, req, resp)
}

func (r idleResource) Schema(ctx context.Context, req resource.SchemaRequest, resp *resource.SchemaResponse) {
	r.described.Schema(ctx, req, resp)
}

func (r idleResource) IdentitySchema(ctx context.Context, req resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	identified, ok := r.described.(resource.ResourceWithIdentity)
	if ok {
		identified.IdentitySchema(ctx, req, resp)
	}
}

// Create sets all unknown values to null.
func (idleResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var err error
	resp.State.Raw, err = tftypes.Transform(req.Plan.Raw, func(_ *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		if !value.IsKnown() {
			return tftypes.NewValue(value.Type(), nil), nil
		}
		return value, nil
	})
	if err != nil {
		resp.Diagnostics.AddError("Unable to create", err.Error())
	}
	for _, name := range []string{"project_id", "chapter_id"} {
		var id types.String
		resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root(name), &id)...)
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(name), id)...)
	}
}

func (idleResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse)       {}
func (idleResource) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}
func (idleResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
