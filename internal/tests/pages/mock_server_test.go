//go:build unix

package pages

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLIPages_mockServer follows, in an empty folder, the instructions that `make mock` prints. The mock server takes a free port,
// and the instructions name it: a port that was free some time ago may be taken.
func TestCLIPages_mockServer(t *testing.T) {
	t.Parallel()
	terraform := clitest.New(t, clitest.NewService(t).Address)
	mock := exec.CommandContext(t.Context(), "make", "--no-print-directory", "mock", "PORT=0", "PACE=1ms",
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
	exports, config, commands := section("folder:", "2. "), section("main.tf:", "3. "), section("Then:", "With curl")
	err = errors.Join(os.RemoveAll(terraform.Folder), os.Mkdir(terraform.Folder, 0o700))
	if err != nil {
		t.Fatal(err)
	}
	terraform.Write(config)
	wantScreen(t, runShell(t, terraform, exports, commands), "Apply complete! Resources: 1 added")
	_, err = os.Stat(filepath.Join(terraform.Folder, ".terraform.lock.hcl"))
	if err != nil {
		t.Error(err)
	}
	readUntil(t, screen, "conversion accepted")

	play(t, http.DefaultClient, instructions)
	screenOfPlan := runShell(t, terraform, exports, strings.Fields(commands)[0]+" plan")
	wantScreen(t, screenOfPlan, "Conversions that cost credits in project \"audiobook\": 1 chapter,")
}

// TestPages_guidePlaysMockServer runs the commands of the guide on a mock server.
func TestPages_guidePlaysMockServer(t *testing.T) {
	t.Parallel()
	service := mockserver.New()
	service.AddProject(mockserver.Audiobook(time.Minute))
	served := httptest.NewServer(service.Controls())
	defer served.Close()
	guide := read(t, root, "docs/guides/try-without-an-account.md")
	got := play(t, served.Client(), strings.ReplaceAll(guide, "http://127.0.0.1:8787", served.URL))
	if got != 2 {
		t.Errorf("the guide has %d commands", got)
	}
}

// play posts what the curl commands of a text post.
func play(t *testing.T, client *http.Client, text string) (commands int) {
	t.Helper()
	for _, command := range regexp.MustCompile(`curl ((?:-d \S+ )+)(http://[^\s`+"`"+`]+)`).FindAllStringSubmatch(text, -1) {
		form, err := url.ParseQuery(strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(command[1]), "-d "), " -d ", "&"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.PostForm(command[2], form)
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %v %s %s", command[0], err, answer.Status, said)
		}
		commands++
	}
	return commands
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
