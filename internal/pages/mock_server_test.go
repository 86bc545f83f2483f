//go:build unix

package pages

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
)

// TestAccMockServerInstructions follows, in an empty folder, the instructions that `make mock` prints.
func TestAccMockServerInstructions(t *testing.T) {
	t.Parallel()
	terraform := clitest.New(t, clitest.NewService(t).Address)
	mock := exec.CommandContext(t.Context(), "make", "--no-print-directory", "mock", "PORT="+freePort(t), "PACE=1ms",
		"TERRAFORM="+os.Getenv("TF_ACC_TERRAFORM_PATH"))
	mock.Dir = root
	// Ctrl-C interrupts the whole process group, too.
	mock.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	mock.Stderr = os.Stderr
	stdout, err := mock.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := mock.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-mock.Process.Pid, syscall.SIGINT)
		_ = mock.Wait()
	})

	screen := bufio.NewReader(stdout)
	instructions := readUntil(t, screen, "listening on ")
	section := func(begin, end string) string {
		_, section, _ := strings.Cut(instructions, begin)
		section, _, found := strings.Cut(section, end)
		if !found {
			t.Fatalf("nothing from %q to %q in:\n%s", begin, end, instructions)
		}
		return section
	}
	exports, config, commands := section("folder:", "2. "), section("main.tf:", "3. "), section("Then:", "The project")
	if err := os.RemoveAll(terraform.Folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(terraform.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	terraform.Write(config)
	script := "set -e\n" + exports + strings.Replace(commands, " apply", " apply -auto-approve", 1)
	shell := exec.CommandContext(t.Context(), "sh", "-c", script)
	shell.Dir = terraform.Folder
	shell.Env = append(os.Environ(), "CHECKPOINT_DISABLE=1", "TF_CLI_ARGS=-no-color")
	said, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, said)
	}
	clitest.WantScreen(t, []string{string(said)}, "Apply complete! Resources: 1 added")
	if _, err := os.Stat(filepath.Join(terraform.Folder, ".terraform.lock.hcl")); err != nil {
		t.Error(err)
	}
	readUntil(t, screen, "conversion accepted")
}

// readUntil returns the output up to a line that contains the words.
func readUntil(t *testing.T, screen *bufio.Reader, words string) string {
	t.Helper()
	var printed strings.Builder
	for {
		line, err := screen.ReadString('\n')
		printed.WriteString(line)
		switch {
		case strings.Contains(line, words):
			return printed.String()
		case err == io.EOF:
			t.Fatalf("no line contains %q:\n%s", words, printed.String())
		case err != nil:
			t.Fatal(err)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
