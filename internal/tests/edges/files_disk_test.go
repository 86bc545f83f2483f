package edges_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

// filesErrnos are what a step is refused with.
var filesErrnos = []syscall.Errno{
	syscall.EACCES, syscall.EPERM, syscall.EINVAL, syscall.ENOTSUP, syscall.ENOSYS,
	syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.EMFILE,
}

// filesNotAble are those of a disk that does not do something at all, as some mounted ones do not; the others may succeed
// another time.
var filesNotAble = []syscall.Errno{syscall.EACCES, syscall.EPERM, syscall.EINVAL, syscall.ENOTSUP, syscall.ENOSYS}

// filesStep is one step that the provider takes at a disk.
type filesStep struct {
	phase     string   // what the provider does meanwhile: refresh, plan, create, update or destroy
	operation string   // such as "rename"
	path      string   // from the folder of the play on
	place     string   // of a write: "first", "middle" or "last"
	number    int      // the how-manieth such step it is
	placed    bool     // whether the audio has taken the place of the file in this phase
	functions []string // of the provider that take it, the innermost first
}

func (s filesStep) String() string {
	text := fmt.Sprintf("%s: %s %s", s.phase, s.operation, s.path)
	if s.place != "" {
		text += ", " + s.place
	}
	if s.number > 1 {
		text += fmt.Sprintf(" (%d)", s.number)
	}
	return text
}

// on is what the step is about: the file, the part beside it that becomes the file, or a folder.
func (s filesStep) on() string {
	switch filepath.Base(s.path) {
	case filesBase:
		return "file"
	case filesPart:
		return "part"
	default:
		return "folder"
	}
}

// within says whether a function of the provider takes the step.
func (s filesStep) within(function string) bool { return slices.Contains(s.functions, function) }

// filesFunctions are the functions of the provider that are being called, the innermost first.
func filesFunctions() (functions []string) {
	callers := make([]uintptr, 60)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		found := filesFunction.FindStringSubmatch(frame.Function)
		if found != nil {
			functions = append(functions, found[1])
		}
		if !more {
			return functions
		}
	}
}

var filesFunction = regexp.MustCompile(`/internal/(?:audiofile|provider)\.(?:\([^)]*\)\.)?(\w+)`)

// filesChange is what happens to one step: it is refused, alone or with all that come after it, or the process is killed
// before or after it.
type filesChange struct {
	step    string
	with    syscall.Errno // 0 for a kill
	forGood bool          // whether each step after it is refused, too
	killed  string        // "before" or "after"
}

func (c filesChange) String() string {
	if c.with == 0 {
		return c.step + ", killed " + c.killed
	}
	if c.forGood {
		return fmt.Sprintf("%s, %s from then on", c.step, filesErrnoNames[c.with])
	}
	return fmt.Sprintf("%s, %s", c.step, filesErrnoNames[c.with])
}

var filesErrnoNames = map[syscall.Errno]string{
	syscall.EACCES: "EACCES", syscall.EPERM: "EPERM", syscall.EINVAL: "EINVAL", syscall.ENOTSUP: "ENOTSUP", syscall.ENOSYS: "ENOSYS",
	syscall.ENOSPC: "ENOSPC", syscall.EDQUOT: "EDQUOT", syscall.EROFS: "EROFS", syscall.EIO: "EIO", syscall.EMFILE: "EMFILE",
}

// errFilesKilled answers whatever a process does after it was killed.
var errFilesKilled = errors.New("the process was killed")

// filesDisk is a disk that records the steps of a process, and changes one of them. It has each method of the interface
// itself, so that a new one must be written here, too.
type filesDisk struct {
	system  audiofile.System
	root    string // the folder of the play
	size    int    // of the audio that is written, in bytes
	phase   string
	change  filesChange
	without map[string]syscall.Errno // operations that this disk never allows

	steps  []filesStep
	met    bool // whether the step that changes has come
	killed bool
	placed bool
	open   int // how many files are open
}

// filesPart is the name of each part in the name of a step: the real one has a random number.
const filesPart = ".audioprojects-*"

var filesRandom = regexp.MustCompile(`\.audioprojects-\d+`)

// take takes a step, unless that is refused.
func (d *filesDisk) take(operation, path, place string, do func() error) error {
	step := filesStep{phase: d.phase, operation: operation, place: place, number: 1, placed: d.placed, functions: filesFunctions()}
	step.path = filesRandom.ReplaceAllLiteralString(strings.TrimPrefix(strings.TrimPrefix(path, d.root), "/"), filesPart)
	for _, before := range d.steps {
		if before.phase == step.phase && before.operation == operation && before.path == step.path && before.place == place {
			step.number++
		}
	}
	if d.killed {
		return errFilesKilled
	}
	d.steps = append(d.steps, step)
	errno := d.without[operation]
	isMeant := step.String() == d.change.step
	d.met = d.met || isMeant
	if d.change.with != 0 && (isMeant || d.met && d.change.forGood) {
		errno = d.change.with
	}
	if isMeant && d.change.killed == "before" {
		d.killed = true
		return errFilesKilled
	}
	err := filesRefusal(errno, operation, path)
	if err == nil {
		err = do()
		d.placed = d.placed || operation == "rename"
	}
	if isMeant && d.change.killed == "after" {
		d.killed = true
		return errFilesKilled
	}
	return err
}

