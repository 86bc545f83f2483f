package provider_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const fileAltered = `is no longer the audio of snapshot "new" of project "book". Applying writes it anew.`

func TestAudioIsWrittenAndDescribed(t *testing.T) {
	t.Parallel()
	for _, convertToMPEG := range []bool{false, true} {
		t.Run(fmt.Sprintf("convert_to_mpeg %t", convertToMPEG), func(t *testing.T) {
			t.Parallel()
			c := newAudioCore(t, map[string]any{"convert_to_mpeg": convertToMPEG})
			c.file = filepath.Join(c.folder, "a", "b c", "Hör.audio")
			c.Arguments["filename"] = c.file
			planned := fakecore.AttributesOf(c.Plan().Value)["id"]
			c.wantEqual("planned id", planned, tftypes.NewValue(tftypes.String, "book/new"))
			c.Apply().Want(c, "create", nil, nil)

			audio := sound(t, "new", convertToMPEG)
			got, err := os.ReadFile(c.file)
			if err != nil || !bytes.Equal(got, audio) {
				t.Errorf("the file has %d bytes, %v; want the %d of the audio", len(got), err, len(audio))
			}
			sha, md := sha256.Sum256(audio), md5.Sum(audio)
			mediaType := "audio/wav"
			if convertToMPEG {
				mediaType = "audio/mpeg"
			}
			for name, want := range map[string]any{
				"id": "book/new", "project_id": "book", "project_snapshot_id": "new", "convert_to_mpeg": convertToMPEG,
				"filename": c.file, "content_type": mediaType, "size": len(audio),
				"content_sha256": hex.EncodeToString(sha[:]), "content_base64sha256": base64.StdEncoding.EncodeToString(sha[:]),
				"content_md5": hex.EncodeToString(md[:]),
			} {
				got := fakecore.AttributesOf(c.Object.Value)[name]
				c.wantEqual(name, got, tftypes.NewValue(got.Type(), want))
			}
			if body, want := string(c.service.Journal()[0].Body), fmt.Sprintf(`{"convert_to_mpeg":%t}`, convertToMPEG); body != want {
				t.Errorf("asked with %s, want %s", body, want)
			}
			info, err := os.Stat(c.file)
			if err != nil || info.Mode().Perm()&0o444 == 0o400 {
				t.Errorf("got mode %v, %v: want one that the umask decides", info.Mode(), err)
			}
		})
	}
}

func TestAudioOfManyMegabytes(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{"project_snapshot_id": "longest"})
	c.service.Inject(mockserver.Fault{Truncate: 40 << 20})
	c.Apply().Want(c, "create", nil, nil)
	c.wantRequests(2)
	file, err := os.Open(c.file)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil || size != longest {
		t.Errorf("the file has %d bytes, %v; want %d", size, err, longest)
	}
	for name, want := range map[string]any{"size": longest, "content_sha256": hex.EncodeToString(sum.Sum(nil))} {
		got := fakecore.AttributesOf(c.Object.Value)[name]
		c.wantEqual(name, got, tftypes.NewValue(got.Type(), want))
	}
}

func TestAudioOfUnnamedType(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.service.Inject(mockserver.Fault{Status: 200, Header: map[string][]string{"Content-Type": nil}, Body: "\xff\xfb\x90\xc0\x00"})
	c.Apply().Want(c, "create", nil, nil)
	if got := fakecore.AttributesOf(c.Object.Value)["content_type"]; !got.IsNull() {
		t.Errorf("content_type: got %s, want null", got)
	}
}

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
	if err := os.Chtimes(c.file, modified, modified); err != nil {
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
			if err := os.Rename(c.file, c.file+".wav"); err != nil {
				c.Fatal(err)
			}
			if err := os.Symlink(c.file+".wav", c.file); err != nil {
				c.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newAudioCore(t, map[string]any{})
			c.Apply().Want(c, "create", nil, nil)
			alter(c)
			for range 2 {
				c.Plan().Want(c, "update", []string{fileAltered}, nil)
			}
			c.wantRequests(1)
			if name == "a link" {
				c.Apply().Want(c, "update", []string{fileAltered}, []string{"which is not a regular file: a folder, a device, or a link (name the file that it leads to)."})
				c.wantRequests(1)
				return
			}
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

// The old audio stays until the new is whole, whatever the lifecycle block says.
func TestOtherAudioIsWrittenInPlace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		changed map[string]any
		want    []byte
	}{
		"project_snapshot_id": {map[string]any{"project_snapshot_id": "old"}, sound(t, "old", false)},
		"convert_to_mpeg":     {map[string]any{"convert_to_mpeg": true}, sound(t, "new", true)},
		"unknown":             {map[string]any{"project_snapshot_id": tftypes.UnknownValue}, sound(t, "old", false)},
	} {
		for _, createBeforeDestroy := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, create_before_destroy %t", name, createBeforeDestroy), func(t *testing.T) {
				t.Parallel()
				c := newAudioCore(t, map[string]any{})
				c.CreateBeforeDestroy = createBeforeDestroy
				c.Apply().Want(c, "create", nil, nil)
				maps.Copy(c.Arguments, test.changed)
				c.service.Inject(mockserver.Fault{Status: 404})
				plan := c.Plan()
				if name == "unknown" { // until the apply
					c.Arguments["project_snapshot_id"] = "old"
				}
				c.ApplyPlan(plan).Want(c, "update", nil, []string{"404 Not Found"})
				c.wantFolder(sound(t, "new", false))
				c.Apply().Want(c, "update", nil, nil)
				c.wantRequests(3)
				c.wantFolder(test.want)
				c.Plan().Want(c, "no-op", nil, nil)
			})
		}
	}
}

