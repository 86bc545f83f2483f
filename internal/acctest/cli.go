package acctest

import (
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// CLI is a folder with a configuration, in which a test runs the CLI with the built provider.
type CLI struct {
	*clitest.CLI
	T *testing.T
}

// NewCLI makes such a folder; its provider uses the service.
func NewCLI(t *testing.T, service *Service) *CLI {
	t.Helper()
	return &CLI{clitest.New(t, service.Address), t}
}

// WantSettled checks that the chapter has been converted, and that nothing is left to do.
func (c *CLI) WantSettled() {
	c.T.Helper()
	c.Run("plan", "-detailed-exitcode")
	screen := c.Run("show")
	clitest.WantScreen(c.T, []string{screen}, `state = "default"`)
	if strings.Contains(screen, "pending_conversion") {
		c.T.Errorf("something is still pending:\n%s", screen)
	}
}
