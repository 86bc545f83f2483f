package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const fileStays = "Audio file left in place"

// rename gives the file of the block another name, in a folder of its own.
func (c *audioCore) rename() (old, other string) {
	old, other = c.file, filepath.Join(c.folder, "other", "book.wav")
	c.Arguments["filename"] = other
	return old, other
}

// wantFiles checks what the files hold that the block has had. No file at all is nil.
func (c *audioCore) wantFiles(want map[string][]byte) {
	c.Helper()
	for name, content := range want {
		if content != nil {
			c.wantContent(name, string(content))
			continue
		}
		_, err := os.Lstat(name)
		if !os.IsNotExist(err) {
			c.Errorf("%s is there, %v", name, err)
		}
	}
	for _, folder := range []string{c.folder, filepath.Join(c.folder, "other")} {
		left, _ := filepath.Glob(filepath.Join(folder, ".*"))
		if len(left) > 0 {
			c.Errorf("left behind: %q", left)
		}
	}
}

// While audio does not come to another name, the old file and the state are as before. The next apply repairs it.
func TestAudioThatDoesNotComeToAnotherFilename(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault        mockserver.Fault
		argument     string
		value        any
		interruption []fakecore.Interruption
		says         string
		requests     int
	}{
		"500":         {fault: mockserver.Fault{Status: 500}, says: "500 Internal Server Error", requests: 5},
		"404":         {fault: mockserver.Fault{Status: 404}, says: "404 Not Found", requests: 1},
		"cut short":   {fault: mockserver.Fault{Truncate: 20000}, says: "the audio broke off after 20000 bytes", requests: 5},
		"too large":   {argument: "max_size", value: 20000, says: "Audio too large", requests: 1},
		"interrupted": {fault: mockserver.Fault{SlowBytes: time.Second}, interruption: []fakecore.Interruption{fakecore.InterruptedAfter(time.Minute)}, says: "Interrupted before the audio arrived", requests: 1},
		"out of time": {fault: mockserver.Fault{SlowBytes: time.Second}, argument: "timeouts", value: map[string]any{"update": "1m"}, says: "Timed out before the audio arrived", requests: 1},
	} {
		for _, snapshot := range []string{"old", "new"} {
			for _, unknown := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, snapshot %s, unknown %t", name, snapshot, unknown), func(t *testing.T) {
					t.Parallel()
					withAudio(t, map[string]any{"project_snapshot_id": "old"}, func(c *audioCore) {
						c.Apply().Want(c, "create", nil, nil)
						before := c.Object.Value
						old, other := c.rename()
						c.Arguments["project_snapshot_id"] = snapshot
						if test.argument != "" {
							c.Arguments[test.argument] = test.value
						}
						if unknown {
							c.Arguments["filename"] = tftypes.UnknownValue
						}
						plan := c.Plan()
						c.Arguments["filename"] = other
						fault := test.fault
						fault.Times = test.requests
						c.service.Inject(fault)
						c.ApplyPlan(plan, test.interruption...).Want(c, "update", nil, []string{test.says})
						c.wantRequests(1 + test.requests)
						c.wantFiles(map[string][]byte{old: sound(c.T, "old", false), other: nil})
						c.wantEqual("state", c.Object.Value, before)

						delete(c.Arguments, test.argument)
						c.Apply().Want(c, "update", nil, nil)
						c.wantFiles(map[string][]byte{old: nil, other: sound(c.T, snapshot, false)})
						c.wantRequests(2 + test.requests)
						c.Plan().Want(c, "no-op", nil, nil)
					})
				})
			}
		}
	}
}

// What nobody has to remove, or nobody may, keeps no new file from being written.
func TestTheFileOfAnotherFilenameThatIsNoLongerOurs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spoil    func(file string) error
		warnings []string
		left     string
	}{
		"missing": {os.Remove, nil, ""},
		"altered": {
			func(file string) error { return os.WriteFile(file, []byte("mine"), 0o600) },
			[]string{fileStays + "\nThe file \"%s\" is no longer the audio of snapshot \"old\" of project \"book\", so the provider leaves it in place."},
			"mine",
		},
	} {
		for _, unrefreshed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, -refresh=%t", name, !unrefreshed), func(t *testing.T) {
				t.Parallel()
				c := newAudioCore(t, map[string]any{"project_snapshot_id": "old", "when_missing": "keep"})
				c.Apply().Want(c, "create", nil, nil)
				old, other := c.rename()
				c.Arguments["project_snapshot_id"] = "new"
				c.Must(test.spoil(old))
				c.Unrefreshed = unrefreshed
				var warnings []string
				for _, warning := range test.warnings {
					if !unrefreshed {
						warnings = append(warnings, "Audio file altered")
					}
					warnings = append(warnings, fmt.Sprintf(warning, old))
				}
				c.Apply().Want(c, "update", warnings, nil)
				want := map[string][]byte{old: nil, other: sound(t, "new", false)}
				if test.left != "" {
					want[old] = []byte(test.left)
				}
				c.wantFiles(want)
				c.wantRequests(2)
				c.Plan().Want(c, "no-op", nil, nil)
			})
		}
	}
}

