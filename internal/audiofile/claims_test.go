package audiofile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

func TestClaimOfOneFileByTwoBlocks(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	err := errors.Join(os.Mkdir(filepath.Join(folder, "audio"), 0o700), os.Mkdir(filepath.Join(folder, "audio", "de"), 0o700),
		os.Symlink("audio", filepath.Join(folder, "link")), os.Symlink("audio/de", filepath.Join(folder, "below")))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		one, other string
		same       bool
	}{
		{"audio/book.wav", "audio/book.wav", true},
		{"audio/book.wav", "audio/../audio/./book.wav", true},
		{"audio/book.wav", "link/book.wav", true},
		{"audio/later/book.wav", "link/later/book.wav", true},
		{"audio/book.wav", "below/../book.wav", true}, // where the link leads to, not where it is
		{"book.wav", "below/../book.wav", false},
		{"audio/book.wav", "audio/other.wav", false},
		{"audio/book.wav", "audio/de/book.wav", false},
	} {
		claims := audiofile.NewClaims()
		one := audiofile.Claim{Source: "one", New: true}
		rival, claimed := claims.Claim(folder+"/"+test.one, one)
		if claimed {
			t.Errorf("%s: got rival %v at once", test.one, rival)
		}
		rival, claimed = claims.Claim(folder+"/"+test.other, audiofile.Claim{Source: "two"})
		if claimed != test.same || claimed && rival != one {
			t.Errorf("%s and %s: got rival %v, %t; want one: %t", test.one, test.other, rival, claimed, test.same)
		}
		same := audiofile.Same(folder+"/"+test.one, folder+"/"+test.other)
		if same != test.same {
			t.Errorf("%s and %s: got same %t", test.one, test.other, same)
		}
	}
}

// The same file stands in the working folder whether it is spelled from there or from the root.
func TestClaimOfARelativePath(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	if !audiofile.Same("audio/book.wav", filepath.Join(folder, "audio", "book.wav")) {
		t.Error("two files")
	}
}

func TestOccupied(t *testing.T) {
	t.Parallel()
	claims, target := audiofile.NewClaims(), filepath.Join(t.TempDir(), "book.wav")
	check := func(want bool, ours ...audiofile.Copy) {
		t.Helper()
		got := claims.Occupied(target, ours...)
		if got != want {
			t.Errorf("got %t, want %t", got, want)
		}
		file, err := claims.Create(target, audiofile.Terms{MaxSize: 100})
		if errors.Is(err, audiofile.ErrOccupied) != want && len(ours) == 0 {
			t.Errorf("Create: got %v", err)
		}
		if err == nil {
			file.Discard()
		}
	}
	check(false)
	left := write(t, claims, target, "the audio")
	check(true)
	check(false, left)
	check(true, audiofile.Copy{Filename: target + ".other", Content: left.Content})
	claims.Own(left)
	check(false)
	put(t, target, "mine")
	check(true)
	check(true, left)
	put(t, target, "the audio")
	check(false)
	claims.Disown(target)
	check(true)
}

// What an object leaves to the writer of another file gives it no right to a file that is there.
func TestBequeath(t *testing.T) {
	t.Parallel()
	claims, folder := audiofile.NewClaims(), t.TempDir()
	old, other := filepath.Join(folder, "old.wav"), filepath.Join(folder, "other.wav")
	left := write(t, audiofile.NewClaims(), old, "the audio")
	claims.Bequeath(other, left)
	check := func(want bool) {
		t.Helper()
		got, intact := claims.Left(other)
		if got != left || intact != want {
			t.Errorf("got %v, %t; want %v, %t", got, intact, left, want)
		}
	}
	check(true)
	put(t, other, "the audio")
	if !claims.Occupied(other) || !claims.Occupied(old) {
		t.Error("a file is not a stranger's")
	}
	put(t, old, "mine")
	check(false)
}

func TestWritten(t *testing.T) {
	t.Parallel()
	claims, target := audiofile.NewClaims(), filepath.Join(t.TempDir(), "book.wav")
	put(t, target, "theirs")
	if claims.Written(target) {
		t.Error("nobody has written it")
	}
	file := createOn(t, claims, target, audiofile.Terms{MaxSize: 100, Overwrite: true})
	receive(t, file, "the audio")
	if claims.Written(target) {
		t.Error("it is not whole")
	}
	_, err := file.Replace()
	file.Discard()
	if err != nil || !claims.Written(target) {
		t.Errorf("it has been written, %v", err)
	}
}

