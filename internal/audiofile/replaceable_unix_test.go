//go:build unix && !linux

package audiofile

import (
	"io/fs"
	"testing"
)

func TestMayReplace_keepsForeignFilesInStickyFolders(t *testing.T) {
	t.Parallel()
	const root, user, other, third = 0, 501, 502, 503
	const open, sticky = fs.ModeDir | 0o777, fs.ModeDir | fs.ModeSticky | 0o777
	for _, test := range []struct {
		name             string
		user             int
		folder           fs.FileMode
		ofFolder, ofFile int
		want             bool
	}{
		{"a folder of all", user, open, root, other, true},
		{"a file of another user", user, sticky, root, other, false},
		{"a file of the folder's owner", user, sticky, other, other, false},
		{"all of different users", user, sticky, third, other, false},
		{"the user's file", user, sticky, root, user, true},
		{"the user's folder", user, sticky, user, other, true},
		{"root", root, sticky, third, other, true},
	} {
		got := mayReplace(test.user, test.folder, test.ofFolder, test.ofFile)
		if got != test.want {
			t.Errorf("%s: got %t, want %t", test.name, got, test.want)
		}
	}
}
