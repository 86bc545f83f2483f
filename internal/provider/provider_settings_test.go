package provider_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// block is a provider block: its attributes by name. Attributes that are not set are missing.
type block map[string]tftypes.Value

func text(value string) tftypes.Value { return tftypes.NewValue(tftypes.String, value) }

func boolean(value bool) tftypes.Value { return tftypes.NewValue(tftypes.Bool, value) }

// configure configures the provider with the block, without Terraform.
func (b block) configure(t *testing.T) []*tfprotov6.Diagnostic {
	t.Helper()
	server := provider.NewServer("test")()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: dynamic(t, schemas.Provider, b)})
	if err != nil {
		t.Fatal(err)
	}
	return response.Diagnostics
}

func dynamic(t *testing.T, schema *tfprotov6.Schema, attributes map[string]tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	object := schema.ValueType().(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, kind := range object.AttributeTypes {
		values[name] = tftypes.NewValue(kind, nil)
	}
	maps.Copy(values, attributes)
	value, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
	if err != nil {
		t.Fatal(err)
	}
	return &value
}

// It sets the environment, so it runs alone.
func TestProviderSettings(t *testing.T) {
	const key, address = "secret-key", "https://audio.example.com"
	const noKey, noAddress = `AttributeName("api_key"): Missing API key`, `AttributeName("base_url"): Missing base URL`
	for name, test := range map[string]struct {
		block       block
		environment map[string]string
		want        []string
	}{
		"nothing": {nil, nil, []string{noKey, noAddress}},
		"block":   {block{"api_key": text(key), "base_url": text(address)}, nil, nil},
		"environment": {
			nil, map[string]string{"AUDIOPROJECTS_API_KEY": key, "AUDIOPROJECTS_BASE_URL": address}, nil,
		},
		"no key":     {block{"base_url": text(address)}, nil, []string{noKey}},
		"no address": {block{"api_key": text(key)}, nil, []string{noAddress}},
		"empty texts count as not set": {
			block{"api_key": text(""), "base_url": text(""), "request_timeout": text("")}, nil, []string{noKey, noAddress},
		},
		"empty texts leave it to the environment": {
			block{"api_key": text(""), "base_url": text("")},
			map[string]string{"AUDIOPROJECTS_API_KEY": key, "AUDIOPROJECTS_BASE_URL": address}, nil,
		},
		"the block is stronger than the environment": {
			block{"api_key": text(key), "base_url": text(address), "allow_http": boolean(false)},
			map[string]string{"AUDIOPROJECTS_API_KEY": "a\nb", "AUDIOPROJECTS_BASE_URL": "ftp://", "AUDIOPROJECTS_ALLOW_HTTP": "perhaps"}, nil,
		},
		"the environment is checked": {
			nil, map[string]string{"AUDIOPROJECTS_API_KEY": key + "\n", "AUDIOPROJECTS_BASE_URL": "https://user:" + key + "@example.com"},
			[]string{`AttributeName("api_key"): Invalid API key`, `AttributeName("base_url"): Invalid base URL`},
		},
		"http": {
			block{"api_key": text(key), "base_url": text("http://audio.example.com")}, nil,
			[]string{`AttributeName("base_url"): Invalid base URL`},
		},
		"http to a loopback host": {
			block{"api_key": text(key), "base_url": text("http://[::1]:8080/api/")}, nil, nil,
		},
		"http allowed": {
			block{"api_key": text(key), "base_url": text("http://audio.example.com"), "allow_http": boolean(true)}, nil, nil,
		},
		"http allowed by the environment": {
			block{"api_key": text(key), "base_url": text("http://audio.example.com")},
			map[string]string{"AUDIOPROJECTS_ALLOW_HTTP": "true"}, nil,
		},
		"http allowed by the environment and not by the block": {
			block{"api_key": text(key), "base_url": text("http://audio.example.com"), "allow_http": boolean(false)},
			map[string]string{"AUDIOPROJECTS_ALLOW_HTTP": "true"},
			[]string{`AttributeName("base_url"): Invalid base URL`},
		},
		"http perhaps allowed by the environment": {
			block{"api_key": text(key), "base_url": text(address)},
			map[string]string{"AUDIOPROJECTS_ALLOW_HTTP": "perhaps"},
			[]string{`AttributeName("allow_http"): Invalid setting of AUDIOPROJECTS_ALLOW_HTTP`},
		},
		"a bound in the environment": {
			block{"api_key": text(key), "base_url": text(address)}, map[string]string{"AUDIOPROJECTS_MAX_CHARACTERS": "0"}, nil,
		},
		"many characters in the environment": {
			block{"api_key": text(key), "base_url": text(address)}, map[string]string{"AUDIOPROJECTS_MAX_CHARACTERS": "50k"},
			[]string{`AttributeName("max_characters"): Invalid setting of AUDIOPROJECTS_MAX_CHARACTERS`},
		},
		"a negative bound in the environment": {
			block{"api_key": text(key), "base_url": text(address)}, map[string]string{"AUDIOPROJECTS_MAX_CHARACTERS": "-1"},
			[]string{`AttributeName("max_characters"): Invalid setting of AUDIOPROJECTS_MAX_CHARACTERS`},
		},
		"the block's bound is stronger than the environment's": {
			block{"api_key": text(key), "base_url": text(address), "max_characters": tftypes.NewValue(tftypes.Number, 0)},
			map[string]string{"AUDIOPROJECTS_MAX_CHARACTERS": "50k"}, nil,
		},
		"path in the block": {
			block{"api_key": text(key), "base_url": text(address), "api_path": text("/v1/studio")},
			map[string]string{"AUDIOPROJECTS_API_PATH": "nowhere"}, nil,
		},
		"path in the environment": {
			block{"api_key": text(key), "base_url": text(address), "api_path": text("")},
			map[string]string{"AUDIOPROJECTS_API_PATH": "/v1/studio"}, nil,
		},
		"path that is none": {
			block{"api_key": text(key), "base_url": text(address), "api_path": text("v1/" + key + "/..")}, nil,
			[]string{`AttributeName("api_path"): Invalid API path`},
		},
		"path that is none in the environment": {
			block{"api_key": text(key), "base_url": text(address)}, map[string]string{"AUDIOPROJECTS_API_PATH": "/v1?key=" + key},
			[]string{`AttributeName("api_path"): Invalid API path`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{"AUDIOPROJECTS_API_KEY", "AUDIOPROJECTS_BASE_URL", "AUDIOPROJECTS_API_PATH", "AUDIOPROJECTS_ALLOW_HTTP", "AUDIOPROJECTS_MAX_CHARACTERS"} {
				t.Setenv(variable, test.environment[variable])
			}
			diagnostics := test.block.configure(t)
			var got []string
			for _, diagnostic := range diagnostics {
				got = append(got, diagnostic.Attribute.String()+": "+diagnostic.Summary)
				if strings.Contains(diagnostic.Summary+diagnostic.Detail, key) {
					t.Errorf("the diagnostic shows the secret: %s", diagnostic.Detail)
				}
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("diagnostics: got %q, want %q", got, test.want)
			}
		})
	}
}

// It sets the environment, so it runs alone.
func TestAKeyThatNoHeaderAllowsIsRefusedAndNotShown(t *testing.T) {
	illegal := map[string]string{
		"line feed": "\n", "carriage return": "\r", "both": "\r\n", "zero byte": "\x00", "escape": "\x1b[2J", "delete": "\x7f",
		"tab": "\t", "space": " ", "umlaut": "ü", "no-break space": "\u00a0", "line separator": "\u2028", "byte order mark": "\ufeff",
	}
	sources := map[string]func(*testing.T, string) block{
		"block": func(_ *testing.T, key string) block { return block{"api_key": text(key)} },
		"environment": func(t *testing.T, key string) block {
			t.Setenv("AUDIOPROJECTS_API_KEY", key)
			return block{}
		},
	}
	for name, sign := range illegal {
		for place, key := range map[string]string{"start": sign + "hush1hush2", "middle": "hush1" + sign + "hush2", "end": "hush1hush2" + sign} {
			for source, give := range sources {
				if source == "environment" && strings.Contains(key, "\x00") {
					continue // No system allows that in a variable.
				}
				t.Run(name+" at its "+place+", in the "+source, func(t *testing.T) {
					block := give(t, key)
					block["base_url"] = text("https://audio.example.com")
					diagnostics := block.configure(t)
					if len(diagnostics) != 1 || diagnostics[0].Severity != tfprotov6.DiagnosticSeverityError {
						t.Fatalf("got %d diagnostics, want one error", len(diagnostics))
					}
					shown := diagnostics[0].Attribute.String() + ": " + diagnostics[0].Summary + ": " + diagnostics[0].Detail
					const want = `AttributeName("api_key"): Invalid API key: The API key holds a space, a line break or another character that no HTTP header may carry; ` +
						`was it read from a file with a line break at its end? The key itself is not shown here.`
					if shown != want {
						t.Errorf("got %q, want %q", shown, want)
					}
				})
			}
		}
	}
}
