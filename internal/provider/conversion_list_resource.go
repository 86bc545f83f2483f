package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

func (r *conversionResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{MarkdownDescription: r.listDescription}
	if len(r.ids) > 1 { // They are parts of a project: those of one project are listed.
		resp.Schema.Attributes = map[string]schema.Attribute{"project_id": requiredID("The identifier of the project.")}
	}
}

// List returns a resource for everything that one can be about. If the request fails, it returns one result with a diagnostic,
// because the framework shows no other errors. So it does where an interruption leaves something out.
func (r *conversionResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var projectID types.String
	things, at := "projects", path.Empty()
	if len(r.ids) > 1 {
		at = path.Root("project_id")
		diags := req.Config.GetAttribute(ctx, at, &projectID)
		if diags.HasError() {
			stream.Results = list.ListResultsStreamDiagnostics(diags)
			return
		}
		things = "chapters of project " + projectID.String()
	}
	if !r.ready() {
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{say.UnknownProvider("list", things)})
		return
	}
	interrupted := list.ListResultsStreamDiagnostics(diag.Diagnostics{
		diag.NewErrorDiagnostic("Unable to list "+things, "Interrupted before all of them were listed. Run again."),
	})
	all, err := r.list(ctx, r.providerData, projectID.ValueString())
	switch {
	case err != nil && ctx.Err() != nil:
		stream.Results = interrupted
		return
	case err != nil:
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{say.Unable("list", things, at, err)})
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for _, found := range all[:min(int64(len(all)), req.Limit)] {
			result := r.listResult(ctx, req, found)
			if ctx.Err() != nil {
				interrupted(push)
				return
			}
			if !push(result) {
				return
			}
		}
	}
}

// listResult has the resource as an import and a refresh would write it to the state, if that is wanted.
func (r *conversionResource) listResult(ctx context.Context, req list.ListRequest, found listed) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = found.ids[len(found.ids)-1]
	if found.name != nil {
		result.DisplayName = found.name.Line()
	}
	result.Diagnostics.Append(identify(ctx, r.ids, found.ids, result.Identity)...)
	if !req.IncludeResource {
		return result
	}
	if found.chapters == nil {
		var err error
		found.chapters, err = r.engine.Chapters(ctx, found.ids[0])
		if err != nil {
			result.Diagnostics.Append(say.Unable("read", say.Project(found.ids[0]), path.Root("project_id"), err))
			return result
		}
	}
	object := r.imported(ctx, tfsdk.Config(*result.Resource), found.ids)
	shown := modelOf(ctx, object, &result.Diagnostics).show(found.chapters, forecast.ResourceMemory{}, nil)
	result.Resource.Raw = fillComputed(object, shown, &result.Diagnostics)
	result.Diagnostics.Append(result.Resource.SetAttribute(ctx, serviceURLPath, r.client.Address())...)
	return result
}