// What alters the old file gives no right to another's.
func TestAnAlteredFileIsNotMovedOverSomebodyElses(t *testing.T) {
	t.Parallel()
	withAudio(t, map[string]any{}, func(c *audioCore) {
		c.Apply().Want(c, "create", nil, nil)
		c.leave([]byte("mine"))
		old, other := c.rename()
		plan := c.Plan()
		plan.Want(c, "update", []string{"Audio file altered"}, nil)
		// It comes while the service prepares the audio, so that no plan could have found it.
		c.service.Inject(mockserver.Fault{Hang: 10 * time.Second})
		time.AfterFunc(5*time.Second, func() { c.Must(os.WriteFile(other, []byte("theirs"), 0o600)) })
		c.ApplyPlan(plan).Want(c, "update", []string{"Audio file altered"}, []string{fileExists})
		c.wantRequests(2)
		c.wantFiles(map[string][]byte{old: []byte("mine"), other: []byte("theirs")})
	})
}

// A kill between the new file and the removal of the old one leaves both. The state has the old one.
func TestAudioUnderAnotherFilenameAfterAKill(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	before := c.Object
	old, other := c.rename()
	c.Apply().Want(c, "update", nil, nil)
	c.leave(sound(t, "new", false))
	c.Object = before

	c.Plan().Want(c, "", nil, []string{fileExists})
	c.wantFiles(map[string][]byte{old: sound(t, "new", false), other: sound(t, "new", false)})
	c.Arguments["overwrite"] = true
	c.Apply().Want(c, "update", nil, nil)
	c.wantFiles(map[string][]byte{old: nil, other: sound(t, "new", false)})
	c.Plan().Want(c, "no-op", nil, nil)
}

// What a plan does not know, it leaves to the apply.
func TestAFilenameBesideUnknownArguments(t *testing.T) {
	t.Parallel()
	unknown := []string{"project_snapshot_id", "convert_to_mpeg", "overwrite", "file_permission", "when_missing", "max_size"}
	for name, renamed := range map[string]bool{"the same": false, "another": true} {
		for _, known := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, known %t", name, known), func(t *testing.T) {
				t.Parallel()
				c := newAudioCore(t, map[string]any{})
				c.Apply().Want(c, "create", nil, nil)
				want, requests := map[string][]byte{c.file: sound(t, "new", false)}, 1
				if renamed {
					old, other := c.rename()
					want, requests = map[string][]byte{old: nil, other: sound(t, "new", false)}, 2
				}
				arguments := c.Arguments
				c.Arguments = map[string]any{"filename": tftypes.UnknownValue}
				if known {
					c.Arguments["filename"] = arguments["filename"]
				}
				for _, name := range unknown {
					c.Arguments[name] = tftypes.UnknownValue
				}
				plan := c.Plan()
				plan.Want(c, "update", nil, nil)
				for _, computed := range []string{"size", "content_sha256", "content_type", "id"} {
					if fakecore.AttributesOf(plan.Value)[computed].IsKnown() {
						c.Errorf("%s is known in the plan", computed)
					}
				}
				c.Arguments = arguments
				c.ApplyPlan(plan).Want(c, "update", nil, nil)
				c.wantFiles(want)
				c.wantRequests(requests)
				c.Plan().Want(c, "no-op", nil, nil)
			})
		}
	}
}

// A plan with another name that nobody applies leaves no trace.
func TestAFilenameThatIsOnlyPlanned(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	old, other := c.rename()
	saved := c.Plan()
	c.Arguments["filename"] = old
	c.Plan().Want(c, "no-op", nil, nil)
	c.wantFiles(map[string][]byte{old: sound(t, "new", false), other: nil})
	c.wantRequests(1)

	c.Arguments["filename"] = other
	c.ApplyPlan(saved).Want(c, "update", nil, nil)
	c.wantFiles(map[string][]byte{old: nil, other: sound(t, "new", false)})
}

