package audiofile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// foldingBelow is how a file system that ignores case looks below a folder whose names are all small.
func foldingBelow(folder string) func(string) (fs.FileInfo, error) {
	return func(name string) (fs.FileInfo, error) {
		if rest, below := strings.CutPrefix(name, folder); below {
			name = folder + strings.ToLower(rest)
		}
		return os.Lstat(name)
	}
}

func TestPlacesThatDifferInCaseAlone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"audio", "empty", "12"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "audio", "there.wav"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, names := range [][2]string{
		{"audio/there.wav", "audio/There.wav"},
		{"audio/there.wav", "AUDIO/there.wav"},
		{"audio/there.wav", "Audio/THERE.WAV"},
		{"audio/later.wav", "audio/Later.wav"},
		{"audio/later/book.wav", "audio/Later/Book.wav"},
		{"empty/later.wav", "empty/Later.wav"},
		{"12/later.wav", "12/Later.wav"},
		{"12/34/later.wav", "12/34/Later.wav"},
		{"later/book.wav", "Later/book.wav"},
	} {
		one, other := filepath.Join(folder, names[0]), filepath.Join(folder, names[1])
		if !sameButCase(one, other, foldingBelow(folder)) {
			t.Errorf("%q: got two, where case is ignored", names)
		}
		if sameButCase(one, other, os.Lstat) && !ignoresCase(folder+separator, os.Lstat) {
			t.Errorf("%q: got one, where case counts", names)
		}
	}
}

func TestTwoFilesThatDifferInCaseAlone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	one, other := filepath.Join(folder, "book.wav"), filepath.Join(folder, "Book.wav")
	for _, name := range []string{one, other} {
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	if ignored := string(whole) != one; sameButCase(one, other, os.Lstat) != ignored {
		t.Errorf("the file system ignores case: %t", ignored)
	}
}
