package audiofile_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

// A scanner opens the target, and lets nobody replace it until it has read it.
func TestAScannerLocksTheTargetForAMoment(t *testing.T) {
	t.Parallel()
	for seconds, replaced := range map[time.Duration]bool{1: true, 10: false} {
		synctest.Test(t, func(t *testing.T) {
			target := filepath.Join(t.TempDir(), "book.wav")
			write(t, audiofile.NewClaims(), target, "old")
			name, err := syscall.UTF16PtrFromString(target)
			if err != nil {
				t.Fatal(err)
			}
			scanner, err := syscall.CreateFile(name, syscall.GENERIC_READ, syscall.FILE_SHARE_READ, nil, syscall.OPEN_EXISTING, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(seconds*time.Second, func() { _ = syscall.CloseHandle(scanner) })
			file := create(t, target)
			receive(t, file, "new")
			_, problem := file.Replace()
			if (problem == nil) != replaced {
				t.Errorf("locked for %d s: got %v", seconds, problem)
			}
			time.Sleep(10 * time.Second)
		})
	}
}
