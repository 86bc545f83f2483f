package audiofile_test

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

// replacing are terms that let the audio take any file's place.
var replacing = audiofile.Terms{Overwrite: true, MaxSize: 1 << 20}

// create makes ready to write a file, and discards it at the end of the test.
func create(t *testing.T, target string) *audiofile.File {
	t.Helper()
	return createOn(t, audiofile.NewClaims(), target, replacing)
}

func createOn(t *testing.T, claims *audiofile.Claims, target string, terms audiofile.Terms) *audiofile.File {
	t.Helper()
	file, err := claims.Create(target, terms)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(file.Discard)
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

// write writes a file as a block does.
func write(t *testing.T, claims *audiofile.Claims, target, audio string) audiofile.Copy {
	t.Helper()
	file := createOn(t, claims, target, replacing)
	content := receive(t, file, audio)
	_, err := file.Replace()
	if err != nil {
		t.Fatal(err)
	}
	return audiofile.Copy{Filename: target, Content: content}
}

// put writes a file as somebody else does.
func put(t *testing.T, target, content string) {
	t.Helper()
	err := os.WriteFile(target, []byte(content), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}

// partIn is the file beside the target in which its audio arrives.
func partIn(t *testing.T, folder string) string {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(folder, ".audioprojects-*"))
	if err != nil || len(parts) != 1 {
		t.Fatal(parts, err)
	}
	return parts[0]
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
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func TestTheTargetIsReplacedWhenAllOfTheAudioIsThere(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	target := filepath.Join(folder, "book.wav")
	put(t, target, "old")
	file := create(t, target)
	content := receive(t, file, "the audio")
	old, err := os.ReadFile(target)
	if err != nil || string(old) != "old" {
		t.Errorf("before Replace the target has %q, %v", old, err)
	}
	modified, err := file.Replace()
	if err != nil {
		t.Fatal(err)
	}
	file.Discard()
	wantFolder(t, folder, map[string]string{"book.wav": "the audio"})
	sha, md := sha256.Sum256([]byte("the audio")), md5.Sum([]byte("the audio"))
	want := (audiofile.Content{Size: 9, SHA256: hex.EncodeToString(sha[:]), MD5: hex.EncodeToString(md[:])})
	if !reflect.DeepEqual(content, want) {
		t.Errorf("got %+v, want %+v", content, want)
	}
	info, err := os.Stat(target)
	if err != nil || !info.ModTime().Equal(modified) {
		t.Errorf("the file was changed at %v, %v; Replace said %v", info.ModTime(), err, modified)
	}
}

func TestAudioThatIsReceivedAgainBeginsAnew(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := create(t, filepath.Join(folder, "book.wav"))
	broken := errors.New("the line is cut")
	_, err := file.Receive(io.MultiReader(strings.NewReader("longer than what comes then"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
	content := receive(t, file, "whole")
	_, err = file.Replace()
	if err != nil {
		t.Fatal(err)
	}
	wantFolder(t, folder, map[string]string{"book.wav": "whole"})
	sum := sha256.Sum256([]byte("whole"))
	if content.Size != 5 || content.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the content counts what broke off: %+v", content)
	}
}

func TestWhatAKilledWriterLeftIsRemoved(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	target := filepath.Join(folder, "book.wav")
	abandoned := create(t, target)
	receive(t, abandoned, "half of")
	left := partIn(t, folder)
	abandoned.Discard()
	// A file of that name that nobody has open is what a killed process leaves.
	put(t, left, "half of")
	put(t, filepath.Join(folder, ".audioprojects-of-another-target"), "half of")

	writing := create(t, target)
	receive(t, writing, "first")
	second := create(t, target)
	receive(t, second, "second")
	for _, file := range []*audiofile.File{writing, second} {
		_, err := file.Replace()
		if err != nil {
			t.Errorf("a file that was being written has been swept away: %v", err)
		}
		file.Discard()
	}
	wantFolder(t, folder, map[string]string{"book.wav": "second", ".audioprojects-of-another-target": "half of"})
}

// Each Create sweeps, and may sweep away what another process has created and not locked yet.
func TestManyCreateOneTargetAtATime(t *testing.T) {
	t.Parallel()
	target := filepath.Join(t.TempDir(), "book.wav")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				file, err := audiofile.NewClaims().Create(target, replacing)
				if err != nil {
					t.Error(err)
				} else {
					file.Discard()
				}
			}
		})
	}
	all.Wait()
}

// An endless audio takes no more room than it is allowed.
func TestAudioThatIsTooLarge(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	target := filepath.Join(folder, "book.wav")
	put(t, target, "old")
	for length, fits := range map[int]bool{99: true, 100: true, 101: false, 1000000: false} {
		terms := audiofile.Terms{Overwrite: true, MaxSize: 100}
		file := createOn(t, audiofile.NewClaims(), target, terms)
		_, err := file.Receive(strings.NewReader(strings.Repeat("x", length)))
		if errors.Is(err, audiofile.ErrTooLarge) == fits || fits && err != nil {
			t.Errorf("%d bytes: got %v", length, err)
		}
		info, err := os.Stat(partIn(t, folder))
		if err != nil || info.Size() > 101 {
			t.Errorf("%d bytes: %d have been written, %v", length, info.Size(), err)
		}
		file.Discard()
		wantFolder(t, folder, map[string]string{"book.wav": "old"})
	}
}

func TestErrorsNameTheTarget(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	link, file := filepath.Join(folder, "link"), filepath.Join(folder, "file")
	err := errors.Join(os.Symlink("elsewhere", link), os.WriteFile(file, nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		folder:                          "the file would replace " + folder + ", which is not a regular file but a folder, a device or a link (for a link, name the file that it leads to)",
		link:                            "the file would replace " + link + ", which is not a regular file but a folder, a device or a link (for a link, name the file that it leads to)",
		filepath.Join(file, "book.wav"): "the file system rejects " + filepath.Join(file, "book.wav"),
		filepath.Join(folder, strings.Repeat("x", 300)): "the file system rejects " + filepath.Join(folder, strings.Repeat("x", 300)),
	} {
		_, err := audiofile.NewClaims().Create(target, replacing)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", target, err, want)
		}
	}

	target := filepath.Join(folder, "away", "book.wav")
	late := create(t, target)
	receive(t, late, "the audio")
	err = os.RemoveAll(filepath.Dir(target))
	if err != nil {
		t.Fatal(err)
	}
	_, err = late.Replace()
	want := "the file system rejects " + target + ": "
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
