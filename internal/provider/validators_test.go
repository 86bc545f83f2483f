package provider_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// A refused number gives one error, which names the attribute. For a fraction, the framework's Int64 gives two errors, which tell
// the user to report a defect of the provider.
func TestNumbersOfTheProvider(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		attribute, value, want string
	}{
		{"max_retries", "0", ""},
		{"max_retries", "1000", ""},
		{"max_retries", "-1", "The value must be a whole number from 0 to 1000. It is -1."},
		{"max_retries", "1001", "The value must be a whole number from 0 to 1000. It is 1001."},
		{"max_retries", "1.5", "The value must be a whole number from 0 to 1000. It is 1.5."},
		{"max_retries", "1e30", "The value must be a whole number from 0 to 1000. It is 1e+30."},
	} {
		t.Run(test.attribute+" "+test.value, func(t *testing.T) {
			t.Parallel()
			number, _, err := big.ParseFloat(test.value, 10, 512, big.ToNearestEven)
			if err != nil {
				t.Fatal(err)
			}
			server := provider.NewServer("test")()
			schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
			if err != nil {
				t.Fatal(err)
			}
			block := dynamic(t, schemas.Provider, block{test.attribute: tftypes.NewValue(tftypes.Number, number)})
			response, err := server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: block})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, diagnostic := range response.Diagnostics {
				if attribute := diagnostic.Attribute.String(); attribute != `AttributeName("`+test.attribute+`")` {
					t.Errorf("the error names %s", attribute)
				}
				got = append(got, diagnostic.Detail)
			}
			if strings.Join(got, "\n") != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
