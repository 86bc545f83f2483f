//go:build linux

package provider_test

import (
	"os"
	"path/filepath"
	"testing"
)

// stickyCases are the folders of a test, with the file book.wav in each. Root owns what nobody does not.
var stickyCases = []struct {
	folder                 string
	sticky                 bool
	nobodysFolder, nobodys bool
	refused                bool
}{
	{"foreign-file-in-sticky-folder", true, false, false, true},
	{"own-file-in-sticky-folder", true, false, true, false},
	{"foreign-file-in-own-sticky-folder", true, true, false, false},
	{"foreign-file-in-folder-of-all", false, false, false, false},
}

// In a folder such as /tmp, only the owner of a file or of the folder may replace the file. The plan says so, before anything is paid for
// that the audio waits for.
func TestProjectSnapshotAudio_refusesForeignFileInStickyFolder(t *testing.T) {
	if mustBecomeNobody() {
		t.Parallel()
		runAsNobody(t, makeStickyFolders(t, nobodysFolder(t)))
		return
	}
	folder, areForeign := os.TempDir(), true
	if os.Getenv(nobody) == "" { // This user cannot give files to others: nothing is refused.
		folder, areForeign = makeStickyFolders(t, t.TempDir()), false
	}
	for _, test := range stickyCases {
		t.Run(test.folder, func(t *testing.T) {
			c := newAudioCore(t, map[string]any{"overwrite": true})
			c.file = filepath.Join(folder, test.folder, "book.wav")
			c.Arguments["filename"] = c.file
			if !test.refused || !areForeign {
				c.Apply().Want(c, "create", nil, nil)
				c.wantFolder(sound(t, "new", false))
				return
			}
			c.Plan().Want(c, "create", nil, []string{"Unable to write audio of snapshot \"new\" of project \"book\"\n" +
				"The file system does not let this user replace " + c.file + ": "})
			c.wantFolder([]byte("old"))
			c.wantRequests(0)
		})
	}
}

// makeStickyFolders makes the folders of the cases in another one, which it returns.
func makeStickyFolders(t *testing.T, in string) string {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range stickyCases {
		folder := filepath.Join(in, test.folder)
		must(os.Mkdir(folder, 0o700))
		must(os.WriteFile(filepath.Join(folder, "book.wav"), []byte("old"), 0o600))
		must(os.Chmod(filepath.Join(folder, "book.wav"), 0o666))
		mode := os.FileMode(0o777)
		if test.sticky {
			mode |= os.ModeSticky
		}
		must(os.Chmod(folder, mode))
		if os.Geteuid() != 0 {
			continue
		}
		if test.nobodysFolder {
			must(os.Chown(folder, nobodysID, nobodysID))
		}
		if test.nobodys {
			must(os.Chown(filepath.Join(folder, "book.wav"), nobodysID, nobodysID))
		}
	}
	return in
}
