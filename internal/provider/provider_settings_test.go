package provider_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const (
	providerKey     = "secret-key"
	providerAddress = "https://audio.example.com"
)

// refused validates a provider block, then configures the provider in the environment, and returns the errors, each with its attribute.
func refused(t *testing.T, settings map[string]any, environment map[string]string) (errors []string) {
	t.Helper()
	block, err := tfprotov6.NewDynamicValue(schemas().Provider.ValueType(), fakecore.ValueOf(schemas().Provider.ValueType(), settings))
	if err != nil {
		t.Fatal(err)
	}
	server := provider.NewServer("test", provider.Machine{})()
	validated, err := server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: &block})
	if err != nil {
		t.Fatal(err)
	}
	found := validated.Diagnostics
	if len(found) == 0 {
		for variable, text := range environment {
			t.Setenv(variable, text)
		}
		configured, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: &block})
		if err != nil {
			t.Fatal(err)
		}
		found = configured.Diagnostics
	}
	for _, diagnostic := range found {
		at := strings.NewReplacer(`AttributeName("`, "", `")`, "").Replace(diagnostic.Attribute.String())
		errors = append(errors, at+": "+diagnostic.Summary+": "+diagnostic.Detail)
	}
	return errors
}

// It sets the environment, so it runs alone.
func TestProviderSettings_values(t *testing.T) {
	const (
		noKey = "api_key: Missing API key: Every request to the service needs an API key. Set `api_key` in the provider block, " +
			"or the environment variable AUDIOPROJECTS_API_KEY."
		noAddress = "base_url: Missing base URL: The provider does not know where the service is. Set `base_url` in the provider block, " +
			"or the environment variable AUDIOPROJECTS_BASE_URL."
		badKey = "api_key: Invalid API key: The API key contains a space, a line break or another character that an HTTP header cannot carry; " +
			"was it read from a file with a line break at the end? The provider does not show the key."
		badAddress, badPath = "base_url: Invalid base URL: ", "api_path: Invalid API path: "
		keyVariable         = "AUDIOPROJECTS_API_KEY"
		urlVariable         = "AUDIOPROJECTS_BASE_URL"
		pathVariable        = "AUDIOPROJECTS_API_PATH"
		httpVariable        = "AUDIOPROJECTS_ALLOW_HTTP"
		limitVariable       = "AUDIOPROJECTS_MAX_CHARACTERS"
	)
	// with is a provider block with its key and address, and one setting more.
	with := func(name string, value any) map[string]any {
		return map[string]any{"api_key": providerKey, "base_url": providerAddress, name: value}
	}
	both := with("api_key", providerKey)
	for name, test := range map[string]struct {
		block       map[string]any
		environment map[string]string
		want        []string // what the errors begin with
	}{
		"nothing":                      {nil, nil, []string{noKey, noAddress}},
		"block":                        {both, nil, nil},
		"environment":                  {nil, map[string]string{keyVariable: providerKey, urlVariable: providerAddress}, nil},
		"empty texts count as not set": {map[string]any{"api_key": "", "base_url": "", "request_timeout": ""}, nil, []string{noKey, noAddress}},
		"empty texts leave it to the environment": {
			map[string]any{"api_key": "", "base_url": ""}, map[string]string{keyVariable: providerKey, urlVariable: providerAddress}, nil,
		},
		"the environment is checked": {
			nil, map[string]string{keyVariable: providerKey + "\n", urlVariable: "https://user:" + providerKey + "@example.com"},
			[]string{badKey, badAddress + "The URL must not contain credentials"},
		},
		"key in two lines":        {with("api_key", providerKey+"\n"), nil, []string{badKey}},
		"http":                    {with("base_url", "http://audio.example.com"), nil, []string{badAddress + "Plain http would show the API key"}},
		"http to a loopback host": {with("base_url", "http://[::1]:8080/api/"), nil, nil},
		"http allowed":            {map[string]any{"api_key": providerKey, "base_url": "http://audio.example.com", "allow_http": true}, nil, nil},
		"http allowed by the environment": {
			with("base_url", "http://audio.example.com"), map[string]string{httpVariable: "true"}, nil,
		},
		"http allowed by the environment and not by the block": {
			map[string]any{"api_key": providerKey, "base_url": "http://audio.example.com", "allow_http": false}, map[string]string{httpVariable: "true"},
			[]string{badAddress},
		},
		"an empty limit in the environment": {
			both, map[string]string{limitVariable: ""}, []string{"max_characters: Invalid setting of AUDIOPROJECTS_MAX_CHARACTERS: " +
				"The environment variable AUDIOPROJECTS_MAX_CHARACTERS is set, and empty. A pipeline may have lost its value. " +
				"Give it a whole number from 0 to 1000000000000, or unset it."},
		},
		"path that is none":                    {with("api_path", "v1/"+providerKey+"/.."), nil, []string{badPath + "The path must begin with /, "}},
		"path that is none in the environment": {both, map[string]string{pathVariable: "/v1?key=" + providerKey}, []string{badPath}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{keyVariable, urlVariable, pathVariable, httpVariable, limitVariable} {
				t.Setenv(variable, "")
			}
			err := os.Unsetenv(limitVariable) // until the test ends; an empty limit is an error
			if err != nil {
				t.Fatal(err)
			}
			got := refused(t, test.block, test.environment)
			if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if strings.Contains(strings.Join(got, ""), providerKey) {
				t.Errorf("an error shows the secret: %q", got)
			}
		})
	}
}