// Somebody changes the file between the plan and the apply.
func TestOtherAudioDoesNotReplaceAStrangersFile(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	c.Arguments["project_snapshot_id"] = "old"
	plan := c.Plan()
	c.leave([]byte("mine"))
	c.ApplyPlan(plan).Want(c, "update", nil, []string{fileExists})
	c.wantFolder([]byte("mine"))
	c.wantRequests(1)
	c.Apply().Want(c, "update", []string{fileAltered}, nil)
	c.wantFolder(sound(t, "old", false))
}

func (c *audioCore) remove() {
	c.Helper()
	if err := os.Remove(c.file); err != nil {
		c.Fatal(err)
	}
}

// A run that looks for drift in a fresh checkout finds no file.
func TestAMissingFileMayBeNoChange(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{"when_missing": "keep"})
	c.Apply().Want(c, "create", nil, nil)
	c.remove()
	c.Apply().Want(c, "no-op", nil, nil)
	c.Arguments["file_permission"] = "0600"
	c.Apply().Want(c, "update", nil, nil)
	c.wantRequests(1)
	c.wantFolder(nil)

	c.Arguments["project_snapshot_id"] = "old"
	c.Apply().Want(c, "update", nil, nil)
	c.wantFolder(sound(t, "old", false))
	c.remove()
	c.Arguments["when_missing"] = "download"
	c.Apply().Want(c, "update", nil, nil)
	c.wantFolder(sound(t, "old", false))
	c.Must(os.RemoveAll(c.folder))
	c.Apply().Want(c, "create", nil, nil)
	c.wantFolder(sound(t, "old", false))
	c.wantRequests(4)
}

// A file is removed if it is still ours.
func TestAudioIsDestroyed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meanwhile func(*audioCore)
		warnings  []string
		left      []byte
	}{
		"ours":    {func(*audioCore) {}, nil, nil},
		"missing": {(*audioCore).remove, nil, nil},
		"altered": {
			func(c *audioCore) { c.leave([]byte("mine")) },
			[]string{"Audio file left in place\nThe file \"%s\" is no longer the audio of snapshot \"new\" of project \"book\", and stays."}, []byte("mine"),
		},
	} {
		c := newAudioCore(t, map[string]any{})
		c.Apply().Want(c, "create", nil, nil)
		test.meanwhile(c)
		shown, gone := c.Destroy()
		for i := range test.warnings {
			test.warnings[i] = fmt.Sprintf(test.warnings[i], c.file)
		}
		shown.Want(c, "destroy", test.warnings, nil)
		if !gone {
			t.Errorf("%s: the object is still there", name)
		}
		c.wantFolder(test.left)
	}
}

func TestAudioFileMoves(t *testing.T) {
	t.Parallel()
	for _, createBeforeDestroy := range []bool{false, true} {
		c := newAudioCore(t, map[string]any{})
		c.CreateBeforeDestroy = createBeforeDestroy
		c.Apply().Want(c, "create", nil, nil)
		c.file = filepath.Join(c.folder, "other.wav")
		c.Arguments["filename"] = c.file
		c.Apply().Want(c, "replace", nil, nil)
		c.wantFolder(sound(t, "new", false))
	}
}
