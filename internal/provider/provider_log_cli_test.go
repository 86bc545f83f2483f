//go:build unix

package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLILog_onlyWherePossible: the plugin library's own log takes a third of a plan's time, and Terraform does not show it.
func TestCLILog_onlyWherePossible(t *testing.T) {
	t.Parallel()
	for setting, wanted := range map[string]bool{
		"TF_LOG=off":                 false,
		"TF_LOG_SDK_FRAMEWORK=TRACE": true,
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t, acctest.Book())
			terraform := acctest.NewCLI(t, service)
			terraform.Write(acctest.ConversionBlock(``))
			log := filepath.Join(terraform.Folder, "provider.log")
			programs := t.TempDir()
			wrapped := fmt.Sprintf("#!/bin/sh\nexec %q 2>>%q\n", filepath.Join(clitest.Programs, clitest.ProviderName), log)
			err := os.WriteFile(filepath.Join(programs, clitest.ProviderName), []byte(wrapped), 0o700)
			if err != nil {
				t.Fatal(err)
			}
			terraform.UseProvider(programs)
			terraform.Environment = append(terraform.Environment, setting)
			terraform.Run("apply", "-auto-approve")
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Contains(string(text), `"@module":"sdk.`)
			if got != wanted {
				t.Errorf("the library's log is written: got %t, want %t", got, wanted)
			}
		})
	}
}
