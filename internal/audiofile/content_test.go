package audiofile_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

func TestInspect(t *testing.T) {
	t.Parallel()
	const audio = "the audio"
	sum := sha256.Sum256([]byte(audio))
	content := audiofile.Content{Size: int64(len(audio)), SHA256: hex.EncodeToString(sum[:])}
	left := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	touched := func(bytes string, modified time.Time) func(string) error {
		return func(name string) error {
			err := os.WriteFile(name, []byte(bytes), 0o600)
			if err != nil {
				return err
			}
			return os.Chtimes(name, modified, modified)
		}
	}
	for name, test := range map[string]struct {
		prepare  func(filename string) error
		want     audiofile.State
		modified time.Time
	}{
		"as it was left":                  {touched(audio, left), audiofile.Intact, left},
		"touched":                         {touched(audio, left.Add(time.Hour)), audiofile.Intact, left.Add(time.Hour)},
		"of another size":                 {touched(audio+"!", left), audiofile.Altered, left},
		"of other bytes":                  {touched("THE AUDIO", left.Add(time.Hour)), audiofile.Altered, left},
		"of other bytes at the same time": {touched("THE AUDIO", left), audiofile.Intact, left}, // It is not read.
		"gone":                            {func(string) error { return nil }, audiofile.Missing, left},
		"a link to a file":                {func(name string) error { return os.Symlink(os.Args[0], name) }, audiofile.Altered, left},
		"a folder":                        {func(name string) error { return os.Mkdir(name, 0o700) }, audiofile.Altered, left},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			filename := filepath.Join(t.TempDir(), "book.wav")
			err := test.prepare(filename)
			if err != nil {
				t.Fatal(err)
			}
			found, modified, err := audiofile.Copy{Filename: filename, Content: content, Modified: left}.Inspect()
			if found != test.want || !modified.Equal(test.modified) || err != nil {
				t.Errorf("got %v, %v, %v; want %v, %v", found, modified, err, test.want, test.modified)
			}
		})
	}
}

func TestInspectOfWhatCannotBeReached(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, "")
	_, _, err := audiofile.Copy{Filename: filepath.Join(file, "book.wav")}.Inspect()
	if err == nil || !strings.Contains(err.Error(), "book.wav") {
		t.Errorf("got %v, want an error that names the file", err)
	}
}