// TestMaxCharacters_smallerOneHolds: where the block and the variable both set a limit, the smaller one holds, and the error names it. It
// sets the environment, so it runs alone.
func TestMaxCharacters_smallerOneHolds(t *testing.T) {
	const (
		variable = "AUDIOPROJECTS_MAX_CHARACTERS"
		exceeds  = "The conversions would exceed the limit of "
		uncheck  = "The service does not count the characters of all chapters, so the provider cannot check the limit of "
		unknown  = "so it cannot check the limit of "
		again    = ", or convert fewer chapters at a time."
		newPlan  = " If that is the number of an earlier plan, there is more text since: plan again."
	)
	for name, test := range map[string]struct {
		block     any // max_characters; nil: not set
		variable  string
		uncounted bool
		says      []string // of the plan's error; nil: none
	}{
		"neither":                          {nil, "", false, nil},
		"enough in both":                   {114, "114", false, nil},
		"the block's":                      {113, "114", false, []string{exceeds + "113 characters (`max_characters`). ", "Raise `max_characters`" + again + "\n"}},
		"the variable's":                   {114, "113", false, []string{exceeds + "113 characters (" + variable + "). ", "Raise " + variable + again + newPlan}},
		"as large":                         {113, "113", false, []string{exceeds + "113 characters (`max_characters` and " + variable + "). ", "Raise `max_characters` and " + variable + again + newPlan}},
		"none in the variable":             {1000, "0", false, []string{exceeds + "0 characters (" + variable + "). "}},
		"none in the block":                {0, "1000", false, []string{exceeds + "0 characters (`max_characters`). "}},
		"only the variable's":              {nil, "113", false, []string{exceeds + "113 characters (" + variable + "). ", "Raise " + variable + again + newPlan}},
		"unknown, and enough":              {tftypes.UnknownValue, "114", false, []string{unknown + "114 characters (" + variable + ")."}},
		"not counted":                      {50, "60", true, []string{uncheck + "50 characters (`max_characters`). ", "Remove `max_characters` and " + variable + ", or leave these chapters out."}},
		"not counted, the block's":         {50, "", true, []string{uncheck + "50 characters (`max_characters`). ", "Remove `max_characters`, or leave these chapters out."}},
		"not counted, only the variable's": {nil, "60", true, []string{uncheck + "60 characters (" + variable + "). ", "Remove " + variable + ", or leave these chapters out."}},
	} {
		t.Run(name, func(t *testing.T) {
			if test.variable != "" {
				t.Setenv(variable, test.variable)
			}
			withBook(t, manyChapters(3, oneMinute), func(c *core) {
				c.service.SetHabits(mockserver.Habits{NoStatistics: test.uncounted})
				c.Start = func() *fakecore.Process {
					settings := atTheService()
					if test.block != nil {
						settings["max_characters"] = test.block
					}
					return c.beginWith(settings, nil)
				}
				shown := c.Plan().Screen
				if (len(shown.Errors) > 0) != (test.says != nil) {
					t.Errorf("got %s", shown)
				}
				for _, says := range test.says {
					if !shown.Says(says) {
						t.Errorf("got %s, want %q", shown, says)
					}
				}
				c.wantSent(0)
			})
		})
	}
}

// TestUserAgent_appended: as with other providers. It sets the environment, so it runs alone.
func TestUserAgent_appended(t *testing.T) {
	for appended, want := range map[string]string{
		"":                          "",
		" \t":                       "",
		" books/2.1 (+night\trun) ": " books/2.1 (+night\trun)",
		"Ohren-Büro":                " Ohren-Büro",
		"two\r\nlines: 1":           "",
		"delete\x7f":                "",
	} {
		t.Run(appended, func(t *testing.T) {
			t.Setenv("TF_APPEND_USER_AGENT", appended)
			inFakeTime(t, mockserver.Chapter{ID: "one", Text: "text", Conversions: []mockserver.Conversion{oneMinute}}, nil, func(c *core) {
				c.Apply().Want(c, "create", nil, nil)
				for _, entry := range c.service.Journal() {
					got := entry.Header.Get("User-Agent")
					own, more, _ := strings.Cut(got, "-audioprojects/test")
					if !strings.HasPrefix(own, "Terraform/") || more != want {
						t.Errorf("%s %s: got user agent %q, want it to end in %q", entry.Method, entry.Path, got, want)
					}
				}
			})
		})
	}
}
