//go:build unix

package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAccOnlyAWantedLogIsWritten: the plugin library's own costs a third of a plan, and Terraform drops it.
func TestAccOnlyAWantedLogIsWritten(t *testing.T) {
	t.Parallel()
	for setting, wanted := range map[string]bool{
		"TF_LOG=":                    false,
		"TF_LOG=off":                 false,
		"TF_LOG=DEBUG":               true,
		"TF_LOG_PROVIDER=TRACE":      true,
		"TF_LOG_SDK_FRAMEWORK=TRACE": true,
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			service := newService(t, book())
			terraform := newCLI(t, service)
			terraform.write(conversionBlock(``))
			log := filepath.Join(terraform.folder, "provider.log")
			terraform.wrapProvider(fmt.Sprintf("exec %q 2>>%q", filepath.Join(programs, "terraform-provider-audioprojects"), log))
			terraform.environment = append(terraform.environment, setting)
			terraform.run("apply", "-auto-approve")
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(text), `"@module":"sdk.`); got != wanted {
				t.Errorf("the library's log is written: got %t, want %t", got, wanted)
			}
		})
	}
}

// wrapProvider makes the CLI start the provider by a shell script.
func (c *cli) wrapProvider(script string) {
	c.t.Helper()
	folder := c.t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "terraform-provider-audioprojects"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		c.t.Fatal(err)
	}
	c.useProvider(folder)
}
