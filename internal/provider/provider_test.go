package provider_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	projectBlock = `
data "audioprojects_project" "book" {
  project_id = "audiobook"
}
`
	firstChapterBlock = `
resource "audioprojects_chapter_conversion" "first" {
  project_id = "audiobook"
  chapter_id = "chapter-1"
}
`
)

func TestAccProviderNamesItselfAndGivesTheKeyWithEveryRequest(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Audiobook(0))
	run(t, resource.TestStep{Config: service.Config(projectBlock, firstChapterBlock)})
	service.WantCount(mockserver.ConvertChapter, 1)
	service.wantHeaders()
}

// wantHeaders checks the User-Agent and the key of every request.
func (s *service) wantHeaders() {
	s.t.Helper()
	userAgent := regexp.MustCompile(`^Terraform/\d+\.\d+\.\d+\S* terraform-provider-audioprojects/test$`)
	for _, entry := range s.Journal() {
		if got := entry.Header.Values("xi-api-key"); len(got) != 1 || got[0] != mockserver.Secret {
			s.t.Errorf("%s %s: got key %q, want %q", entry.Method, entry.Path, got, mockserver.Secret)
		}
		if got := entry.Header.Get("User-Agent"); !userAgent.MatchString(got) {
			s.t.Errorf("%s %s: got user agent %q, want %s", entry.Method, entry.Path, got, userAgent)
		}
	}
}

func TestAccProviderAddressWithAPathPrefix(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Audiobook(0))
	address := clitest.Serve(t, http.StripPrefix("/audio/api", service))
	for _, slash := range []string{"", "/"} {
		service.ResetJournal()
		run(t, resource.TestStep{
			Config: clitest.ConfigFor(address+"/audio/api"+slash, mockserver.Secret, projectBlock),
		})
		if len(service.Journal()) == 0 {
			t.Errorf("no request has reached the service below the prefix with %q at its end", slash)
		}
	}
}

func TestAccProviderFromTheEnvironment(t *testing.T) {
	service := newService(t, mockserver.Audiobook(0))
	const empty = `provider "audioprojects" {
  api_key  = ""
  base_url = ""
}`
	t.Setenv("AUDIOPROJECTS_API_KEY", "")
	t.Setenv("AUDIOPROJECTS_BASE_URL", "")
	for _, block := range []string{"", empty} {
		missing := screens(t, block+projectBlock)
		clitest.WantScreen(t, missing, "Missing API key", "Set `api_key` in the provider block, or the environment variable AUDIOPROJECTS_API_KEY.")
		clitest.WantScreen(t, missing, "Missing base URL", "Set `base_url` in the provider block, or the environment variable AUDIOPROJECTS_BASE_URL.")
	}

	t.Setenv("AUDIOPROJECTS_API_KEY", mockserver.Secret)
	t.Setenv("AUDIOPROJECTS_BASE_URL", service.Address)
	run(t, resource.TestStep{Config: empty + projectBlock})
	service.wantHeaders()
}

