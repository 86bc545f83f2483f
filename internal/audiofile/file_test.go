package audiofile_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

// folder is a folder with one file, book.wav, which has the content "old".
func folder(t *testing.T) (name, book string) {
	t.Helper()
	name = t.TempDir()
	book = filepath.Join(name, "book.wav")
	put(t, book, "old")
	return name, book
}

// ours is a target that may be replaced while it has the content.
func ours(filename, content string) audiofile.Target {
	sum := sha256.Sum256([]byte(content))
	written := audiofile.Content{Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
	return audiofile.Target{Filename: filename, Written: written, Permission: 0o640}
}

// create makes ready to write a file, and discards it at the end of the test.
func create(t *testing.T, files *audiofile.Files, target audiofile.Target) *audiofile.File {
	t.Helper()
	if err := new(audiofile.Files).Check(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	file, err := files.Create(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { discard(t, file) })
	return file
}

func receive(t *testing.T, file *audiofile.File, audio string) audiofile.Content {
	t.Helper()
	content, err := file.Receive(strings.NewReader(audio))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func discard(t *testing.T, file *audiofile.File) {
	t.Helper()
	if err := file.Discard(); err != nil {
		t.Error(err)
	}
}

// replace brings a file to its place, with the permission that it is to have.
func replace(t *testing.T, file *audiofile.File) error {
	t.Helper()
	replaced, err := file.Replace(t.Context())
	if replaced.PermissionRefused != nil || replaced.SyncRefused != nil {
		t.Errorf("refused: %v, %v", replaced.PermissionRefused, replaced.SyncRefused)
	}
	return err
}

// put writes a file as somebody else does.
func put(t *testing.T, target, content string) {
	t.Helper()
	if err := os.WriteFile(target, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantFolder checks that a folder holds these files, by name, and no other.
func wantFolder(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[entry.Name()] = string(content)
	}
	if !maps.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func TestFile_replacesTargetWhenComplete(t *testing.T) {
	t.Parallel()
	folder, book := folder(t)
	file := create(t, new(audiofile.Files), ours(book, "old"))
	broken := errors.New("the line is cut")
	_, err := file.Receive(io.MultiReader(strings.NewReader("longer than what comes then"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
	content := receive(t, file, "the audio")
	want := ours(book, "the audio").Written
	if content != want {
		t.Errorf("got %+v, want %+v", content, want)
	}

	parts, _ := filepath.Glob(filepath.Join(folder, ".*"))
	if len(parts) != 1 {
		t.Fatalf("the audio comes to %q, want one file beside the target", parts)
	}
	wantMode(t, parts[0], 0o600)
	wantFolder(t, folder, map[string]string{"book.wav": "old", filepath.Base(parts[0]): "the audio"})
	if err := replace(t, file); err != nil {
		t.Fatal(err)
	}
	discard(t, file)
	wantFolder(t, folder, map[string]string{"book.wav": "the audio"})
	wantMode(t, book, 0o640)
	for _, filename := range []string{book, filepath.Join(folder, "none")} {
		refused, err := new(audiofile.Files).SetPermission(filename, 0o400)
		if refused != nil || err != nil {
			t.Errorf("%s: got %v, %v", filename, refused, err)
		}
	}
	wantMode(t, book, 0o400)
}

func wantMode(t *testing.T, filename string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(filename)
	if err != nil {
		t.Fatal(err)
	}
	got := info.Mode().Perm()
	if got != want {
		t.Errorf("%s has mode %v, want %v", filename, got, want)
	}
}

// Somebody else's file is refused at once, or when the audio has come.
func TestFile_replacesForeignFileOnlyWithOverwrite(t *testing.T) {
	t.Parallel()
	folder, book := folder(t)
	late := create(t, new(audiofile.Files), ours(book, "old"))
	receive(t, late, "the audio")
	put(t, book, "mine")
	for name, target := range map[string]audiofile.Target{"altered": ours(book, "old"), "unknown": {Filename: book, Permission: 0o600}} {
		err := new(audiofile.Files).Check(t.Context(), target)
		_, failed := new(audiofile.Files).Create(t.Context(), target)
		if !errors.Is(err, audiofile.ErrForeignFile) || !errors.Is(failed, audiofile.ErrForeignFile) {
			t.Errorf("%s: got %v and %v, want %v", name, err, failed, audiofile.ErrForeignFile)
		}
	}
	_, err := late.Replace(t.Context())
	if !errors.Is(err, audiofile.ErrForeignFile) {
		t.Errorf("got %v, want %v", err, audiofile.ErrForeignFile)
	}
	discard(t, late)
	wantFolder(t, folder, map[string]string{"book.wav": "mine"})

	replacing := create(t, new(audiofile.Files), audiofile.Target{Filename: book, Overwrite: true, Permission: 0o600})
	receive(t, replacing, "the audio")
	if err := replace(t, replacing); err != nil {
		t.Error(err)
	}
	wantFolder(t, folder, map[string]string{"book.wav": "the audio"})
}

func TestFilesRemove_onlyWhatWasWritten(t *testing.T) {
	t.Parallel()
	folder, book := folder(t)
	link := filepath.Join(folder, "link")
	if err := os.Symlink(book, link); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(book)
	if err != nil {
		t.Fatal(err)
	}
	then, another := info.ModTime(), info.ModTime().Add(time.Millisecond)
	for _, test := range []struct {
		target   audiofile.Target
		modified time.Time
		want     audiofile.Left
	}{
		{ours(book, "other"), then, audiofile.Altered},
		{ours(book, "OLD"), another, audiofile.Altered},
		{ours(link, "old"), then, audiofile.Altered},
		{ours(folder, "old"), time.Time{}, audiofile.Altered},
		{ours(filepath.Join(folder, "none"), "old"), then, audiofile.NotLeft},
		{ours(book, "old"), another, audiofile.WrittenAgain},
		{ours(book, "old"), then, audiofile.NotLeft},
	} {
		left, err := new(audiofile.Files).Remove(t.Context(), test.target.Filename, test.target.Written, test.modified)
		if err != nil || left != test.want {
			t.Errorf("%s: got %v, %v, want %v", test.target.Filename, left, err, test.want)
		}
	}
	_, gone := os.Lstat(book)
	_, kept := os.Lstat(link)
	if !errors.Is(gone, fs.ErrNotExist) || kept != nil {
		t.Errorf("got %v and %v, want the file gone and the link kept", gone, kept)
	}
}

func TestTarget_cannotBeWritten(t *testing.T) {
	t.Parallel()
	folder, book := folder(t)
	link, long := filepath.Join(folder, "link"), filepath.Join(folder, strings.Repeat("x", 300))
	hidden := folder + "/missing/" + strings.Repeat("x", 300)
	missing := folder + "/missing/deeper/../../other/book.wav"
	loop := filepath.Join(folder, "loop")
	if err := errors.Join(os.Symlink("elsewhere", link), os.Symlink("loop", loop)); err != nil {
		t.Fatal(err)
	}
	const noFolder = ", which is not a folder but a file, a device or a link that leads to no folder"
	const irregular = ", which is not a regular file but a folder, a device or a link (for a link, name the file that it leads to)"
	for target, want := range map[string]string{
		folder:                 "The file would replace " + folder + irregular,
		link:                   "The file would replace " + link + irregular,
		book + "/book.wav":     "The file " + book + "/book.wav would be in " + book + noFolder,
		book + "/new/book.wav": "The file " + book + "/new/book.wav would be in " + book + noFolder,
		book + "/../book.wav":  "The file " + book + "/../book.wav would be in " + book + noFolder,
		link + "/new/book.wav": "The file " + link + "/new/book.wav would be in " + link + noFolder,
		loop + "/book.wav":     "The file " + loop + "/book.wav would be in " + loop + noFolder,
		hidden:                 "The file system rejects " + hidden + ": file name too long",
		hidden + "/book.wav":   "The file system rejects " + hidden + "/book.wav: file name too long",
		long:                   "The file system rejects " + long + ": file name too long",
		missing:                "The path " + missing + " leads into the folder " + folder + "/missing/deeper/, which does not exist, and out of it: leave both out",
	} {
		err := new(audiofile.Files).Check(t.Context(), audiofile.Target{Filename: target, Overwrite: true})
		_, failed := new(audiofile.Files).Create(t.Context(), audiofile.Target{Filename: target, Overwrite: true})
		if err == nil || failed == nil || err.Error() != want || failed.Error() != want {
			t.Errorf("%s: got %v\nand %v\nwant %s", target, err, failed, want)
		}
	}

	deep := filepath.Join(folder, "away", "deep", "book.wav")
	late := create(t, new(audiofile.Files), audiofile.Target{Filename: deep, Permission: 0o600})
	receive(t, late, "the audio")
	err := os.RemoveAll(filepath.Join(folder, "away"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = late.Replace(t.Context())
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "The file system rejects "+deep+": ") {
		t.Errorf("got %v, want an error about %s", err, deep)
	}
}

// A file of a tebibyte takes half an hour to read.
func TestContent_readsNoFileInVain(t *testing.T) {
	t.Parallel()
	_, book := folder(t)
	const size = 1 << 40
	if err := os.Truncate(book, size); err != nil { // The file has holes, and takes no place.
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		size int64
		want error
	}{"its size is another one": {size - 1, nil}, "nobody waits any more": {size, context.Canceled}} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		is, err := new(audiofile.Files).Has(ctx, book, audiofile.Content{Size: test.size, SHA256: ours("", "").Written.SHA256})
		if is || !errors.Is(err, test.want) {
			t.Errorf("%s: got %t, %v; want %v", name, is, err, test.want)
		}
	}
}

// Where a folder on the way is none, there is no file.
func TestContent_isInNoFileBelowWhatIsNoFolder(t *testing.T) {
	t.Parallel()
	folder, book := folder(t)
	loop, dangling := filepath.Join(folder, "loop"), filepath.Join(folder, "dangling")
	err := errors.Join(os.Symlink("loop", loop), os.Symlink("elsewhere", dangling))
	if err != nil {
		t.Fatal(err)
	}
	for _, filename := range []string{folder + "/none", folder + "/none/book.wav", book + "/book.wav", book + "/deep/book.wav", loop + "/book.wav", dangling + "/book.wav"} {
		_, err := new(audiofile.Files).Has(t.Context(), filename, ours("", "whatever").Written)
		left, removed := new(audiofile.Files).Remove(t.Context(), filename, ours("", "whatever").Written, time.Time{})
		refused := errors.Join(new(audiofile.Files).SetPermission(filename, 0o600))
		if !errors.Is(err, fs.ErrNotExist) || !new(audiofile.Files).Missing(filename) || left != audiofile.NotLeft || removed != nil || refused != nil {
			t.Errorf("%s: got %v, missing %t, %v, %v and %v", filename, err, new(audiofile.Files).Missing(filename), left, removed, refused)
		}
	}
	// A name that is too long says nothing of a file under a shorter one.
	if new(audiofile.Files).Missing(book) || new(audiofile.Files).Missing(dangling) || new(audiofile.Files).Missing(folder+"/"+strings.Repeat("x", 300)) {
		t.Error("a file, a link or what cannot be looked at is missing")
	}
}

// Behind a link, `..` is the folder above the one that the link leads to.
func TestTarget_pathResolvedAsTheSystemDoes(t *testing.T) {
	t.Parallel()
	folder, _ := folder(t)
	elsewhere := t.TempDir()
	err := errors.Join(os.Mkdir(filepath.Join(elsewhere, "inner"), 0o700), os.Symlink(filepath.Join(elsewhere, "inner"), filepath.Join(folder, "link")))
	if err != nil {
		t.Fatal(err)
	}
	file := create(t, new(audiofile.Files), audiofile.Target{Filename: folder + "/link/../new/book.wav", Permission: 0o600})
	receive(t, file, "the audio")
	if err := replace(t, file); err != nil {
		t.Fatal(err)
	}
	wantFolder(t, filepath.Join(elsewhere, "new"), map[string]string{"book.wav": "the audio"})
}
