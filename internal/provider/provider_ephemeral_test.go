package provider_test

import (
	"bytes"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestAccProviderWithAnEphemeralKey: no file that Terraform writes has the key, above all not the state or the plan.
func TestAccProviderWithAnEphemeralKey(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.EphemeralValues)
	service := newService(t, book())
	terraform := newCLI(t, service)
	terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_API_KEY=", "TF_VAR_api_key="+mockserver.Secret)
	terraform.Write(`
variable "api_key" {
  type      = string
  ephemeral = true
}

provider "audioprojects" {
  api_key = var.api_key
}
`, conversionBlock(``))
	terraform.Run("plan", "-out=saved")
	terraform.Run("apply", "saved")
	service.WantPaid("book", "one", 1)

	files := terraform.Files()
	for _, name := range []string{"terraform.tfstate", "saved/tfplan", "saved/tfstate", "saved/tfconfig/m-/main.tf"} {
		if len(files[name]) == 0 {
			t.Errorf("%s is not there, or empty: the test looks in the wrong place", name)
		}
	}
	for name, content := range files {
		if bytes.Contains(content, []byte(mockserver.Secret)) {
			t.Errorf("%s contains the key", name)
		}
	}
}
