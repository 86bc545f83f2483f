package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// dataSource reads what its arguments name. A has a field for each attribute that a configuration may set.
type dataSource[A any] struct {
	*providerData
	name   string
	schema schema.Schema
	// read returns the other attributes: a struct of the client, or a map by their names.
	read func(ctx context.Context, d *providerData, arguments A, diags *diag.Diagnostics) any
}

var _ datasource.DataSourceWithConfigure = &dataSource[projectArguments]{}

func (s *dataSource[A]) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + s.name
}

func (s *dataSource[A]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = s.schema
}

func (s *dataSource[A]) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	s.providerData, _ = req.ProviderData.(*providerData)
}

func (s *dataSource[A]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var arguments A
	readArguments(ctx, req.Config, &arguments, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !s.ready() {
		resp.Diagnostics.Append(say.UnknownProvider("read", strings.ReplaceAll(s.name[1:], "_", " ")))
		return
	}
	found := s.read(ctx, s.providerData, arguments, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.State.Raw = fillComputed(req.Config, found, &resp.Diagnostics)
	}
}

// projectArguments are the arguments of a data source that is about all of a project.
type projectArguments struct {
	ProjectID types.String `tfsdk:"project_id"`
}
