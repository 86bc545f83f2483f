package provider_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const (
	fileExists = "File exists already"
	fileLeft   = "File of another resource"
)

func TestAFileOfSomebodyElseIsReplacedOnlyIfOverwriteIsSet(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	plan := c.Plan()
	c.leave([]byte("mine"))
	// What comes between the plan and the apply is found before the audio is asked for.
	c.ApplyPlan(plan).Want(c, "create", nil, []string{fileExists})
	c.Apply().Want(c, "create", nil, []string{fileExists})
	c.wantRequests(0)
	c.wantFolder([]byte("mine"))

	c.Arguments["project_snapshot_id"] = tftypes.UnknownValue
	c.Plan().Want(c, "create", nil, []string{"If the audio may replace it, set `overwrite = true`"})
	for _, unknown := range []string{"overwrite", "file_permission", "max_size"} {
		c.Arguments[unknown] = tftypes.UnknownValue
	}
	c.Plan().Want(c, "create", nil, nil)
	c.Arguments = map[string]any{"filename": c.file}

	// The audio itself is a stranger's as well, after a `state rm` for example.
	c.leave(sound(t, "new", false))
	c.Apply().Want(c, "create", nil, []string{"set `overwrite = true`"})

	c.Arguments["overwrite"] = true
	c.Apply().Want(c, "create", nil, nil)
	c.wantFolder(sound(t, "new", false))
	c.Plan().Want(c, "no-op", nil, nil)
	delete(c.Arguments, "overwrite")
	c.Apply().Want(c, "update", nil, nil)
	c.Plan().Want(c, "no-op", nil, nil)
	c.wantRequests(1)
}

// linked is another spelling of the file's name, by way of a link.
func (c *audioCore) linked() string {
	c.Helper()
	c.Must(os.Symlink(".", filepath.Join(c.folder, "link")))
	return filepath.Join(c.folder, "link", "book.wav")
}

// wantContent checks what is in a file, whatever lies beside it.
func (c *audioCore) wantContent(name, want string) {
	c.Helper()
	whole, err := os.ReadFile(name)
	if err != nil || string(whole) != want {
		c.Errorf("%s: %d bytes, %v", name, len(whole), err)
	}
}

// TestAFileNamedTwice: removing one of two blocks would take the other's file, even that of one snapshot.
func TestAFileNamedTwice(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	linked := c.linked()
	for _, object := range []*fakecore.Object{nil, c.Object} {
		p := c.begin()
		defer p.End()
		c.Arguments = map[string]any{"filename": c.file, "overwrite": true}
		c.Core.Plan(p, object, c.Config(), false, &fakecore.Screen{})
		for _, name := range []string{c.file, linked} {
			c.Arguments["filename"] = name
			c.Core.Plan(p, nil, c.Config(), false, &fakecore.Screen{}).Want(c, "create", nil, []string{"File named twice\nAnother resource writes " +
				"the audio of snapshot \"new\" of project \"book\" to this file, \"" + name + "\". Give each resource a file of its own."})
		}
	}
	c.wantRequests(1)
}

// An object that is replaced has written the file, by another spelling of its name.
func TestTheFileOfAReplacedObjectIsNoStrangers(t *testing.T) {
	t.Parallel()
	for _, createBeforeDestroy := range []bool{false, true} {
		t.Run(fmt.Sprintf("create_before_destroy %t", createBeforeDestroy), func(t *testing.T) {
			t.Parallel()
			c := newAudioCore(t, map[string]any{})
			c.CreateBeforeDestroy = createBeforeDestroy
			c.Apply().Want(c, "create", nil, nil)
			c.Arguments["project_snapshot_id"], c.Arguments["filename"] = "old", c.linked()
			c.Replaced = true
			c.Plan().Want(c, "replace", nil, nil)
			if createBeforeDestroy {
				// Terraform tells the new object nothing of the old one.
				c.Apply().Want(c, "replace", nil, []string{fileExists})
				c.wantContent(c.file, string(sound(t, "new", false)))
				c.Arguments["overwrite"] = true
			}
			c.Apply().Want(c, "replace", nil, nil)
			c.wantContent(c.file, string(sound(t, "old", false)))
			c.Replaced = false
			c.Plan().Want(c, "no-op", nil, nil)
			c.wantRequests(2)
		})
	}
}

// A provisioner that fails leaves a tainted object, of which no plan is told.
func TestTheFileOfATaintedObjectIsNoStrangers(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	c.Object.Tainted = true
	c.Apply().Want(c, "replace", nil, nil)
	c.wantFolder(sound(t, "new", false))

	c.Object.Tainted = true
	c.leave([]byte("mine"))
	c.Apply().Want(c, "replace", []string{fileAltered}, []string{fileExists})
	c.wantFolder([]byte("mine"))
}

func TestAFileIsNotMovedOverSomebodyElses(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	other := filepath.Join(c.folder, "other.wav")
	c.Must(os.WriteFile(other, []byte("mine"), 0o600))
	c.Arguments["filename"] = other
	c.Apply().Want(c, "", nil, []string{fileExists})
	c.wantContent(c.file, string(sound(t, "new", false)))
	c.wantContent(other, "mine")
}