func TestUnwritable(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "book.wav")
	put(t, file, "the audio")
	for target, want := range map[string]bool{
		folder:                              true,
		file:                                false,
		filepath.Join(folder, "none.wav"):   false,
		filepath.Join(file, "no", "folder"): true, // in a file
	} {
		err := audiofile.Unwritable(target)
		if (err != nil) != want {
			t.Errorf("%s: got %v, want an error: %t", target, err, want)
		}
	}
}

// Somebody writes the target while the audio arrives.
func TestATargetThatAppearsMeanwhileStays(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{"nothing before": "", "something before": "the audio"} {
		for _, overwrite := range []bool{false, true} {
			folder := t.TempDir()
			target := filepath.Join(folder, "book.wav")
			claims := audiofile.NewClaims()
			if before != "" {
				claims.Own(write(t, claims, target, before))
			}
			late := createOn(t, claims, target, audiofile.Terms{MaxSize: 100, Overwrite: overwrite})
			receive(t, late, "late")
			put(t, target, "theirs")
			want := "theirs"
			if overwrite {
				want = "late"
			}
			_, err := late.Replace()
			if errors.Is(err, audiofile.ErrOccupied) == overwrite {
				t.Errorf("%s: got %v", name, err)
			}
			late.Discard()
			wantFolder(t, folder, map[string]string{"book.wav": want})
		}
	}
}

func TestAbandonedFiles(t *testing.T) {
	t.Parallel()
	claims, folder := audiofile.NewClaims(), t.TempDir()
	one, other := filepath.Join(folder, "one.wav"), filepath.Join(folder, "other.wav")
	claims.Claim(one, audiofile.Claim{Source: "heir", New: true})
	heir, claimed := claims.Abandon(audiofile.Copy{Filename: one})
	if !claimed || !heir.New {
		t.Errorf("got heir %v, %t", heir, claimed)
	}
	_, claimed = claims.Abandon(audiofile.Copy{Filename: other})
	if claimed || !claims.Abandoned(other) || claims.Abandoned(one) {
		t.Error("the file that nobody claims is the one that is abandoned")
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	claims, folder := audiofile.NewClaims(), t.TempDir()
	earlier := func(name string) audiofile.Copy {
		return write(t, audiofile.NewClaims(), filepath.Join(folder, name), "the audio")
	}
	check := func(left audiofile.Copy, want audiofile.State, stays bool) {
		t.Helper()
		found, err := claims.Remove(left)
		if found != want || err != nil {
			t.Errorf("%s: got %v, %v; want %v", left.Filename, found, err, want)
		}
		_, err = os.Lstat(left.Filename)
		if (err == nil) != stays {
			t.Errorf("%s: stays %t, want %t", left.Filename, err == nil, stays)
		}
	}

	ours := earlier("ours.wav")
	check(ours, audiofile.Intact, false)
	check(ours, audiofile.Missing, false)

	altered := earlier("altered.wav")
	put(t, altered.Filename, "something else")
	check(altered, audiofile.Altered, true)

	// Another block of the same configuration has written the same audio since.
	taken := earlier("taken.wav")
	write(t, claims, taken.Filename, "the audio")
	check(taken, audiofile.Missing, true)
}

// A file may have another name that no path tells: of another mount, or with letters composed otherwise. Here it is a
// link to the file.
func TestWhatABlockHasWrittenIsNotRemovedUnderAnotherName(t *testing.T) {
	t.Parallel()
	claims, folder := audiofile.NewClaims(), t.TempDir()
	target, other := filepath.Join(folder, "book.wav"), filepath.Join(folder, "other.wav")
	left := write(t, claims, target, "the audio")
	err := os.Link(target, other)
	if err != nil {
		t.Fatal(err)
	}
	left.Filename = other
	found, err := claims.Remove(left)
	if found != audiofile.Missing || err != nil {
		t.Errorf("got %v, %v; want that nothing is left to remove", found, err)
	}
	wantFolder(t, folder, map[string]string{"book.wav": "the audio", "other.wav": "the audio"})
}