// filesRefusal is a refusal as package os has it; nil for 0.
func filesRefusal(errno syscall.Errno, operation, path string) error {
	switch {
	case errno == 0:
		return nil
	case operation == "rmdir":
		return errno
	case operation == "rename":
		return &os.LinkError{Op: operation, Old: path, New: path, Err: errno}
	default:
		return &fs.PathError{Op: operation, Path: path, Err: errno}
	}
}

func (d *filesDisk) Lstat(name string) (info fs.FileInfo, err error) {
	err = d.take("lstat", name, "", func() error { info, err = d.system.Lstat(name); return err })
	return info, err
}

func (d *filesDisk) Stat(name string) (info fs.FileInfo, err error) {
	err = d.take("stat", name, "", func() error { info, err = d.system.Stat(name); return err })
	return info, err
}

func (d *filesDisk) Open(name string) (audiofile.OpenFile, error) {
	return d.opened("open", name, func() (audiofile.OpenFile, error) { return d.system.Open(name) })
}

func (d *filesDisk) CreateTemp(folder, pattern string) (audiofile.OpenFile, error) {
	return d.opened("create", folder+filesPart, func() (audiofile.OpenFile, error) { return d.system.CreateTemp(folder, pattern) })
}

func (d *filesDisk) MkdirAll(folder string, permission fs.FileMode) error {
	return d.take("mkdir", folder, "", func() error { return d.system.MkdirAll(folder, permission) })
}

func (d *filesDisk) Chmod(name string, permission fs.FileMode) error {
	return d.take("chmod", name, "", func() error { return d.system.Chmod(name, permission) })
}

func (d *filesDisk) Chtimes(name string, accessed, modified time.Time) error {
	return d.take("chtimes", name, "", func() error { return d.system.Chtimes(name, accessed, modified) })
}

func (d *filesDisk) Rename(from, to string) error {
	return d.take("rename", to, "", func() error { return d.system.Rename(from, to) })
}

func (d *filesDisk) Remove(name string) error {
	return d.take("remove", name, "", func() error { return d.system.Remove(name) })
}

func (d *filesDisk) ReadDir(folder string) (entries []fs.DirEntry, err error) {
	err = d.take("readdir", folder, "", func() error { entries, err = d.system.ReadDir(folder); return err })
	return entries, err
}

func (d *filesDisk) Rmdir(name string) error {
	return d.take("rmdir", name, "", func() error { return d.system.Rmdir(name) })
}

// opened opens a file with a step.
func (d *filesDisk) opened(operation, path string, open func() (audiofile.OpenFile, error)) (audiofile.OpenFile, error) {
	var file audiofile.OpenFile
	err := d.take(operation, path, "", func() (err error) { file, err = open(); return err })
	if file != nil && err != nil { // The system closes the files of a process that it has killed.
		return nil, errors.Join(err, file.Close())
	}
	if err != nil {
		return nil, err
	}
	d.open++
	return &filesOpen{file: file, disk: d}, nil
}

// filesOpen is an open file of such a disk.
type filesOpen struct {
	file    audiofile.OpenFile
	disk    *filesDisk
	written int
	closed  bool
}

func (f *filesOpen) Name() string { return f.file.Name() }

func (f *filesOpen) Read(p []byte) (n int, err error) {
	err = f.disk.take("read", f.Name(), "", func() error { n, err = f.file.Read(p); return err })
	return n, err
}

// Write takes a step at the first byte of the audio, at one in its middle, and at the last. What comes before such a byte
// is on the disk.
func (f *filesOpen) Write(p []byte) (n int, err error) {
	write := func(until int) error {
		now, err := f.file.Write(p[n:until])
		n += now
		return err
	}
	begun := f.written
	defer func() { f.written += n }()
	for _, of := range []struct {
		place string
		at    int
	}{{"first", 0}, {"middle", f.disk.size / 2}, {"last", f.disk.size - 1}} {
		at := of.at - begun
		if at < 0 || at >= len(p) {
			continue
		}
		err := write(at)
		if err == nil {
			err = f.disk.take("write", f.Name(), of.place, func() error { return write(at + 1) })
		}
		if err != nil {
			return n, err
		}
	}
	return n, write(len(p))
}

func (f *filesOpen) Stat() (info fs.FileInfo, err error) {
	err = f.disk.take("stat of the open", f.Name(), "", func() error { info, err = f.file.Stat(); return err })
	return info, err
}

func (f *filesOpen) Chmod(permission fs.FileMode) error {
	return f.disk.take("chmod", f.Name(), "", func() error { return f.file.Chmod(permission) })
}

func (f *filesOpen) Sync() error { return f.disk.take("sync", f.Name(), "", f.file.Sync) }

// Close closes the file, even if it says that it has not, as the system does.
func (f *filesOpen) Close() error {
	if f.closed {
		return &fs.PathError{Op: "close", Path: f.Name(), Err: os.ErrClosed}
	}
	f.closed = true
	f.disk.open--
	err := f.disk.take("close", f.Name(), "", func() error { return nil })
	return errors.Join(err, f.file.Close())
}
