package provider_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const fileAltered = `is no longer the audio of snapshot "new" of project "book". Applying downloads the audio again.`

// rewrite puts other content in the file, of the same size and time unless said otherwise.
func (c *audioCore) rewrite(change func(content []byte) []byte, later time.Duration) {
	c.Helper()
	info, err := os.Stat(c.file)
	if err != nil {
		c.Fatal(err)
	}
	content, err := os.ReadFile(c.file)
	if err != nil {
		c.Fatal(err)
	}
	c.leave(change(content))
	modified := info.ModTime().Add(later)
	err = os.Chtimes(c.file, modified, modified)
	if err != nil {
		c.Fatal(err)
	}
}

func same(content []byte) []byte      { return content }
func longer(content []byte) []byte    { return append(content, 'x') }
func different(content []byte) []byte { return append([]byte{'x'}, content[1:]...) }

func TestAudioFileThatIsAlteredIsPlannedAgain(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(*audioCore){
		"longer, at the same time": func(c *audioCore) { c.rewrite(longer, 0) },
		"different, later":         func(c *audioCore) { c.rewrite(different, time.Second) },
		"different, earlier":       func(c *audioCore) { c.rewrite(different, -time.Nanosecond) },
		"a link": func(c *audioCore) {
			err := os.Rename(c.file, c.file+".wav")
			if err != nil {
				c.Fatal(err)
			}
			err = os.Symlink(c.file+".wav", c.file)
			if err != nil {
				c.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newAudioCore(t, map[string]any{})
			c.Apply().Want(c, "create", nil, nil)
			alter(c)
			if name == "a link" {
				c.Plan().Want(c, "", []string{fileAltered}, []string{"which is not a regular file but a folder, a device or a link (for a link, name the file that it leads to)."})
				c.wantRequests(1)
				return
			}
			for range 2 {
				c.Plan().Want(c, "update", []string{fileAltered}, nil)
			}
			c.wantRequests(1)
			c.Apply().Want(c, "update", []string{fileAltered}, nil)
			c.wantRequests(2)
			c.wantFolder(sound(t, "new", false))
			c.Plan().Want(c, "no-op", nil, nil)
		})
	}
}

func TestAudioFileThatIsRestoredIsLeftAlone(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	c.rewrite(longer, time.Second)
	c.Plan().Want(c, "update", []string{fileAltered}, nil)
	c.leave(sound(t, "new", false))
	c.Plan().Want(c, "no-op", nil, nil)
	c.wantRequests(1)
}

func TestAlteredAudioFileStaysWhileItsAudioDoesNotArrive(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	c.rewrite(longer, time.Second)
	c.service.Inject(mockserver.Fault{Status: 404})
	c.Apply().Want(c, "update", []string{fileAltered}, []string{"404 Not Found"})
	c.wantFolder(longer(sound(t, "new", false)))
	c.Apply().Want(c, "update", []string{fileAltered}, nil)
	c.wantFolder(sound(t, "new", false))
}

// What has the size and time it was left with is not read: content that could not pass shows it.
func TestAudioFileOfTheSameSizeAndTimeIsNotRead(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	c.rewrite(same, time.Hour)
	c.Apply().Want(c, "no-op", nil, nil) // reads it, and remembers the time
	c.rewrite(different, 0)
	c.Plan().Want(c, "no-op", nil, nil)
	c.wantRequests(1)
}

// A file that is no longer the audio stays when the object is destroyed, and the person hears of it.
func TestAlteredAudioFileIsLeftInPlace(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	c.leave([]byte("mine"))
	shown, gone := c.Destroy()
	shown.Want(c, "destroy", []string{
		fmt.Sprintf("Audio file left in place\nThe file %q is no longer the audio of snapshot \"new\" of project \"book\", so the provider leaves it in place.", c.file),
	}, nil)
	if !gone {
		t.Error("the object is still there")
	}
	c.wantFolder([]byte("mine"))
}
