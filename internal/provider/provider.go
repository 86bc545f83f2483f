// Package provider implements the Terraform provider: its settings, resources, data sources and actions. A file's
// name begins with the name of the resource, data source or action that it belongs to.
package provider

import (
	"context"
	"strconv"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"
)

var (
	_ provider.Provider                   = &audioprojectsProvider{}
	_ provider.ProviderWithValidateConfig = &audioprojectsProvider{}
	_ provider.ProviderWithActions        = &audioprojectsProvider{}
	_ provider.ProviderWithListResources  = &audioprojectsProvider{}
)

type audioprojectsProvider struct {
	version string
	machine Machine
	// data is set by Configure. It is nil before, from the beginning of a command on, and while the provider block has unknown values.
	data atomic.Pointer[providerData]
}

// New returns the provider without what [NewServer] changes.
func New(version string, machine Machine) provider.Provider {
	return &audioprojectsProvider{version: version, machine: machine}
}

func (p *audioprojectsProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "audioprojects"
	resp.Version = p.version
}

func (p *audioprojectsProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Makes audiobooks with a text-to-speech (text-to-audio) service: converts the text of projects, pays for each conversion once, and downloads the audio to files.",
		Attributes: map[string]schema.Attribute{
			"api_key": schema.StringAttribute{
				MarkdownDescription: "The API key. The provider sends it in the header `xi-api-key` of every request, and only to the host of `base_url`. " +
					"The environment variable `AUDIOPROJECTS_API_KEY` can also set it.",
				Optional:  true,
				Sensitive: true,
			},
			"base_url": optionalString("The address of the service. It may end in a path, such as `https://audio.example.com/api`. Requests go to this address, followed by `api_path` and `/projects`. " +
				"The scheme must be `https`, or `http` for a loopback host. " +
				"The environment variable `AUDIOPROJECTS_BASE_URL` can also set it."),
			"api_path": optionalString("The path under `base_url` at which the service's operations begin. The default is `/v1`, as in the service's documentation. " +
				"Some services use other paths, such as `/v1/studio`. " +
				"The environment variable `AUDIOPROJECTS_API_PATH` can also set it."),
			"request_timeout": optionalString("The longest time that one attempt at a request may take, such as `45s` or `2m`. For audio, it is the longest pause between two bytes. The default is `30s`.", positiveDurationOrEmpty),
			"max_retries": optionalNumber("The number of times that the provider repeats a failed request that changes nothing, from 0 to 1000. The default is `4`. "+
				"The pauses between attempts double from half a second to 15 seconds: with `4`, requests survive an outage of 7 seconds, and with `6` one of 30. "+
				"This does not apply to requests for a conversion: the provider repeats one only if the service cannot have accepted it.", wholeNumberValidator{Most: 1000}),
			"parallel_conversions": optionalNumber("The number of chapters that `audioprojects_project_conversion` resources and `audioprojects_convert_project` actions convert at the same time, from 1 to 1000, for all projects together. The default is `50`.", wholeNumberValidator{Least: 1, Most: 1000}),
			"max_characters": optionalNumber("The limit: the largest number of characters that one plan or apply may request, from 0, which allows none, to 1000000000000. There is no limit by default. "+
				"A plan that would exceed the limit fails, and an apply fails before the request that would exceed it. "+
				"The guide “Budget and bookkeeping” explains what counts. Each provider block has its own limit. "+
				"The environment variable `AUDIOPROJECTS_MAX_CHARACTERS` can also set it. If both do, the smaller one holds. If the variable is set and empty, that is an error.", wholeNumberValidator{Most: forecast.MostCharacters}),
			"allow_http": optionalBool("Whether `base_url` may use plain `http` for a host that is not loopback, such as a mock server in your own network. The default is `false`. " +
				"The environment variable `AUDIOPROJECTS_ALLOW_HTTP` can also set it."),
		},
	}
}

// ValidateConfig checks the settings in the configuration. It does not go by the environment variables, because `terraform validate`
// may run on a machine without them. So plain http may be allowed unless allow_http says otherwise.
func (p *audioprojectsProvider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if isSet(config.APIKey) {
		config.apiKey(&resp.Diagnostics)
	}
	if isSet(config.BaseURL) {
		config.AllowHTTP = types.BoolValue(config.AllowHTTP.IsNull() || config.AllowHTTP.IsUnknown() || config.AllowHTTP.ValueBool())
		config.baseURL(&resp.Diagnostics)
	}
	if isSet(config.APIPath) {
		config.apiPath(&resp.Diagnostics)
	}
}

func (p *audioprojectsProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	settings := config.settings(&resp.Diagnostics)
	data := &providerData{
		conversions: forecast.NewConversions(config.limit(&resp.Diagnostics)),
		files:       audiofile.Files{Disk: p.machine.Disk},
		saves:       newStateSaves(req.TerraformVersion),
	}
	resp.DataSourceData, resp.ResourceData, resp.ActionData, resp.ListResourceData = data, data, data, data
	switch {
	case resp.Diagnostics.HasError():
		return
	case !req.Config.Raw.IsFullyKnown():
		if req.ClientCapabilities.DeferralAllowed {
			resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
		}
		return
	}
	settings.UserAgent = userAgent(req.TerraformVersion, p.version)
	settings.Transport = p.machine.Transport
	settings.Log = logExchange
	data.client = audioprojects.New(settings)
	data.engine = data.conversions.Start(conversion.Options{
		Client: data.client, ParallelConversions: int(numberOrDefault(config.ParallelConversions, 50)), Trace: logDecision,
	})
	p.data.Store(data)
}

func (p *audioprojectsProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		newProjectsDataSource,
		newProjectDataSource,
		newProjectSnapshotsDataSource,
		newProjectSnapshotDataSource,
		newChaptersDataSource,
		newChapterDataSource,
		newChapterSnapshotsDataSource,
	}
}

func (p *audioprojectsProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return newProjectConversion() },
		func() resource.Resource { return newChapterConversion() },
		newProjectSnapshotAudioResource,
	}
}

func (p *audioprojectsProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{newConvertChapterAction, newConvertProjectAction}
}

func (p *audioprojectsProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		func() list.ListResource { return newProjectConversion() },
		func() list.ListResource { return newChapterConversion() },
	}
}

// logExchange logs strings only, as all of this package, because tflog hides secrets in no other values.
func logExchange(ctx context.Context, exchange audioprojects.Exchange) {
	if exchange.Answer != "" {
		tflog.Debug(ctx, "The audio project service accepted a conversion", map[string]any{"path": exchange.Path, "answer": exchange.Answer.Line()})
		return
	}
	tflog.Debug(ctx, "Request to the audio project service", map[string]any{
		"method":  exchange.Method,
		"path":    exchange.Path,
		"status":  strconv.Itoa(exchange.Status),
		"problem": exchange.Problem,
		"took":    exchange.Took.String(),
	})
}

// logDecision logs what a look at a chapter leads to.
func logDecision(ctx context.Context, trace conversion.Trace) {
	tflog.Trace(ctx, "Looked at a chapter", map[string]any{
		"project_id":  trace.ProjectID,
		"chapter_id":  trace.ChapterID,
		"may_request": strconv.FormatBool(trace.MayRequest),
		"facts":       trace.Facts,
		"rules":       string(trace.Concluded.Rules),
		"concluded":   string(trace.Concluded.Step),
		"because":     string(trace.Concluded.Reason),
		"same_for":    trace.SameFor.String(),
		"decided":     string(trace.Decided.Step),
		"reason":      string(trace.Decided.Reason),
	})
}