// getsFile is a case of a block that gets the file which another leaves.
type getsFile struct {
	unknown, overwrite bool
	hasObject          bool // the block that gets the file has had another one
	order              string
}

func (g getsFile) String() string {
	return fmt.Sprintf("unknown %t, overwrite %t, has an object %t, %s", g.unknown, g.overwrite, g.hasObject, g.order)
}

// A block that gets the file which another leaves may come before that one, or after it: either would take the other's file.
func TestAFileThatOneBlockLeavesAndAnotherGets(t *testing.T) {
	t.Parallel()
	var cases []getsFile
	for _, order := range []string{"leaves, gets", "gets, refresh, leaves", "refresh, gets, leaves"} {
		for bits := range 8 {
			cases = append(cases, getsFile{unknown: bits&1 != 0, overwrite: bits&2 != 0, hasObject: bits&4 != 0, order: order})
		}
	}
	for _, test := range cases {
		t.Run(test.String(), func(t *testing.T) {
			t.Parallel()
			c := newAudioCore(t, map[string]any{"overwrite": test.overwrite})
			c.Apply().Want(c, "create", nil, nil)
			beside := &audioCore{core: newCore(t, projectSnapshotAudio, c.service, map[string]any{"overwrite": test.overwrite})}
			if test.hasObject {
				beside.Arguments["filename"] = filepath.Join(c.folder, "beside.wav")
				beside.Apply().Want(c, "create", nil, nil)
			}
			beside.Arguments["filename"] = c.file
			c.rename()
			if test.unknown {
				c.Arguments["filename"] = tftypes.UnknownValue
			}
			p := c.begin()
			defer p.End()
			planned := &fakecore.Screen{}
			planGets := func() { planned.Print(beside.PlanChange(p, &fakecore.Screen{}).Diagnostics) }
			refresh := func() { c.Refresh(p, planned) }
			planLeaves := func() { planned.Print(c.PlanChange(p, &fakecore.Screen{}).Diagnostics) }
			steps := map[string][]func(){
				"leaves, gets":          {refresh, planLeaves, planGets},
				"gets, refresh, leaves": {planGets, refresh, planLeaves},
				"refresh, gets, leaves": {refresh, planGets, planLeaves},
			}
			for _, step := range steps[test.order] {
				step()
			}
			refused := len(planned.Errors) > 0 && (planned.Says(fileLeft) || planned.Says(fileExists))
			if refused == test.overwrite {
				t.Errorf("got %s", planned)
			}
		})
	}
}

// Two blocks that swap their files' names are refused, whichever is planned first.
func TestTwoFilenamesThatAreSwapped(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{"project_snapshot_id": "old"})
	c.Apply().Want(c, "create", nil, nil)
	first, second := c.rename()
	beside := &audioCore{core: newCore(t, projectSnapshotAudio, c.service, map[string]any{"filename": second})}
	beside.Apply().Want(c, "create", nil, nil)
	beside.Arguments["filename"] = first
	p := c.begin()
	defer p.End()
	shown := &fakecore.Screen{}
	c.Refresh(p, shown)
	beside.Refresh(p, shown)
	shown.Print(c.PlanChange(p, &fakecore.Screen{}).Diagnostics)
	shown.Print(beside.PlanChange(p, &fakecore.Screen{}).Diagnostics)
	if len(shown.Errors) == 0 || !shown.Says(fileLeft) {
		t.Errorf("got %s, want that a block leaves the file", shown)
	}
	c.wantFiles(map[string][]byte{first: sound(t, "old", false), second: sound(t, "new", false)})
}

// In whatever order the two blocks are applied, each has its file in the end.
func TestAFileThatOneBlockLeavesAndAnotherOverwrites(t *testing.T) {
	t.Parallel()
	for _, leavesFirst := range []bool{false, true} {
		c := newAudioCore(t, map[string]any{"overwrite": true})
		c.Apply().Want(c, "create", nil, nil)
		beside := &audioCore{core: newCore(t, projectSnapshotAudio, c.service, map[string]any{"filename": c.file, "overwrite": true})}
		old, other := c.rename()
		leaves, gets := c.Plan(), beside.Plan()
		p := c.begin()
		steps := []func(){
			func() { beside.Turn(p, gets.Screen).Apply(gets) },
			func() { c.Turn(p, leaves.Screen).Apply(leaves) },
		}
		if leavesFirst {
			steps[0], steps[1] = steps[1], steps[0]
		}
		steps[0]()
		steps[1]()
		p.End()
		leaves.Want(c, "update", nil, nil)
		gets.Want(c, "create", nil, nil)
		c.wantFiles(map[string][]byte{old: sound(t, "new", false), other: sound(t, "new", false)})
		c.Plan().Want(c, "no-op", nil, nil)
		beside.Plan().Want(c, "no-op", nil, nil)
	}
}

