//go:build unix

package audiofile_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

// partOf is a name that a part of the target may have.
func partOf(t *testing.T, target, end string) string {
	t.Helper()
	file := create(t, target)
	defer file.Discard()
	part := partIn(t, filepath.Dir(target))
	return part[:len(part)-4] + end
}

// Whoever may write to the folder knows what the names of parts begin with.
func TestWhatIsNoPartOfOursIsLeftAlone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	target, precious := filepath.Join(folder, "book.wav"), filepath.Join(t.TempDir(), "precious")
	put(t, precious, "precious")
	names := map[string]string{}
	for _, kind := range []string{"pipe", "link", "loop", "sock", "dirs"} {
		names[kind] = partOf(t, target, kind)
	}
	socket, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", names["sock"])
	if err == nil {
		defer socket.Close()
	} else {
		// Some systems have temporary folders with names that are too long for a socket.
		t.Log("without a socket: ", err)
		delete(names, "sock")
	}
	err = errors.Join(syscall.Mkfifo(names["pipe"], 0o600), os.Symlink(precious, names["link"]), os.Symlink(names["loop"], names["loop"]),
		os.Mkdir(names["dirs"], 0o700))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		write(t, audiofile.NewClaims(), target, "the audio")
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("it waits for somebody")
	}
	for kind, name := range names {
		_, err := os.Lstat(name)
		if err != nil {
			t.Errorf("the %s: %v", kind, err)
		}
	}
	whole, err := os.ReadFile(precious)
	if err != nil || string(whole) != "precious" {
		t.Errorf("what the link leads to: got %q, %v", whole, err)
	}
}

func TestAPipeInPlaceOfContentIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "book.wav")
	err := syscall.Mkfifo(name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	found, _, err := (audiofile.Copy{Filename: name}).Inspect()
	if found != audiofile.Altered || err != nil {
		t.Errorf("got %v, %v", found, err)
	}
	link := name + ".link"
	err = errors.Join(os.WriteFile(name+".theirs", nil, 0o600), os.Symlink(name+".theirs", link))
	if err != nil {
		t.Fatal(err)
	}
	for _, none := range []string{name, link} {
		err := audiofile.Permit(none, 0o600)
		if err == nil {
			t.Errorf("Permit of %s: got no error", none)
		}
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	// Nothing but a new file tells the umask.
	probe := filepath.Join(t.TempDir(), "probe")
	err := os.WriteFile(probe, nil, 0o777)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(probe)
	if err != nil {
		t.Fatal(err)
	}
	umask := 0o777 &^ info.Mode().Perm()
	mode := func(permission fs.FileMode) *fs.FileMode { return &permission }
	for name, test := range map[string]struct {
		before, permission *fs.FileMode
		want               fs.FileMode
	}{
		"new":                               {nil, nil, 0o666 &^ umask},
		"new, as given":                     {nil, mode(0o640), 0o640 &^ umask},
		"new, for nobody to write":          {nil, mode(0o444), 0o444 &^ umask},
		"written anew, private":             {mode(0o600), nil, 0o600},
		"written anew, open":                {mode(0o666), nil, 0o666},
		"written anew, for nobody to write": {mode(0o400), nil, 0o400},
		"written anew, as given":            {mode(0o600), mode(0o644), 0o644 &^ umask},
	} {
		folder := t.TempDir()
		target := filepath.Join(folder, "book.wav")
		if test.before != nil {
			put(t, target, "old")
			err := os.Chmod(target, *test.before)
			if err != nil {
				t.Fatal(err)
			}
		}
		terms := replacing
		terms.Permission = test.permission
		file := createOn(t, audiofile.NewClaims(), target, terms)
		receive(t, file, "the audio")
		private := fs.FileMode(0o600)
		if test.permission != nil {
			private &= *test.permission
		}
		part, err := os.Stat(partIn(t, folder))
		if err != nil || part.Mode().Perm() != private {
			t.Errorf("%s: the part has %v, %v", name, part.Mode(), err)
		}
		_, err = file.Replace()
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(target)
		if err != nil || info.Mode().Perm() != test.want {
			t.Errorf("%s: got %v, %v; want %v", name, info.Mode(), err, test.want)
		}
		file.Discard()

		err = audiofile.Permit(target, 0o464)
		if err != nil {
			t.Fatal(err)
		}
		wantFolder(t, folder, map[string]string{"book.wav": "the audio"})
		info, err = os.Stat(target)
		if err != nil || info.Mode().Perm() != 0o464&^umask {
			t.Errorf("%s: got %v, %v after Permit", name, info.Mode(), err)
		}
	}
}

// Who opens a file while others may read it goes on reading when they no longer may.
func TestNobodyElseMayOpenThePartAtAnyMoment(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var opened []*os.File
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for {
			parts, _ := filepath.Glob(filepath.Join(folder, ".audioprojects-*"))
			for _, part := range parts {
				info, err := os.Lstat(part)
				if err != nil || info.Mode().Perm()&0o077 == 0 {
					continue
				}
				file, err := os.Open(part)
				if err == nil {
					opened = append(opened, file)
				}
			}
			select {
			case <-done:
				return
			default:
			}
		}
	}()
	for range 300 {
		file := create(t, filepath.Join(folder, "book.wav"))
		receive(t, file, "the audio")
		file.Discard()
	}
	close(done)
	<-watched
	for _, file := range opened {
		audio, err := io.ReadAll(file)
		if err != nil || len(audio) > 0 {
			t.Errorf("somebody else has read %q, %v", audio, err)
		}
		file.Close()
	}
	t.Logf("%d empty files were opened", len(opened))
}

func TestTheOwnerIsKept(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root may give a file away")
	}
	target := filepath.Join(t.TempDir(), "book.wav")
	put(t, target, "old")
	err := errors.Join(os.Chmod(target, 0o640), os.Chown(target, 12345, 23456))
	if err != nil {
		t.Fatal(err)
	}
	write(t, audiofile.NewClaims(), target, "the audio")
	info, err := os.Stat(target)
	if err != nil {
		t.Fatal(err)
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	if !ok || is.Uid != 12345 || is.Gid != 23456 || info.Mode().Perm() != 0o640 {
		t.Errorf("got owner %d, group %d, mode %v", is.Uid, is.Gid, info.Mode())
	}
}
