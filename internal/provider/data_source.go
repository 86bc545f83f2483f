package provider

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// dataSource reads what its arguments name. A has a field for each attribute that a configuration may set.
type dataSource[A any] struct {
	*providerData
	name   string
	schema schema.Schema
	// refuse says which arguments do not go together; nil if all do. What is unknown may be null.
	refuse func(arguments A, diags *diag.Diagnostics)
	// read returns the other attributes: a struct of the client, or a map by their names.
	read func(ctx context.Context, d *providerData, arguments A, diags *diag.Diagnostics) any
}

var (
	_ datasource.DataSourceWithConfigure      = &dataSource[projectArguments]{}
	_ datasource.DataSourceWithValidateConfig = &dataSource[projectArguments]{}
)

func (s *dataSource[A]) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + s.name
}

func (s *dataSource[A]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = s.schema
}

func (s *dataSource[A]) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	s.providerData, _ = req.ProviderData.(*providerData)
}

// ValidateConfig is called once more with all values, before a read that had to wait for some of them.
func (s *dataSource[A]) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	if s.refuse == nil {
		return
	}
	var arguments A
	readArguments(ctx, req.Config, &arguments, &resp.Diagnostics)
	s.refuse(arguments, &resp.Diagnostics)
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
	var age time.Duration
	found := s.read(audioprojects.WithAge(ctx, &age), s.providerData, arguments, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		say.WarnOfCache(age, &resp.Diagnostics)
		resp.State.Raw = fillComputed(req.Config, found, &resp.Diagnostics)
	}
}

// combinationError is the error for arguments that do not go together.
func combinationError(at, says string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(at), "Invalid Attribute Combination", says)
}

// projectArguments are the arguments of a data source that is about all of a project.
type projectArguments struct {
	ProjectID types.String `tfsdk:"project_id"`
}
