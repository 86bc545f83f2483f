package provider

import (
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

const (
	baseURLVariable   = "AUDIOPROJECTS_BASE_URL"
	apiPathVariable   = "AUDIOPROJECTS_API_PATH"
	allowHTTPVariable = "AUDIOPROJECTS_ALLOW_HTTP"
	userAgentVariable = "TF_APPEND_USER_AGENT" // of all providers
)

// providerModel is the provider block. An empty string counts as not set.
type providerModel struct {
	APIKey              types.String `tfsdk:"api_key"`
	BaseURL             types.String `tfsdk:"base_url"`
	APIPath             types.String `tfsdk:"api_path"`
	RequestTimeout      types.String `tfsdk:"request_timeout"`
	MaxRetries          types.Number `tfsdk:"max_retries"`
	ParallelConversions types.Number `tfsdk:"parallel_conversions"`
	MaxCharacters       types.Number `tfsdk:"max_characters"`
	AllowHTTP           types.Bool   `tfsdk:"allow_http"`
}

// settings takes each setting from the provider block, else from its environment variable, else the default. What is unknown is checked when
// it is known.
func (m providerModel) settings(diags *diag.Diagnostics) audioprojects.Config {
	return audioprojects.Config{
		APIKey: m.apiKey(diags), BaseURL: m.baseURL(diags), APIPath: m.apiPath(diags),
		RequestTimeout: durationOrDefault(m.RequestTimeout, 30*time.Second), MaxRetries: int(numberOrDefault(m.MaxRetries, 4)),
	}
}

func (m providerModel) apiKey(diags *diag.Diagnostics) string {
	if m.APIKey.IsUnknown() {
		return ""
	}
	key := valueOrVariable(m.APIKey, say.APIKeyVariable)
	if key == "" {
		diags.AddAttributeError(path.Root("api_key"), "Missing API key",
			"Every request to the service needs an API key. Set `api_key` in the provider block, or the environment variable "+say.APIKeyVariable+".")
		return key
	}
	if err := audioprojects.CheckAPIKey(key); err != nil {
		diags.AddAttributeError(path.Root("api_key"), "Invalid API key", say.Sentence(err)+" The provider does not show the key.")
	}
	return key
}

func (m providerModel) baseURL(diags *diag.Diagnostics) *url.URL {
	allowed := m.allowHTTP(diags)
	if m.BaseURL.IsUnknown() {
		return nil
	}
	text := valueOrVariable(m.BaseURL, baseURLVariable)
	if text == "" {
		diags.AddAttributeError(path.Root("base_url"), "Missing base URL",
			"The provider does not know where the service is. Set `base_url` in the provider block, or the environment variable "+baseURLVariable+".")
		return nil
	}
	address, err := audioprojects.ParseBaseURL(text, allowed)
	if err != nil {
		diags.AddAttributeError(path.Root("base_url"), "Invalid base URL", say.Sentence(err)+" An example of a valid address is https://audio.example.com/api.")
	}
	return address
}

// apiPath is empty for the client's default.
func (m providerModel) apiPath(diags *diag.Diagnostics) string {
	if m.APIPath.IsUnknown() {
		return ""
	}
	apiPath := valueOrVariable(m.APIPath, apiPathVariable)
	err := audioprojects.CheckAPIPath(apiPath)
	if err != nil && apiPath != "" {
		diags.AddAttributeError(path.Root("api_path"), "Invalid API path", say.Sentence(err)+" Examples of valid paths are /v1 and /v1/studio.")
	}
	return apiPath
}

// allowHTTP is true while it is unknown: it may turn out to be so.
func (m providerModel) allowHTTP(diags *diag.Diagnostics) bool {
	if m.AllowHTTP.IsUnknown() {
		return true
	}
	text := os.Getenv(allowHTTPVariable)
	if !m.AllowHTTP.IsNull() || text == "" {
		return m.AllowHTTP.ValueBool()
	}
	allowed, err := strconv.ParseBool(text)
	if err != nil {
		diags.AddAttributeError(path.Root("allow_http"), "Invalid setting of "+allowHTTPVariable,
			"The environment variable "+allowHTTPVariable+" must be true or false.")
	}
	return allowed
}

// limit is nil if there is none, or none that is known. 0 is one: nothing may be requested. Unlike any other setting, the block does not
// override the variable: the smaller one holds, so that a pipeline can lower it. And an empty variable is an error, also beside a limit of
// the block: a pipeline has lost what its owner set.
func (m providerModel) limit(diags *diag.Diagnostics) *forecast.Limit {
	var set []forecast.Limit
	if isGiven(m.MaxCharacters) {
		set = append(set, forecast.Limit{Most: numberOrDefault(m.MaxCharacters, 0), Setting: "`max_characters`"})
	}
	text, isGiven := os.LookupEnv(forecast.LimitVariable)
	if isGiven {
		set = append(set, forecast.Limit{Most: limitInVariable(text, diags), Setting: forecast.LimitVariable})
	}
	return forecast.SmallestLimit(set...)
}

// limitInVariable is 0 if the text is no limit.
func limitInVariable(text string, diags *diag.Diagnostics) int64 {
	most, err := strconv.ParseInt(text, 10, 64)
	if err == nil && most >= 0 && most <= forecast.MostCharacters {
		return most
	}
	const ofLimits = "a whole number from 0 to %d"
	says := "The environment variable %s must be " + ofLimits + "."
	if text == "" {
		says = "The environment variable %s is set, and empty. A pipeline may have lost its value. Give it " + ofLimits + ", or unset it."
	}
	diags.AddAttributeError(path.Root("max_characters"), "Invalid setting of "+forecast.LimitVariable,
		fmt.Sprintf(says, forecast.LimitVariable, int64(forecast.MostCharacters)))
	return 0
}

func valueOrVariable(attribute types.String, variable string) string {
	if isSet(attribute) {
		return attribute.ValueString()
	}
	return os.Getenv(variable)
}

func isSet(attribute types.String) bool {
	return !attribute.IsUnknown() && attribute.ValueString() != ""
}

// userAgent names the CLI, the provider, and what the environment appends. With a character that no header may carry, no request
// could be sent, so such a text is left out.
func userAgent(terraform, version string) string {
	agent := fmt.Sprintf("Terraform/%s terraform-provider-audioprojects/%s", terraform, version)
	more := strings.TrimSpace(os.Getenv(userAgentVariable))
	noHeaderMayCarry := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
	if more == "" || strings.ContainsFunc(more, noHeaderMayCarry) {
		return agent
	}
	return agent + " " + more
}
