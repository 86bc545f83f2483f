package provider_test

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// cli is a folder with a configuration, in which a test uses the CLI and the built
// provider as a person does.
type cli struct {
	t           *testing.T
	folder      string
	environment []string
}

// newCLI copies a configuration's files into a new folder, and leads the provider to the service.
func newCLI(t *testing.T, service *service, files ...string) *cli {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("acceptance tests run only where TF_ACC is set")
	}
	folder := t.TempDir()
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(file)), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := &cli{t: t, folder: folder}
	c.requireProvider()
	c.useProvider(programs)
	c.environment = append(os.Environ(),
		"TF_CLI_CONFIG_FILE="+c.settings(),
		"CHECKPOINT_DISABLE=1",
		"TF_CLI_ARGS=-no-color",
		"AUDIOPROJECTS_BASE_URL="+service.address,
		"AUDIOPROJECTS_API_KEY="+mockserver.Secret,
	)
	return c
}

// requireProvider says where the provider comes from if the configuration does not.
func (c *cli) requireProvider() {
	c.t.Helper()
	files, err := filepath.Glob(filepath.Join(c.folder, "*.tf"))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, file := range files {
		if content, err := os.ReadFile(file); err != nil || strings.Contains(string(content), "required_providers") {
			return
		}
	}
	if err := os.WriteFile(filepath.Join(c.folder, "versions.tf"), []byte(requiredProviders), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cli) settings() string { return filepath.Join(c.folder, "cli.tfrc") }

// useProvider makes the CLI take the provider from a folder of programs.
func (c *cli) useProvider(folder string) {
	c.t.Helper()
	overrides := `provider_installation { dev_overrides { "audioprojects/audioprojects" = "` + folder + `" } }`
	if err := os.WriteFile(c.settings(), []byte(overrides), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// write puts a configuration of the given blocks in place of the one before. The service
// is in the environment.
func (c *cli) write(blocks ...string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.folder, "main.tf"), []byte(strings.Join(blocks, "\n")), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// run runs the CLI and returns what it prints; anything but success fails the test.
func (c *cli) run(arguments ...string) string {
	c.t.Helper()
	screen, err := c.command(arguments...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("terraform %s: %v\n%s", strings.Join(arguments, " "), err, screen)
	}
	return string(screen)
}

// runFailing runs the CLI and returns what it prints; success fails the test.
func (c *cli) runFailing(arguments ...string) string {
	c.t.Helper()
	screen, err := c.command(arguments...).CombinedOutput()
	if err == nil {
		c.t.Fatalf("terraform %s did not fail:\n%s", strings.Join(arguments, " "), screen)
	}
	return string(screen)
}

// wantSettled checks that the chapter has been converted, and that nothing is left to do.
func (c *cli) wantSettled() {
	c.t.Helper()
	c.run("plan", "-detailed-exitcode")
	screen := c.run("show")
	wantScreen(c.t, []string{screen}, `state = "default"`)
	if strings.Contains(screen, "pending_conversion") {
		c.t.Errorf("something is still pending:\n%s", screen)
	}
}

func (c *cli) command(arguments ...string) *exec.Cmd {
	command := exec.CommandContext(c.t.Context(), os.Getenv("TF_ACC_TERRAFORM_PATH"), arguments...)
	command.Dir, command.Env = c.folder, c.environment
	return command
}

// files are those in the CLI's folder, and those in a saved plan, which is an archive.
func (c *cli) files() map[string][]byte {
	c.t.Helper()
	found := map[string][]byte{}
	err := filepath.WalkDir(c.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name := filepath.ToSlash(path[len(c.folder)+1:])
		found[name] = content
		archive, notOne := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil || notOne != nil {
			return err
		}
		for _, member := range archive.File {
			reader, err := member.Open()
			if err != nil {
				return err
			}
			defer reader.Close()
			if found[name+"/"+member.Name], err = io.ReadAll(reader); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return found
}
