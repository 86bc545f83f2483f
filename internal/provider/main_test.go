package provider_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
)

// TestMain runs the tests, unless the CLI has started this program as a provider with a defect.
func TestMain(m *testing.M) {
	if served, err := serveSabotage(); served {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	}
	os.Exit(clitest.Main(m))
}