func TestAccProviderRefusesSettings(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	tests := map[string]struct{ attribute, value, want string }{
		"credentials":      {"base_url", "https://user:" + secret + "@example.com", "The URL must not contain credentials"},
		"broken":           {"base_url", "https://user:" + secret + "@example.com:port", "The text is not a valid URL."},
		"query":            {"base_url", "https://example.com/?token=" + secret, "The URL must not have a query (`?…`)."},
		"fragment":         {"base_url", "https://example.com/#" + secret, "The URL must not have a fragment (`#…`)."},
		"no_scheme":        {"base_url", "audio.example.com", "The URL must start with https://. An example of a valid address is https://audio.example.com/api."},
		"host_and_port":    {"base_url", "localhost:8080", "The URL must start with https://."},
		"other_scheme":     {"base_url", "ftp://example.com", "The URL must start with https://."},
		"no_host":          {"base_url", "https:///api", "The URL names no host."},
		"http":             {"base_url", "http://audio.example.com", "Plain http would show the API key to everyone between here and audio.example.com: use https, or set `allow_http` in a network of your own."},
		"no_slash":         {"api_path", "v1/studio", "The path must begin with /. Examples of valid paths are /v1 and /v1/studio."},
		"dots":             {"api_path", "/v1/../studio", "The path must not have . or .. between its slashes."},
		"path_query":       {"api_path", "/v1?token=" + secret, "The path must have no query (`?…`) and no fragment (`#…`)."},
		"escape":           {"api_path", "/v1/%2e%2e", "The path must be made of letters from a to z, digits and the signs - . _ ~ between single slashes."},
		"line_break":       {"api_key", secret + "\n", "was it read from a file with a line break at its end? The key itself is not shown here."},
		"space":            {"api_key", "sk " + secret, "The API key holds a space"},
		"no_duration":      {"request_timeout", "soon", `The value must be a duration longer than 0, such as ` + "`30s`, `5m` or `1h30m`" + `. It is "soon".`},
		"no_unit":          {"request_timeout", "30", `It is "30".`},
		"no_time":          {"request_timeout", "0s", `It is "0s".`},
		"negative_time":    {"request_timeout", "-5s", `It is "-5s".`},
		"negative_retries": {"max_retries", "-1", "The value must be a whole number from 0 to 1000. It is -1."},
		"too_many_retries": {"max_retries", "1001", "The value must be a whole number from 0 to 1000. It is 1001."},
		"half_a_retry":     {"max_retries", "1.5", "The value must be a whole number from 0 to 1000. It is 1.5."},
		"no_number":        {"max_retries", "often", "a number is required"},
		"no_bool":          {"allow_http", "perhaps", "a bool is required"},
	}
	var config strings.Builder
	for name, test := range tests {
		arguments := map[string]string{"api_key": `"key"`, "base_url": `"https://example.com"`}
		// Terraform shows the faulty line, so the value must not be in that line.
		arguments[test.attribute] = "local." + name
		fmt.Fprintf(&config, "locals {\n  %s = %q\n}\n", name, test.value)
		fmt.Fprintf(&config, "provider \"audioprojects\" {\n  alias = %q\n", name)
		for attribute, value := range arguments {
			fmt.Fprintf(&config, "  %s = %s\n", attribute, value)
		}
		fmt.Fprintf(&config, "}\ndata \"audioprojects_project\" %q {\n  provider = audioprojects.%s\n  project_id = \"p\"\n}\n", name, name)
	}
	printed := screens(t, config.String())
	if len(printed) != len(tests) {
		t.Errorf("got %d errors, want %d:\n%s", len(printed), len(tests), strings.Join(printed, "\n"))
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clitest.WantScreen(t, printed, test.attribute+" = local."+name, test.want)
		})
	}
	if strings.Contains(strings.Join(printed, ""), secret) {
		t.Errorf("an error shows what is secret:\n%s", strings.Join(printed, "\n"))
	}
}

func TestAccProviderObeysTimeoutAndRetries(t *testing.T) {
	t.Parallel()
	busy := mockserver.RateLimited(0)
	busy.Times = -1
	for name, test := range map[string]struct {
		setting  string
		fault    mockserver.Fault
		want     string
		requests int
	}{
		"request_timeout": {"request_timeout = \"200ms\"\n  max_retries = 1", mockserver.Fault{Hang: time.Hour, Times: -1}, "within 200ms.", 2},
		"no max_retries":  {``, busy, "429 Too Many Requests", 5},
		"max_retries":     {`max_retries = 2`, busy, "429 Too Many Requests", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newFaultyService(t)
			service.Inject(test.fault)
			printed := screens(t, fmt.Sprintf(`
provider "audioprojects" {
  base_url = %q
  api_key  = %q
  %s
}
`, service.Address, mockserver.Secret, test.setting)+projectBlock)
			clitest.WantScreen(t, printed, `Unable to read project "audiobook"`, test.want)
			service.WantCount(mockserver.GetProject, test.requests)
		})
	}
}

// addressKnownAfterApply is an address that is unknown until the apply.
func addressKnownAfterApply(address string) string {
	return `
resource "terraform_data" "address" {
  input = "` + address + `"
}

provider "audioprojects" {
  base_url = terraform_data.address.output
  api_key  = "` + mockserver.Secret + `"
}
`
}

func TestAccProviderKnownAfterApply(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Audiobook(0))
	run(t, resource.TestStep{
		Config:           addressKnownAfterApply(service.Address) + firstChapterBlock,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{sent{service, 0}}},
	})
	service.WantPaid("audiobook", "chapter-1", 1)
}

func TestAccProviderFoundWrongAtApply(t *testing.T) {
	t.Parallel()
	wrong := screens(t, addressKnownAfterApply("ftp://example.com")+firstChapterBlock)
	clitest.WantScreen(t, wrong, "Invalid base URL", "base_url = terraform_data.address.output", "The URL must start with https://.")
}

func TestAccProviderKnownAfterApplyIsTooLateForDataSources(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Audiobook(0))
	var config strings.Builder
	config.WriteString(addressKnownAfterApply(service.Address))
	for _, source := range dataSources {
		config.WriteString(source.block)
	}
	printed := screens(t, config.String())
	for _, source := range dataSources {
		kind := strings.ReplaceAll(strings.TrimPrefix(source.name, "audioprojects_"), "_", " ")
		clitest.WantScreen(t, printed, "Unable to read "+kind+" with data.audioprojects_",
			"The provider block depends on values that are known only after an apply, and this cannot wait for them.",
			"Apply what they come from first (terraform apply -target=…), or give the provider values that are known.")
	}
	if got := len(service.Journal()); got > 0 {
		t.Errorf("requests: got %d, want 0", got)
	}
}