// Two objects may have one file, after `terraform state mv` for example. The one that goes does not take it from the one that stays, in whatever
// order they are planned, and applied.
func TestOneOfTwoObjectsWithOneFileGoes(t *testing.T) {
	t.Parallel()
	for order := range 4 {
		c := newAudioCore(t, map[string]any{})
		c.Apply().Want(c, "create", nil, nil)
		going := *c.Object
		private, stays := c.planBeside(order%2 == 0, c.Object, nil)
		want := map[bool]string{true: "update", false: "no-op"}[order%2 == 0] // It may be gone before this object's turn.
		stays.Want(c, want, nil, nil)
		c.applyBeside(order < 2, stays, &going, private)
		c.wantFolder(sound(t, "new", false))
		c.Plan().Want(c, "no-op", nil, nil)
	}
}

// A block that is renamed is one that goes and one that comes, in any order.
func TestABlockIsRenamed(t *testing.T) {
	t.Parallel()
	for order := range 4 {
		for _, overwrite := range []bool{false, true} {
			c := newAudioCore(t, map[string]any{"overwrite": overwrite})
			c.Apply().Want(c, "create", nil, nil)
			going := c.Object
			if !overwrite {
				if order%2 == 0 {
					_, comes := c.planBeside(true, nil, nil)
					comes.Want(c, "create", nil, []string{fileLeft})
				} else {
					_, comes := c.planBeside(false, nil, []string{fileLeft})
					comes.Want(c, "create", nil, []string{fileExists})
				}
				c.wantFolder(sound(t, "new", false))
				continue
			}
			private, comes := c.planBeside(order%2 == 0, nil, nil)
			comes.Want(c, "create", nil, nil)
			if order == 3 {
				// It stays where its removal was planned after the new block, or is not yet due.
				c.service.Inject(mockserver.Fault{Status: 404})
			}
			c.Object = nil
			c.applyBeside(order < 2, comes, going, private)
			c.wantFolder(sound(t, "new", false))
			if order != 3 {
				c.Plan().Want(c, "no-op", nil, nil)
			}
		}
	}
}

// planBeside plans to destroy the object, and plans the block beside it, which may have an object of its own.
func (c *audioCore) planBeside(destructionFirst bool, object *fakecore.Object, errors []string) (private []byte, plan *fakecore.Plan) {
	c.Helper()
	p := c.begin()
	defer p.End()
	if destructionFirst {
		private = c.planDestruction(p, errors)
	}
	plan = c.Core.Plan(p, object, c.Config(), false, &fakecore.Screen{})
	if !destructionFirst {
		private = c.planDestruction(p, errors)
	}
	return private, plan
}

// applyBeside destroys one object, and applies the plan of the block beside it.
func (c *audioCore) applyBeside(destructionFirst bool, plan *fakecore.Plan, going *fakecore.Object, private []byte) {
	c.Helper()
	p := c.begin()
	defer p.End()
	turn := c.Turn(p, &fakecore.Screen{})
	if destructionFirst && !turn.Destroy(&going, private) {
		c.Error("it does not go")
	}
	turn.Apply(plan)
	if !destructionFirst && !turn.Destroy(&going, private) {
		c.Error("it does not go")
	}
}

func TestAFileOutOfReach(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spoil  func(folder string) error
		action string
		fails  []string
	}{
		"the folder is a file":       {func(folder string) error { return os.WriteFile(folder, nil, 0o600) }, "no-op", nil},
		"the folder leads to itself": {func(folder string) error { return os.Symlink(folder, folder) }, "no-op", nil},
		"the folder may not be entered": {func(folder string) error {
			if os.Geteuid() == 0 {
				return errors.ErrUnsupported
			}
			return os.Mkdir(folder, 0)
		}, "no-op", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newAudioCore(t, map[string]any{})
			folder := filepath.Join(c.folder, "audio")
			c.Arguments["filename"] = filepath.Join(folder, "book.wav")
			c.Apply().Want(c, "create", nil, nil)
			err := os.RemoveAll(folder)
			if err != nil {
				t.Fatal(err)
			}
			err = test.spoil(folder)
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip("root may enter every folder")
			} else if err != nil {
				t.Fatal(err)
			}
			const unable = "Unable to read audio file\nThe file system rejects "
			c.Plan().Want(c, test.action, []string{unable}, nil)
			c.Apply().Want(c, test.action, []string{unable}, test.fails)
			if c.Object == nil {
				t.Fatal("the object has been forgotten")
			}
			p := c.begin()
			c.PlanChange(p, &fakecore.Screen{}).Want(c, test.action, nil, nil) // as with -refresh=false
			c.planDestruction(p, nil)
			p.End()
			shown, gone := c.Destroy()
			shown.Want(c, "destroy", []string{"Audio file left in place\nThe provider cannot reach the file \"" + folder + "/book.wav\", so it leaves the file in place, if it still exists: "}, nil)
			if !gone {
				t.Error("the object is still there")
			}
		})
	}
}
