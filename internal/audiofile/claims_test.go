package audiofile_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

func TestClaimOfOneFileByTwoBlocks(t *testing.T) {
	t.Parallel()
	claims := audiofile.NewClaims()
	for _, claim := range []struct{ filename, source, rival string }{
		{"audio/book.wav", "one", ""},
		{"audio/book.wav", "one", ""},
		{"audio/other.wav", "two", ""},
		{"audio/../audio/./book.wav", "two", "one"},
		{"audio/book.wav", "one", ""},
	} {
		if rival := claims.Claim(claim.filename, claim.source); rival != claim.rival {
			t.Errorf("%s for %s: got rival %q, want %q", claim.filename, claim.source, rival, claim.rival)
		}
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	claims := audiofile.NewClaims()
	folder := t.TempDir()
	write := func(name, audio string) (string, audiofile.Content) {
		target := filepath.Join(folder, name)
		earlier := create(t, target)
		content := receive(t, earlier, audio)
		if _, err := earlier.Replace(); err != nil {
			t.Fatal(err)
		}
		return target, content
	}
	check := func(target string, content audiofile.Content, want audiofile.State, stays bool) {
		t.Helper()
		found, err := claims.Remove(target, content, time.Time{})
		if found != want || err != nil {
			t.Errorf("%s: got %v, %v; want %v", target, found, err, want)
		}
		if _, err := os.Lstat(target); (err == nil) != stays {
			t.Errorf("%s: stays %t, want %t", target, err == nil, stays)
		}
	}

	ours, content := write("ours.wav", "the audio")
	check(ours, content, audiofile.Intact, false)
	check(ours, content, audiofile.Missing, false)

	altered, content := write("altered.wav", "the audio")
	write("altered.wav", "something else")
	check(altered, content, audiofile.Altered, true)

	// Another block of the same configuration has written the same audio since.
	taken, content := write("taken.wav", "the audio")
	file, err := claims.Create(taken)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Discard()
	receive(t, file, "the audio")
	if _, err := file.Replace(); err != nil {
		t.Fatal(err)
	}
	check(taken, content, audiofile.Missing, true)
}
