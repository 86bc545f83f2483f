//go:build unix

package provider_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// limited tells a process that TestAudioThatTheDiskHasNoRoomFor may take room away from it.
const limited = "AUDIOPROJECTS_TEST_LIMITED"

// writeForever names a folder in which TestAudioIsReplacedAgainAndAgain goes on until its process is killed.
const writeForever = "AUDIOPROJECTS_TEST_WRITE_FOREVER"

func TestAudioIsReplacedAgainAndAgain(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{"overwrite": true})
	folder, forever := os.LookupEnv(writeForever)
	if forever {
		c.file = filepath.Join(folder, "book.wav")
		c.Arguments["filename"] = c.file
	}
	for round := 0; forever || round < 6; round++ {
		if forever {
			fmt.Println("round", round)
		}
		snapshot := []string{"long", "longer"}[round%2]
		c.Arguments["project_snapshot_id"] = snapshot
		if shown := c.Apply(); len(shown.Warnings)+len(shown.Errors) > 0 {
			t.Fatalf("got warnings %q and errors %q", shown.Warnings, shown.Errors)
		}
		if !forever {
			c.wantFolder(sound(t, snapshot, false))
		}
	}
}

// TestAudioKilled kills processes that write a file again and again, at any moment.
func TestAudioKilled(t *testing.T) {
	t.Parallel()
	const folders, kills = 4, 25
	long, longer := sound(t, "long", false), sound(t, "longer", false)
	random := rand.New(rand.NewPCG(8, 9))
	for range folders {
		var moments []time.Duration
		for range kills {
			moments = append(moments, time.Duration(random.IntN(100_000))*time.Microsecond)
		}
		t.Run(fmt.Sprint(moments), func(t *testing.T) {
			t.Parallel()
			c := newAudioCore(t, map[string]any{"project_snapshot_id": "long", "overwrite": true})
			c.leave(long)
			torn := 0
			for _, moment := range moments {
				writeAndKill(t, c.folder, moment)
				left, err := filepath.Glob(filepath.Join(c.folder, ".audioprojects-*"))
				if err != nil {
					t.Fatal(err)
				}
				if len(left) > 1 {
					t.Errorf("%d killed writes have left a file, want what the last has left at most", len(left))
				}
				torn += len(left)
				whole, err := os.ReadFile(c.file)
				if err != nil || string(whole) != string(long) && string(whole) != string(longer) {
					t.Errorf("killed after %s: the file is torn: %d bytes, %v", moment, len(whole), err)
				}
			}
			if torn == 0 {
				t.Error("no kill has come while the audio was on its way")
			}
			c.Apply().Want(c, "create", nil, nil)
			c.wantFolder(long)
		})
	}
}

// writeAndKill kills a process that writes the file in the folder, some time after its first round.
func writeAndKill(t *testing.T, folder string, after time.Duration) {
	t.Helper()
	writer := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAudioIsReplacedAgainAndAgain$")
	writer.Env = []string{writeForever + "=" + folder, "TMPDIR=" + t.TempDir()}
	output, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	rounds := bufio.NewScanner(output)
	for round := range 2 {
		if !rounds.Scan() {
			t.Errorf("the writer does not get to round %d", round)
		}
	}
	<-time.After(after)
	if err := writer.Process.Kill(); err != nil {
		t.Error(err)
	}
	// It has been killed, and that is all that is to be said of it.
	_ = writer.Wait()
}

// A limit on the size of files, which is a process's own, fails a write as a full disk does.
func TestAudioThatTheDiskHasNoRoomFor(t *testing.T) {
	if os.Getenv(limited) == "" {
		t.Parallel()
		alone := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAudioThatTheDiskHasNoRoomFor$")
		alone.Env = []string{limited + "=true", "TMPDIR=" + t.TempDir()}
		if output, err := alone.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 50000, Max: 50000}); err != nil {
		t.Fatal(err)
	}
	c := newAudioCore(t, map[string]any{"overwrite": true})
	c.leave([]byte("old"))
	shown := c.Apply()
	shown.Want(c, "create", nil, []string{`Unable to write audio of snapshot "new" of project "book"`})
	if !shown.Says("The file system refuses " + c.file + ": file too large.") {
		t.Errorf("got %q", shown.Errors)
	}
	c.wantRequests(1)
	c.wantFolder([]byte("old"))
}
