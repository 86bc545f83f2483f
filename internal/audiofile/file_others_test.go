package audiofile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

// Of many that write one new file at a time, one writes it, and the others hear of it.
func TestFile_secondOfOneTargetFindsTheFirst(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	book := filepath.Join(folder, "book.wav")
	var apply audiofile.Files
	var files []*audiofile.File
	for i := range 8 {
		files = append(files, create(t, &apply, audiofile.Target{Filename: book, Permission: 0o600}))
		receive(t, files[i], fmt.Sprint(i))
	}
	results := make(chan error, len(files))
	var all sync.WaitGroup
	for _, file := range files {
		all.Go(func() { results <- replace(t, file) })
	}
	all.Wait()
	close(results)
	written := 0
	for err := range results {
		switch {
		case err == nil:
			written++
		case !errors.Is(err, audiofile.ErrForeignFile):
			t.Error(err)
		}
	}
	if written != 1 {
		t.Errorf("%d have written the file, want 1", written)
	}
}

// Others make and remove files and folders at the same time. What has been looked at once is not asked again, as if it were still so.
func TestFile_othersChangeItBetweenTwoLooks(t *testing.T) {
	t.Parallel()
	const rounds = 200 // In each one, the change comes between two looks with a chance of some per cent.
	for name, test := range map[string]struct {
		before, change func(folder, book string) error
		look           func(book string) error
	}{
		"another download makes the folder": {
			func(string, string) error { return nil },
			func(folder, _ string) error { return os.Mkdir(folder, 0o700) },
			func(book string) error {
				return new(audiofile.Files).Check(t.Context(), audiofile.Target{Filename: book})
			},
		},
		"the file is removed, while it is compared": {
			func(folder, book string) error {
				return errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(book, nil, 0o600))
			},
			func(_, book string) error { return os.Remove(book) },
			func(book string) error { return new(audiofile.Files).Check(t.Context(), ours(book, "")) },
		},
		"the file comes, while its permission is set": {
			func(folder, _ string) error { return os.Mkdir(folder, 0o700) },
			func(_, book string) error { return os.WriteFile(book, nil, 0o640) },
			func(book string) error { return errors.Join(new(audiofile.Files).SetPermission(book, 0o600)) },
		},
		"another one removes the file": {
			func(folder, book string) error {
				return errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(book, nil, 0o600))
			},
			func(_, book string) error {
				_, err := new(audiofile.Files).Remove(t.Context(), book, ours(book, "").Written, time.Time{})
				return err
			},
			func(book string) error {
				_, err := new(audiofile.Files).Remove(t.Context(), book, ours(book, "").Written, time.Time{})
				return err
			},
		},
	} {
		t.Run(name, func(t *testing.T) { // not in parallel: the look and the change have a core each
			all := t.TempDir()
			for round := range rounds {
				folder := filepath.Join(all, fmt.Sprint(round))
				book := filepath.Join(folder, "book.wav")
				if err := test.before(folder, book); err != nil {
					t.Fatal(err)
				}
				changed := make(chan error, 1)
				go func() { changed <- test.change(folder, book) }()
				for len(changed) == 0 {
					if err := test.look(book); err != nil {
						t.Fatalf("round %d: %v", round, err)
					}
				}
				if err := <-changed; err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
			}
		})
	}
}
