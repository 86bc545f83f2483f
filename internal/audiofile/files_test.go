package audiofile_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

// save writes audio to a file, as an apply does.
func save(t *testing.T, files *audiofile.Files, filename, audio string) {
	t.Helper()
	file := create(t, files, audiofile.Target{Filename: filename, Overwrite: true, Permission: 0o600})
	receive(t, file, audio)
	if err := replace(t, file); err != nil {
		t.Fatal(err)
	}
}

// What an apply has written stays, whatever name the old resource has for it.
func TestFilesRemove_keepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	for spelling, of := range map[string]func(folder string) string{
		"the same":                 func(folder string) string { return folder + "/a.mp3" },
		"with a dot":               func(folder string) string { return folder + "/./a.mp3" },
		"with two separators":      func(folder string) string { return folder + "//a.mp3" },
		"through another folder":   func(folder string) string { return folder + "/sub/../a.mp3" },
		"through a linked folder":  func(folder string) string { return folder + "/link/a.mp3" },
		"through a link to below":  func(folder string) string { return folder + "/below/../a.mp3" },
		"through a link to a link": func(folder string) string { return folder + "/links/a.mp3" },
		"in capitals":              func(folder string) string { return folder + "/A.MP3" },
	} {
		for _, order := range []string{"the spelling is old", "the spelling is new"} {
			t.Run(spelling+", "+order, func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				err := errors.Join(os.Mkdir(folder+"/sub", 0o700), os.Symlink(folder, folder+"/link"),
					os.Symlink(folder+"/sub", folder+"/below"), os.Symlink("link", folder+"/links"))
				if err != nil {
					t.Fatal(err)
				}
				oldName, newName := of(folder), folder+"/a.mp3"
				if order == "the spelling is new" {
					oldName, newName = newName, oldName
				}
				var files audiofile.Files
				save(t, &files, newName, "the audio")
				left, err := files.Remove(t.Context(), oldName, ours("", "the audio").Written, time.Time{})
				if err != nil || left != audiofile.NotLeft {
					t.Errorf("got %v, %v", left, err)
				}
				wantContent(t, newName, "the audio")
			})
		}
	}
}

// Some disks keep only the seconds of a time. The time of a file tells it from the one that it has replaced all the same.
func TestFile_isWrittenLaterThanWhatItReplaces(t *testing.T) {
	t.Parallel()
	book := t.TempDir() + "/book.mp3"
	var last time.Time
	for range 5 {
		file := create(t, new(audiofile.Files), audiofile.Target{Filename: book, Overwrite: true, Permission: 0o600})
		receive(t, file, "the audio")
		replaced, err := file.Replace(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !replaced.Modified.Truncate(time.Second).After(last.Truncate(time.Second)) {
			t.Errorf("got %v after %v", replaced.Modified, last)
		}
		last = replaced.Modified
	}
}

func wantContent(t *testing.T, filename, want string) {
	t.Helper()
	got, err := os.ReadFile(filename)
	if err != nil || string(got) != want {
		t.Errorf("%s has %q, %v; want %q", filename, got, err, want)
	}
}

// A hard link is another name: what was written stays under its own.
func TestFilesRemove_removesAHardLink(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var files audiofile.Files
	save(t, &files, folder+"/a.mp3", "the audio")
	err := errors.Join(os.Mkdir(folder+"/sub", 0o700), os.Link(folder+"/a.mp3", folder+"/b.mp3"), os.Link(folder+"/a.mp3", folder+"/sub/a.mp3"))
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"/b.mp3", "/sub/a.mp3"} {
		left, err := files.Remove(t.Context(), folder+link, ours("", "the audio").Written, time.Time{})
		_, gone := os.Lstat(folder + link)
		if err != nil || left != audiofile.NotLeft || !os.IsNotExist(gone) {
			t.Errorf("%s: got %v, %v, and then %v; want it gone", link, left, err, gone)
		}
	}
	wantContent(t, folder+"/a.mp3", "the audio")
}

// What another apply has written is removed, and so is what this one has written and somebody has removed since.
func TestFilesRemove_removesWhatAnotherApplyWrote(t *testing.T) {
	t.Parallel()
	folder, book := folder(t)
	var files audiofile.Files
	save(t, &files, folder+"/other.wav", "old")
	if err := os.Remove(folder + "/other.wav"); err != nil {
		t.Fatal(err)
	}
	left, err := files.Remove(t.Context(), book, ours(book, "old").Written, time.Time{})
	if err != nil || left != audiofile.NotLeft {
		t.Errorf("got %v, %v", left, err)
	}
	wantFolder(t, folder, nil)
}
