package provider_test

import (
	"os"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestMain runs the tests. The provider of the acceptance tests is configured as most users do it.
func TestMain(m *testing.M) {
	os.Setenv("AUDIOPROJECTS_BASE_URL", "http://localhost")
	os.Setenv("AUDIOPROJECTS_API_KEY", mockserver.Secret)
	os.Exit(clitest.Main(m))
}

// cli is a folder with a configuration, in which a test runs the CLI with the built provider.
type cli struct {
	*clitest.CLI
	t *testing.T
}

// newCLI makes such a folder; its provider uses the service.
func newCLI(t *testing.T, service *service) *cli {
	t.Helper()
	return &cli{clitest.New(t, service.Address), t}
}

// wantSettled checks that the chapter has been converted, and that nothing is left to do.
func (c *cli) wantSettled() {
	c.t.Helper()
	c.Run("plan", "-detailed-exitcode")
	screen := c.Run("show")
	clitest.WantScreen(c.t, []string{screen}, `state = "default"`)
	if strings.Contains(screen, "pending_conversion") {
		c.t.Errorf("something is still pending:\n%s", screen)
	}
}
