package edges_test

import (
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// filesScenario is something that the provider does with a file.
type filesScenario struct {
	name   string
	before func(p *filesPlay) // what there is before, made at a usual disk
	// applies and destroys are whether a change is applied, or the object destroyed; refreshes, whether nothing is planned.
	// Without any, it is only planned.
	applies, destroys, refreshes bool
	// createsFirst is whether the file that a destruction is about has been written by the same apply.
	createsFirst    bool
	keepsPermission bool // whether the file is to have the permission of the part
	// ends is what the file has if it succeeds, and heals after the next apply: the name of a snapshot, "mine" or "nothing".
	ends, heals string
	between     string // what the file may have meanwhile; empty: only what it had before
	requests    int    // the most requests for audio
	tells       int    // how many warnings and errors there are, if nothing is changed
	// without are operations that the disk of the scenario never allows, as some mounted ones.
	without map[string]syscall.Errno
}

// filesScenarios are all of them.
var filesScenarios = []filesScenario{
	{name: "plan of a creation", before: filesInMissingFolder, ends: "nothing", heals: "new"},
	{name: "creation", before: filesInMissingFolder, applies: true, ends: "new", heals: "new", requests: 1},
	{name: "plan of a creation over a file", before: filesOverMine, ends: "mine", heals: "new"},
	{name: "creation over a file", before: filesOverMine, applies: true, ends: "new", heals: "new", requests: 1},
	{name: "plan of a creation through links", before: filesThroughLinks, ends: "nothing", heals: "new"},
	{name: "creation through links", before: filesThroughLinks, applies: true, ends: "new", heals: "new", requests: 1},
	{name: "creation, whose audio breaks off once", before: func(p *filesPlay) {
		p.service.Inject(mockserver.Fault{Operation: mockserver.StreamSnapshot, Truncate: 3000})
	}, applies: true, ends: "new", heals: "new", requests: 2},
	{name: "update, whose audio does not come", before: func(p *filesPlay) {
		filesWithOld(p)
		p.service.Inject(mockserver.Fault{Operation: mockserver.StreamSnapshot, Status: 404, Body: `{"detail":"No snapshot."}`})
	}, applies: true, ends: "new", heals: "new", requests: 1, tells: 1},
	{
		name: "creation on a disk without permissions and sync", before: func(p *filesPlay) {},
		applies: true, ends: "new", heals: "new", requests: 1, tells: 2,
		without: map[string]syscall.Errno{"chmod": syscall.EPERM, "sync": syscall.EINVAL},
	},
	{name: "refresh", before: filesWithNew, refreshes: true, ends: "new", heals: "new"},
	{name: "plan of an update", before: filesWithOld, ends: "old", heals: "new"},
	{name: "update", before: filesWithOld, applies: true, ends: "new", heals: "new", requests: 1},
	{name: "plan of a permission", before: filesWithOtherPermission, ends: "new", heals: "new"},
	{name: "update of a permission", before: filesWithOtherPermission, applies: true, ends: "new", heals: "new"},
	{
		// The part has this permission anyway.
		name: "creation with 0600 on a disk without permissions", before: func(p *filesPlay) { p.Arguments["file_permission"] = "0600" },
		applies: true, ends: "new", heals: "new", requests: 1, keepsPermission: true,
		without: map[string]syscall.Errno{"chmod": syscall.EPERM},
	},
	{
		name: "update of a permission on a disk without", before: filesWithOtherPermission, applies: true, ends: "new", heals: "new", tells: 1,
		without: map[string]syscall.Errno{"chmod": syscall.EPERM},
	},
	{
		name: "replacement", before: func(p *filesPlay) { filesWithNew(p); p.Replaced = true },
		applies: true, ends: "new", heals: "new", between: "nothing", requests: 1,
	},
	{name: "replacement, created first", before: filesCreatedFirst, applies: true, createsFirst: true, ends: "new", heals: "new", requests: 1},
	{name: "replacement, created first under another spelling", before: func(p *filesPlay) {
		filesCreatedFirst(p)
		p.Arguments["filename"] = p.root + "/./" + filesBase
	}, applies: true, createsFirst: true, ends: "new", heals: "new", requests: 1},
	{name: "destruction", before: filesWithNew, destroys: true, ends: "nothing"},
}

func filesInMissingFolder(p *filesPlay) {
	p.file = "missing/deep/" + filesBase
	p.Arguments["filename"] = p.root + "/" + p.file
}

func filesOverMine(p *filesPlay) {
	p.put(filesBase, "mine")
	p.date()
	p.Arguments["overwrite"] = true
}

func filesThroughLinks(p *filesPlay) {
	p.Must(os.Mkdir(p.root+"/other", 0o700))
	p.Must(os.Symlink("other", p.root+"/link"))
	p.file = "other/" + filesBase
	p.Arguments["filename"] = p.root + "/other/../link/" + filesBase
}

func filesWithNew(p *filesPlay) { p.Apply().Want(p, fakecore.Create, nil, nil) }

func filesWithOld(p *filesPlay) {
	p.Arguments["project_snapshot_id"] = "old"
	filesWithNew(p)
	p.Arguments["project_snapshot_id"] = "new"
	p.date()
}

func filesWithOtherPermission(p *filesPlay) {
	p.Arguments["file_permission"] = "0600"
	filesWithNew(p)
	p.Arguments["file_permission"] = "0640"
}

// filesCreatedFirst needs `overwrite`: until the old object is destroyed, the file is not the new one's.
func filesCreatedFirst(p *filesPlay) {
	p.Arguments["overwrite"] = true
	filesWithNew(p)
	p.date()
	p.CreateBeforeDestroy, p.Replaced = true, true
}

// date gives the file a time that is later than now, so that the part always gets a later one.
func (p *filesPlay) date() {
	p.Helper()
	name := filepath.Join(p.root, p.file)
	info, err := os.Stat(name)
	p.Must(err)
	p.Must(os.Chtimes(name, time.Time{}, info.ModTime().Add(30*time.Second)))
}