// An object that must be replaced is destroyed first. Its file stays all the same until the new one is whole.
func TestTheFileOfAReplacedObjectWithAnotherFilename(t *testing.T) {
	t.Parallel()
	for name, replaces := range map[string]func(*audioCore){
		"tainted":  func(c *audioCore) { c.Object.Tainted = true },
		"-replace": func(c *audioCore) { c.Replaced = true },
	} {
		for _, createBeforeDestroy := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, create_before_destroy %t", name, createBeforeDestroy), func(t *testing.T) {
				t.Parallel()
				c := newAudioCore(t, map[string]any{})
				c.CreateBeforeDestroy = createBeforeDestroy
				c.Apply().Want(c, "create", nil, nil)
				replaces(c)
				old, other := c.rename()
				c.Arguments["project_snapshot_id"] = "old"
				for range 2 {
					c.service.Inject(mockserver.Fault{Status: 404})
					c.Apply().Want(c, "replace", nil, []string{"404 Not Found"})
					c.wantFiles(map[string][]byte{old: sound(t, "new", false), other: nil})
					if c.Object == nil {
						t.Fatal("nobody knows any more whose the file is")
					}
				}
				c.Apply().Want(c, "replace", nil, nil)
				c.wantFiles(map[string][]byte{old: nil, other: sound(t, "old", false)})
				c.Replaced = false
				c.Plan().Want(c, "no-op", nil, nil)
				shown, _ := c.Destroy()
				shown.Want(c, "destroy", nil, nil)
				c.wantFiles(map[string][]byte{other: nil})
			})
		}
	}
}

func TestTheAlteredFileOfAReplacedObjectStays(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	c.Object.Tainted = true
	c.leave([]byte("mine"))
	old, other := c.rename()
	c.Apply().Want(c, "replace", []string{"Audio file altered", fileStays}, nil)
	c.wantFiles(map[string][]byte{old: []byte("mine"), other: sound(t, "new", false)})
}

// The destruction is not told how the name turns out.
func TestTheFileOfAReplacedObjectWithAnUnknownFilename(t *testing.T) {
	t.Parallel()
	for _, renamed := range []bool{false, true} {
		c := newAudioCore(t, map[string]any{})
		c.Apply().Want(c, "create", nil, nil)
		c.Object.Tainted = true
		turnsOut, want := c.file, map[string][]byte{c.file: sound(t, "old", false)}
		if renamed {
			old, other := c.rename()
			turnsOut, want = other, map[string][]byte{old: sound(t, "new", false), other: sound(t, "old", false)}
		}
		c.Arguments["project_snapshot_id"], c.Arguments["filename"] = "old", tftypes.UnknownValue
		plan := c.Plan()
		c.Arguments["filename"] = turnsOut
		c.ApplyPlan(plan).Want(c, "replace", []string{fileStays + "\nThe file \"" + c.file + "\" stays until the new audio is complete."}, nil)
		c.wantFiles(want)
		c.Plan().Want(c, "no-op", nil, nil)
	}
}

// An object that was to be replaced, and is to go for good now, takes its file with it.
func TestTheFileOfAnObjectThatIsNotReplacedAfterAll(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	c.Replaced = true
	c.Object.Private = c.Plan().Private // as a destruction that has failed leaves it
	p := c.begin()
	defer p.End()
	private := c.planDestruction(p, nil)
	if !c.Turn(p, &fakecore.Screen{}).Destroy(&c.Object, private) {
		t.Error("it does not go")
	}
	c.wantFolder(nil)
}

// An object whose new file has not come has the old one, and takes it with it.
func TestAnObjectIsDestroyedWhoseNewFileHasNotCome(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	old, other := c.rename()
	c.service.Inject(mockserver.Fault{Status: 404})
	c.Apply().Want(c, "update", nil, []string{"404 Not Found"})
	c.wantFiles(map[string][]byte{old: sound(t, "new", false), other: nil})
	c.Must(os.WriteFile(other, []byte("mine"), 0o600))
	shown, gone := c.Destroy()
	shown.Want(c, "destroy", nil, nil)
	if !gone {
		t.Error("it is still there")
	}
	c.wantFiles(map[string][]byte{old: nil, other: []byte("mine")})
}
