package provider_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// The new file is written first, and then something that depends on it fails. The next apply destroys the old object.
func TestAccProjectSnapshotAudioResource_deposed(t *testing.T) {
	service := acctest.NewService(t, recordings)
	file, other := bookFile(t), bookFile(t)
	config := func(reason, dependent string) string {
		const replaced = `
  overwrite = true
  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.reason]
  }
`
		return projectSnapshotAudioConfig(file, "new", replaced) + fmt.Sprintf(`
resource "terraform_data" "reason" {
  input = %q
}

resource "audioprojects_project_snapshot_audio" "dependent" {
  project_id          = "book"
  project_snapshot_id = %q
  filename            = %q
  depends_on          = [audioprojects_project_snapshot_audio.book]
}
`, reason, dependent, other)
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{Config: config("a", "old")},
			{Config: config("b", "no-such-snapshot"), ExpectError: regexp.MustCompile("404 Not Found")},
			{Config: config("b", "old"), PostApplyFunc: func() { wantFile(t, file, sound(t, "new", false)) }},
		},
	})
	wantFile(t, file, nil)
}

// A later apply destroys an old object: its replacement was created first, and then something that depends on it failed. The audio is the
// same, so that the checksum does not tell the two apart.
func TestProjectSnapshotAudio_keepsFileOfWhatReplacedIt(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{"overwrite": true})
	c.Apply().Want(c, "create", nil, nil)
	old := *c.Object
	c.Object = nil
	c.Apply().Want(c, "create", nil, nil)
	current := c.Object

	c.Object = &old
	p := c.Start()
	shown := &fakecore.Screen{}
	c.Refresh(p, shown) // Terraform refreshes what it is going to destroy, too.
	p.End()
	shown, gone := c.Destroy()
	shown.Want(c, "destroy", []string{c.leftInPlace()}, nil)
	c.wantFolder(sound(t, "new", false))
	if !gone {
		t.Error("the old object is still there")
	}

	c.Object = current
	shown, _ = c.Destroy()
	shown.Want(c, "destroy", nil, nil)
	c.wantFolder(nil)
}

// What an object has written is its own, whatever has been done to it since, but not to its content.
func TestProjectSnapshotAudio_destroysItsFile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(c *audioCore)
		stays  bool
	}{
		"its permission has changed": {func(c *audioCore) {
			c.Arguments["file_permission"] = "0600"
			c.Apply().Want(c, "update", nil, nil)
		}, false},
		"it was written anew": {func(c *audioCore) {
			c.Arguments["project_snapshot_id"] = "old"
			c.Apply().Want(c, "update", nil, nil)
			c.Arguments["file_permission"] = "0600"
			c.Apply().Want(c, "update", nil, nil)
		}, false},
		"the time lost its fractions": {func(c *audioCore) {
			info, err := os.Stat(c.file)
			c.Must(err)
			c.touch(info.ModTime().Truncate(time.Second))
		}, false},
		"nobody has recorded the time": {func(c *audioCore) {
			c.Object.Private = nil
			c.touch(time.Unix(1e9, 0))
		}, false},
		"it was restored from a cache": {func(c *audioCore) { c.touch(time.Unix(1e9, 0)) }, true},
		"it was restored, and refreshed": {func(c *audioCore) {
			c.touch(time.Unix(1e9, 0))
			c.Apply().Want(c, "no-op", nil, nil)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newAudioCore(t, map[string]any{})
			c.Apply().Want(c, "create", nil, nil)
			c.untilLater()
			test.change(c)
			var warnings []string
			content, err := os.ReadFile(c.file)
			c.Must(err)
			if test.stays {
				warnings = []string{c.leftInPlace()}
			} else {
				content = nil
			}
			shown, gone := c.Destroy()
			shown.Want(c, "destroy", warnings, nil)
			c.wantFolder(content)
			if !gone {
				t.Error("the object is still there")
			}
		})
	}
}

// A file that was restored from a cache is the resource's own for its replacement.
func TestProjectSnapshotAudio_replacesRestoredFile(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	for _, spelling := range []string{c.file, otherSpelling(c), c.file} {
		c.touch(time.Unix(1e9, 0))
		c.Arguments["filename"] = spelling
		c.Replaced = true
		c.Apply().Want(c, "replace", nil, nil)
		c.wantFolder(sound(t, "new", false))
	}

	// Under another name, the old file stays.
	restored := c.file
	c.touch(time.Unix(1e9, 0))
	c.Arguments["filename"] = c.TempDir() + "/book.wav"
	c.Apply().Want(c, "replace", []string{c.leftInPlace()}, nil)
	c.file = restored
	c.wantFolder(sound(t, "new", false))
}

// What somebody writes after the plan stays, and no advice is given on destroying.
func TestProjectSnapshotAudio_keepsWhatIsWrittenAfterThePlan(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	c.Replaced = true
	plan := c.Plan()
	c.leave([]byte("mine"))
	c.ApplyPlan(plan).Want(c, "replace", []string{fmt.Sprintf("Audio file left in place\nThe file %q is no longer the audio of snapshot \"new\" "+
		"of project \"book\", so the provider leaves it in place.", c.file)}, []string{"set `overwrite = true`.\n\nNothing was written to"})
	c.wantFolder([]byte("mine"))
}

// touch gives the file another time of modification.
func (c *audioCore) touch(modified time.Time) {
	c.Helper()
	c.Must(os.Chtimes(c.file, time.Time{}, modified))
}

// untilLater waits until the clock of the file system, whose ticks may be coarse, is later than when the file was written.
func (c *audioCore) untilLater() {
	c.Helper()
	written, err := os.Stat(c.file)
	c.Must(err)
	probe := c.TempDir() + "/probe"
	for {
		c.Must(os.WriteFile(probe, []byte("now"), 0o600))
		now, err := os.Stat(probe)
		c.Must(err)
		if now.ModTime().After(written.ModTime()) {
			return
		}
	}
}

func (c *audioCore) leftInPlace() string {
	return fmt.Sprintf("Audio file left in place\nSomebody has written the file %q again since this resource wrote the audio of snapshot "+
		"\"new\" of project \"book\" to it, so the provider leaves it in place.", c.file)
}
