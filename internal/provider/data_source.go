package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// dataSource reads what its model's arguments name.
type dataSource[M any] struct {
	*providerData
	name     string
	schema   schema.Schema
	validate func(model M, diags *diag.Diagnostics) // may be nil
	read     func(ctx context.Context, d *providerData, model *M, diags *diag.Diagnostics)
}

var (
	_ datasource.DataSourceWithConfigure      = &dataSource[projectModel]{}
	_ datasource.DataSourceWithValidateConfig = &dataSource[projectModel]{}
)

func (s *dataSource[M]) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + s.name
}

func (s *dataSource[M]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = s.schema
}

func (s *dataSource[M]) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	if s.validate == nil {
		return
	}
	var model M
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if !resp.Diagnostics.HasError() {
		s.validate(model, &resp.Diagnostics)
	}
}

func (s *dataSource[M]) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	s.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

func (s *dataSource[M]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model M
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !s.ready() {
		resp.Diagnostics.Append(unknownProvider("read", strings.ReplaceAll(s.name[1:], "_", " ")))
		return
	}
	if s.read(ctx, s.providerData, &model, &resp.Diagnostics); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}

func requiredID(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Required: true, Validators: []validator.String{identifier{}}}
}

func computedString(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Computed: true}
}

func computedBool(description string) schema.Attribute {
	return schema.BoolAttribute{MarkdownDescription: description, Computed: true}
}

func computedInt64(description string) schema.Attribute {
	return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
}

func computedFloat64(description string) schema.Attribute {
	return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
}
