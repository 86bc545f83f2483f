package edges_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// files are the files in the folder of the play, with their contents, but for those of somebody else, which must be as they
// were.
func (p *filesPlay) files() map[string]string {
	p.Helper()
	files := map[string]string{}
	p.Must(filepath.WalkDir(p.root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		files[strings.TrimPrefix(name, p.root+"/")] = string(content)
		return err
	}))
	for name, content := range filesOthers {
		if files[name] != content {
			p.Errorf("the file %s of somebody else has %q", name, files[name])
		}
		delete(files, name)
	}
	return files
}

// content is the name of what the file has: that of a snapshot, "mine", or "nothing"; torn audio is an error.
func (p *filesPlay) content() string {
	p.Helper()
	content, isThere := p.files()[p.file]
	for name, sound := range filesSounds() {
		if isThere && content == sound {
			return name
		}
	}
	if isThere {
		p.Errorf("the file is torn: it has %d bytes", len(content))
	}
	return "nothing"
}

// filesInState is the same of what the state says of an object.
func filesInState(object *fakecore.Object) string {
	var sum string
	if object == nil || fakecore.AttributesOf(object.Value)["content_sha256"].As(&sum) != nil {
		return "nothing"
	}
	for name, sound := range filesSounds() {
		of := sha256.Sum256([]byte(sound))
		if hex.EncodeToString(of[:]) == sum {
			return name
		}
	}
	return "something else"
}

// judge checks what is true after each play.
func (p *filesPlay) judge(change filesChange, said string, isRed bool, was string) {
	p.Helper()
	now, inState := p.content(), filesInState(p.Object)
	isKilled := p.disk.killed
	if now != was && now != p.scenario.ends && now != p.scenario.between {
		p.Errorf("the file has %s; before, it had %s", now, was)
	}
	for name := range p.files() {
		isPart := strings.HasPrefix(filepath.Base(name), ".audioprojects-")
		isNamed := strings.Contains(said, filepath.Base(name))
		if name != p.file && (!isPart || !isKilled && !isNamed) {
			p.Errorf("%s is left, and nothing says so:\n%s", name, said)
		}
	}
	if isKilled {
		return
	}
	if p.disk.open != 0 {
		p.Errorf("%d files stay open", p.disk.open)
	}
	if !isRed && p.Deposed != nil {
		p.Error("green, and the old object is still there")
	}
	if p.Object != nil && inState != now {
		p.Errorf("the state has %s, and the file %s", inState, now)
	}
	if p.scenario.applies && !isRed && now != p.scenario.ends {
		p.Errorf("green, and the file has %s", now)
	}
	if got := p.service.Count(mockserver.StreamSnapshot); got > p.scenario.requests {
		p.Errorf("%d requests for audio, want at most %d", got, p.scenario.requests)
	}
	if change.with == 0 || len(said) == 0 {
		return
	}
	for _, want := range []string{filesBase, p.disk.told(change)} {
		if !strings.Contains(said, want) {
			p.Errorf("nothing names %q:\n%s", want, said)
		}
	}
}

// told is what the screen says of a refusal. Of one, Linux says that the user may not replace the file.
func (d *filesDisk) told(change filesChange) string {
	for _, step := range d.steps {
		if step.String() == change.step && step.operation == "rmdir" && !change.forGood {
			return "does not let this user replace"
		}
	}
	return change.with.Error()
}

// heal applies at a usual disk, as a person does who reads the screen, and checks that it ends well.
func (p *filesPlay) heal(change filesChange) {
	p.Helper()
	var left []string
	for name := range p.files() {
		if name != p.file {
			left = append(left, name)
		}
	}
	// Nothing tells the new file from one of somebody else, if the process was killed after it had taken its place.
	isUnknown := p.disk.killed && p.content() == p.scenario.ends && filesInState(p.Object) != p.scenario.ends
	p.disk = nil
	p.service = mockserver.New()
	p.service.AddProject(filesBook)
	defer func() {
		for name := range p.files() {
			if name != p.file && !slices.Contains(left, name) {
				p.Errorf("%s is left after the next apply", name)
			}
		}
	}()
	if p.scenario.destroys {
		p.Plan()
		if p.Object != nil {
			p.destroy()
		}
		return
	}
	refusesPermission := p.scenario.without["chmod"] != 0 || strings.Contains(change.step, "chmod") && slices.Contains(filesNotAble, change.with)
	shown := p.Apply()
	if shown.Says("File exists already") && isUnknown {
		p.Arguments["overwrite"] = true
		shown = p.Apply()
	}
	// An old object may be left from a replacement. Its file is the new object's now.
	shown.Warnings = slices.DeleteFunc(shown.Warnings, func(box string) bool {
		return strings.HasPrefix(box, "Audio file left in place") && p.CreateBeforeDestroy
	})
	if len(shown.Errors) > 0 || len(shown.Warnings) > 0 {
		p.Errorf("the next apply:\n%s", shown)
	}
	p.Replaced = false
	shown = p.Plan().Screen
	if shown.Action != fakecore.NoOp || len(shown.Diagnostics) > 0 {
		p.Errorf("the plan after the next apply:\n%s", shown)
	}
	info, err := os.Stat(filepath.Join(p.root, p.file))
	switch {
	case p.content() != p.scenario.heals || filesInState(p.Object) != p.scenario.heals:
		p.Errorf("the next apply leaves %s in the file, and %s in the state", p.content(), filesInState(p.Object))
	case err != nil:
		p.Errorf("%v", err)
	case info.Mode().Perm() != 0o640 && !refusesPermission:
		p.Errorf("the next apply leaves a file with %v", info.Mode())
	}
	p.destroy()
}

// destroy destroys the object at a usual disk, and its file with it.
func (p *filesPlay) destroy() {
	p.Helper()
	if p.Object == nil {
		p.Fatalf("there is no object to destroy")
	}
	shown, gone := p.Destroy()
	if !gone || len(shown.Diagnostics) > 0 || p.content() != "nothing" {
		p.Errorf("a destroy leaves %s: %s", p.content(), shown)
	}
}
