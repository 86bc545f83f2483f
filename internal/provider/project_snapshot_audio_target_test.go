//go:build unix

package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestAudioThatHasNowhereToGoIsNotAskedFor(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(c *audioCore) error
		says    string
		planned bool // the plan says it
	}{
		"a folder": {func(c *audioCore) error { return os.Mkdir(c.file, 0o700) }, "which is not a regular file but ", true},
		"a symbolic link": {
			func(c *audioCore) error { return os.Symlink(filepath.Join(c.folder, "elsewhere"), c.file) },
			"which is not a regular file but a folder, a device or a link (for a link, name the file that it leads to).", true,
		},
		"a pipe": {
			func(c *audioCore) error { return syscall.Mkfifo(c.file, 0o600) },
			"which is not a regular file but ", true,
		},
		"a file in place of a folder": {
			func(c *audioCore) error {
				c.Arguments["filename"] = filepath.Join(c.file, "book.wav")
				return os.WriteFile(c.file, nil, 0o600)
			},
			"not a directory.", true,
		},
		"a folder of the system": {
			func(c *audioCore) error { c.Arguments["filename"] = "/proc/book.wav"; return nil }, // not even root may write there
			"/proc", false,
		},
		"a name too long": {
			func(c *audioCore) error {
				c.Arguments["filename"] = filepath.Join(c.folder, fmt.Sprintf("%0300d", 7))
				return nil
			},
			"The file system rejects ", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newAudioCore(t, map[string]any{})
			err := test.prepare(c)
			if err != nil {
				t.Fatal(err)
			}
			plan := c.Plan()
			if plan.Says(test.says) != test.planned {
				t.Errorf("got %s, want it to say %q: %t", plan, test.says, test.planned)
			}
			shown := c.Apply()
			shown.Want(c, "create", nil, []string{`Unable to write audio of snapshot "new" of project "book"`})
			if !shown.Says(test.says) {
				t.Errorf("got %q, want it to say %q", shown.Errors, test.says)
			}
			c.wantRequests(0)
			left, _ := filepath.Glob(filepath.Join(c.folder, ".*"))
			if len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestAudioFileOfTheLongestName(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.file = filepath.Join(c.folder, fmt.Sprintf("%0255d", 7))
	c.Arguments["filename"] = c.file
	c.Apply().Want(c, "create", nil, nil)
	c.wantFolder(sound(t, "new", false))
}

// TestAHomeFolderIsNotExpanded: a folder with the name ~ would be created.
func TestAHomeFolderIsNotExpanded(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Arguments["filename"] = "~/book.wav"
	c.Plan().Want(c, "create", nil, []string{"use `pathexpand(\"~/…\")`"})
}
