package provider_test

import (
	"path/filepath"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// otherSpelling is another name of the file of c.
func otherSpelling(c *audioCore) string {
	return c.folder + "/../" + filepath.Base(c.folder) + "/book.wav"
}

// One apply destroys a resource, and another one has taken its file over in the same apply.
func TestProjectSnapshotAudio_keepsFileOfAnotherResource(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Arguments["overwrite"] = true
	c.Apply().Want(c, "create", nil, nil)
	old := c.Instance

	p := c.begin()
	shown := &fakecore.Screen{}
	c.Arguments["filename"] = otherSpelling(c)
	c.Object = nil
	c.Turn(p, shown).Apply(c.PlanChange(p, shown))
	gone := c.Turn(p, shown).Destroy(&old.Object, old.Object.Private)
	p.End()
	shown.Want(c, "create", nil, nil)
	if !gone {
		t.Error("the old resource is still there")
	}
	c.wantFolder(sound(t, "new", false))

	// The next apply is another process: the file is that of the resource that is left.
	_, gone = c.Destroy()
	if !gone {
		t.Error("the new resource is still there")
	}
	c.wantFolder(nil)
}
