package provider_test

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// objectStore is the part of another provider that an example uses: enough to plan with, and
// nothing to apply.
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
