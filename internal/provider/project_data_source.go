package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ datasource.DataSourceWithConfigure = &projectDataSource{}

func newProjectDataSource() datasource.DataSource { return &projectDataSource{} }

type projectDataSource struct{ *providerData }

func (d *projectDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_project"
}

func (d *projectDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads a project: its settings, the work it holds and its chapters. What the service leaves out is null.",
		Attributes: withChapterTotals(map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the project.",
				Required:            true,
				Validators:          []validator.String{identifier{}},
			},
			"name": schema.StringAttribute{
				MarkdownDescription: "The name of the project.",
				Computed:            true,
			},
			"create_date_unix": schema.Int64Attribute{
				MarkdownDescription: "The time the project was created, in seconds since 1970-01-01 00:00 UTC.",
				Computed:            true,
			},
			"default_title_voice_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the voice that reads titles unless another is chosen.",
				Computed:            true,
			},
			"default_paragraph_voice_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the voice that reads paragraphs unless another is chosen.",
				Computed:            true,
			},
			"default_model_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the model that is used unless another is chosen.",
				Computed:            true,
			},
			"can_be_downloaded": schema.BoolAttribute{
				MarkdownDescription: "Whether the project's audio can be downloaded.",
				Computed:            true,
			},
			"volume_normalization": schema.BoolAttribute{
				MarkdownDescription: "Whether the volume of the audio is normalized.",
				Computed:            true,
			},
			"state": schema.StringAttribute{
				MarkdownDescription: "The state of the project: `creating`, `default`, `converting` or `in_queue`.",
				Computed:            true,
			},
			"access_level": schema.StringAttribute{
				MarkdownDescription: "What the account may do with the project: `admin`, `editor` or `viewer`.",
				Computed:            true,
			},
			"quality_check_on": schema.BoolAttribute{
				MarkdownDescription: "Whether the quality of the audio is checked.",
				Computed:            true,
			},
			"quality_check_on_when_bulk_convert": schema.BoolAttribute{
				MarkdownDescription: "Whether the quality of the audio is checked when everything is converted at once.",
				Computed:            true,
			},
			"quality_preset": schema.StringAttribute{
				MarkdownDescription: "The quality of the audio: `standard`, `high`, `highest`, `ultra` or `ultra_lossless`.",
				Computed:            true,
			},
			"chapters": schema.ListNestedAttribute{
				MarkdownDescription: "The chapters of the project, in the service's order.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: chapterAttributes()},
			},
			"pronunciation_dictionary_versions": schema.ListNestedAttribute{
				MarkdownDescription: "The versions of pronunciation dictionaries that the project uses.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: pronunciationDictionaryVersionAttributes()},
			},
			"apply_text_normalization": schema.StringAttribute{
				MarkdownDescription: "How text is normalized before it is read: `auto`, `on`, `off` or `apply_english`.",
				Computed:            true,
			},
			"experimental": schema.StringAttribute{
				MarkdownDescription: "Experimental settings, whose contents are not fixed, as JSON text. Use `jsondecode` to read it.",
				CustomType:          jsontypes.NormalizedType{},
				Computed:            true,
			},
			"last_conversion_date_unix": schema.Int64Attribute{
				MarkdownDescription: "The time of the last conversion, in seconds since 1970-01-01 00:00 UTC.",
				Computed:            true,
			},
			"title": schema.StringAttribute{
				MarkdownDescription: "The title of the work.",
				Computed:            true,
			},
			"author": schema.StringAttribute{
				MarkdownDescription: "The author of the work.",
				Computed:            true,
			},
			"description": schema.StringAttribute{
				MarkdownDescription: "The description of the work.",
				Computed:            true,
			},
			"genres": schema.ListAttribute{
				MarkdownDescription: "The genres of the work.",
				ElementType:         types.StringType,
				Computed:            true,
			},
			"cover_image_url": schema.StringAttribute{
				MarkdownDescription: "The address of the cover image.",
				Computed:            true,
			},
			"target_audience": schema.StringAttribute{
				MarkdownDescription: "The target audience of the work: `children`, `young adult`, `adult` or `all ages`.",
				Computed:            true,
			},
			"language": schema.StringAttribute{
				MarkdownDescription: "The language of the work.",
				Computed:            true,
			},
			"content_type": schema.StringAttribute{
				MarkdownDescription: "The type of the content.",
				Computed:            true,
			},
			"original_publication_date": schema.StringAttribute{
				MarkdownDescription: "The date of the work's first publication.",
				Computed:            true,
			},
			"mature_content": schema.BoolAttribute{
				MarkdownDescription: "Whether the work has mature content.",
				Computed:            true,
			},
			"isbn_number": schema.StringAttribute{
				MarkdownDescription: "The ISBN of the work.",
				Computed:            true,
			},
			"fiction": schema.StringAttribute{
				MarkdownDescription: "Whether the work is `fiction` or `non-fiction`.",
				Computed:            true,
			},
			"creation_meta": schema.SingleNestedAttribute{
				MarkdownDescription: "The progress of the project's creation.",
				Computed:            true,
				Attributes:          creationMetaAttributes(),
			},
		}),
	}
}

func pronunciationDictionaryVersionAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"version_id": schema.StringAttribute{
			MarkdownDescription: "The identifier of the version.",
			Computed:            true,
		},
		"pronunciation_dictionary_id": schema.StringAttribute{
			MarkdownDescription: "The identifier of the dictionary.",
			Computed:            true,
		},
		"dictionary_name": schema.StringAttribute{
			MarkdownDescription: "The name of the dictionary.",
			Computed:            true,
		},
		"version_name": schema.StringAttribute{
			MarkdownDescription: "The name of the version.",
			Computed:            true,
		},
		"created_by": schema.StringAttribute{
			MarkdownDescription: "The creator of the version.",
			Computed:            true,
		},
		"creation_time_unix": schema.Int64Attribute{
			MarkdownDescription: "The time the version was made, in seconds since 1970-01-01 00:00 UTC.",
			Computed:            true,
		},
	}
}

func creationMetaAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"creation_progress": schema.Float64Attribute{
			MarkdownDescription: "The progress of the creation, as the service gives it.",
			Computed:            true,
		},
		"status": schema.StringAttribute{
			MarkdownDescription: "The status of the creation, such as `pending`.",
			Computed:            true,
		},
		"type": schema.StringAttribute{
			MarkdownDescription: "The type of the creation, such as `blank`.",
			Computed:            true,
		},
	}
}

func (d *projectDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

func (d *projectDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var projectID types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("project_id"), &projectID)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !d.ready() {
		resp.Diagnostics.Append(unknownProvider("read", "project"))
		return
	}
	project, err := d.client.GetProject(ctx, projectID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(unable("read", "project "+projectID.String(), path.Root("project_id"), err))
		return
	}
	model := newProjectModel(project)
	// The result has the project_id of the configuration, even if the service spells it differently.
	model.ProjectID = projectID
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
