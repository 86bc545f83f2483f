package provider_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// otherSpellings are other names of the file of c, from the name of its folder.
func otherSpellings(c *audioCore) map[string]string {
	linked := filepath.Join(c.TempDir(), "linked")
	c.Must(os.Symlink(c.folder, linked))
	return map[string]string{
		"the same name": c.file,
		"with a dot":    c.folder + "/./book.wav",
		"with `..`":     c.folder + "/../" + filepath.Base(c.folder) + "/book.wav",
		"linked folder": linked + "/book.wav",
	}
}

// The new resource writes the file first. Its audio is the same, so that the checksum does not tell them apart.
func TestProjectSnapshotAudio_keepsFileOfWhatIsCreatedFirst(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{"overwrite": true})
	c.CreateBeforeDestroy = true
	spellings := otherSpellings(c)
	for name, spelling := range spellings {
		c.Arguments["filename"] = c.file
		c.Replaced = c.Object != nil
		c.Apply()
		c.Arguments["filename"] = spelling
		c.Replaced = true
		c.Apply().Want(c, "replace", nil, nil)
		if c.Deposed != nil {
			t.Errorf("%s: the old resource is still there", name)
		}
		c.wantFolder(sound(t, "new", false))
	}
	c.wantRequests(2 * len(spellings))
}

// The usual order: the old file is removed, and then the new one written.
func TestProjectSnapshotAudio_renamesFileToAnotherSpelling(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	for _, spelling := range otherSpellings(c) {
		c.Arguments["filename"] = spelling
		c.Replaced = true
		c.Apply().Want(c, "replace", nil, nil)
		c.wantFolder(sound(t, "new", false))
	}
}

// One apply destroys a resource, and another one has taken its file over in the same apply.
func TestProjectSnapshotAudio_keepsFileOfAnotherResource(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	for name, spelling := range otherSpellings(c) {
		c.Arguments["filename"], c.Arguments["overwrite"] = c.file, true
		c.Object = nil
		c.Apply().Want(c, "create", nil, nil)
		old := c.Instance

		p := c.begin()
		shown := &fakecore.Screen{}
		c.Arguments["filename"] = spelling
		c.Object = nil
		c.Turn(p, shown).Apply(c.PlanChange(p, shown))
		gone := c.Turn(p, shown).Destroy(&old.Object, old.Object.Private)
		p.End()
		shown.Want(c, "create", nil, nil)
		if !gone {
			t.Errorf("%s: the old resource is still there", name)
		}
		c.wantFolder(sound(t, "new", false))

		// The next apply is another process: the file is that of the resource that is left.
		_, gone = c.Destroy()
		if !gone {
			t.Errorf("%s: the new resource is still there", name)
		}
		c.wantFolder(nil)
	}
}
