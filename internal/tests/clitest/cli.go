// Package clitest runs a real Terraform or OpenTofu in tests, with the built provider and a mock server.
// TF_ACC_TERRAFORM_PATH names the CLI of the acceptance tests, and [Main] asks it for its product and version.
package clitest

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// CLI is a folder with a configuration, in which a test runs the CLI.
type CLI struct {
	t           testing.TB
	Folder      string
	Environment []string
}

// New copies a configuration's files into a new folder, and makes the built provider use the service
// at the address. It skips the test unless acceptance tests are enabled (TF_ACC).
func New(t testing.TB, address string, files ...string) *CLI {
	t.Helper()
	Version(t)
	c, required := Open(t, address, Programs), false
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c.WriteFile(filepath.Base(file), string(content))
		required = required || strings.Contains(string(content), "required_providers")
	}
	if !required {
		c.WriteFile("versions.tf", RequiredProviders)
	}
	return c
}

// Open makes a new folder for a provider whose program is in the folder programs. If programs is empty, there is no provider.
func Open(t testing.TB, address, programs string) *CLI {
	t.Helper()
	c := &CLI{t: t, Folder: t.TempDir()}
	if programs == "" {
		c.WriteFile(cliConfigFile, "")
	} else {
		c.UseProvider(programs)
	}
	c.Environment = append(os.Environ(),
		"TF_CLI_CONFIG_FILE="+filepath.Join(c.Folder, cliConfigFile),
		"CHECKPOINT_DISABLE=1",
		"TF_CLI_ARGS=-no-color",
		"AUDIOPROJECTS_BASE_URL="+address,
		"AUDIOPROJECTS_API_KEY="+mockserver.Secret,
	)
	return c
}

// WithTLS makes the CLI and the provider talk as users' do, with TLS. The make targets turn it off, because it takes more
// than half of a command's processor time.
func (c *CLI) WithTLS() {
	c.Environment = slices.DeleteFunc(c.Environment, func(variable string) bool { return strings.HasPrefix(variable, "TF_DISABLE_PLUGIN_TLS=") })
}

// RequiredProviders says where configurations find the provider.
const RequiredProviders = `
terraform {
  required_providers {
    audioprojects = {
      source = "audioprojects/audioprojects"
    }
  }
}
`

// cliConfigFile is the name of the CLI's own configuration file.
const cliConfigFile = "cli.tfrc"

// UseProvider makes the CLI use the provider's program in the folder programs.
func (c *CLI) UseProvider(programs string) {
	c.t.Helper()
	c.WriteFile(cliConfigFile, `provider_installation { dev_overrides { "audioprojects/audioprojects" = "`+programs+`" } }`)
}

// Write replaces the configuration by one with the given blocks. The service
// is set in the environment.
func (c *CLI) Write(blocks ...string) {
	c.t.Helper()
	c.WriteFile("main.tf", strings.Join(blocks, "\n"))
}

// WriteFile writes a file in the folder.
func (c *CLI) WriteFile(name, content string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.Folder, name), []byte(content), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// Run runs the CLI and returns its output. If the command fails, the test fails.
func (c *CLI) Run(arguments ...string) string {
	c.t.Helper()
	return c.run(true, arguments)
}

// RunFailing runs the CLI and returns its output. If the command succeeds, the test fails.
func (c *CLI) RunFailing(arguments ...string) string {
	c.t.Helper()
	return c.run(false, arguments)
}

func (c *CLI) run(succeeds bool, arguments []string) string {
	c.t.Helper()
	screen, err := c.Command(arguments...).CombinedOutput()
	if succeeds != (err == nil) {
		c.t.Fatalf("terraform %s: %v\n%s", strings.Join(arguments, " "), err, screen)
	}
	return string(screen)
}

// Command is a command of the CLI that has not been started.
func (c *CLI) Command(arguments ...string) *exec.Cmd {
	command := exec.CommandContext(c.t.Context(), os.Getenv("TF_ACC_TERRAFORM_PATH"), arguments...)
	command.Dir, command.Env = c.Folder, c.Environment
	return command
}

// Files are the files in the CLI's folder, and those inside a saved plan, which is an archive.
func (c *CLI) Files() map[string][]byte {
	c.t.Helper()
	found := map[string][]byte{}
	if err := collectFiles(os.DirFS(c.Folder), "", found); err != nil {
		c.t.Fatal(err)
	}
	return found
}

func collectFiles(files fs.FS, folder string, found map[string][]byte) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		found[folder+name] = content
		archive, notOne := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if notOne == nil && err == nil {
			err = collectFiles(archive, folder+name+"/", found)
		}
		return err
	})
}
