package edges_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// filesChanged is a change, and the step that it changes.
type filesChanged struct {
	step   filesStep
	change filesChange
}

// changes are all changes of the steps, in their order.
func (r filesResult) changes() (changes []filesChanged) {
	for _, step := range r.steps {
		add := func(change filesChange) {
			change.step = step.String()
			changes = append(changes, filesChanged{step, change})
		}
		for _, errno := range filesErrnos {
			add(filesChange{with: errno})
		}
		add(filesChange{with: syscall.EIO, forGood: true})
		add(filesChange{killed: "before"})
		add(filesChange{killed: "after"})
	}
	return changes
}

// filesRow says how a play ends, and why.
type filesRow struct {
	step, with string // for the README
	outcome    filesOutcome
	reason     string
	fits       func(filesScenario, filesChanged) bool
}

// filesTable has all rows. The first that fits a play counts.
var filesTable = []filesRow{
	{
		"any", "a kill before or after it", filesKilled,
		"Nobody receives the answer, and the state stays as it was. The part may stay, which the next apply does not remove: a process on " +
			"another machine may be writing it, and not every share has locks. If the audio was in its place, the file looks like " +
			"somebody else's, and the plan says so without `overwrite`.",
		func(_ filesScenario, c filesChanged) bool { return c.change.killed != "" },
	},
	{
		"chmod or sync of the part, on a disk that never does it", "what it always answers", filesUnchanged, "There is a warning each time.",
		func(s filesScenario, c filesChanged) bool {
			return s.without[c.step.operation] == c.change.with && c.step.on() != "folder"
		},
	},
	{
		"chmod of a part that has the permission anyway", filesAnyErrno, filesUnchanged, "The file has the permission that it should have.",
		func(s filesScenario, c filesChanged) bool { return s.keepsPermission && c.step.operation == "chmod" },
	},
	{
		"sync of the part, chmod of the part or of the file", "EACCES, EPERM, EINVAL, ENOTSUP, ENOSYS", filesWarning,
		"The disk does not do it, as some mounted ones, and will not another time. The audio is worth more.",
		func(_ filesScenario, c filesChanged) bool {
			return c.step.is("sync chmod", "part file", "") && slices.Contains(filesNotAble, c.change.with)
		},
	},
	{
		"sync of the part, chmod of the part or of the file", "ENOSPC, EDQUOT, EROFS, EIO, EMFILE", filesError,
		"The disk is full or broken, and the next apply may succeed.",
		func(_ filesScenario, c filesChanged) bool { return c.step.is("sync chmod", "part file", "") },
	},
	{
		"look at the permission after a refused chmod", filesAnyErrno, filesWarning, "The permission was refused anyway.",
		func(_ filesScenario, c filesChanged) bool { return c.step.within("setPermission") },
	},
	{
		"open, sync and close of the folder, after the rename", filesAnyErrno, filesWarning,
		"The file is in its place. A machine that fails soon may forget its name.",
		func(_ filesScenario, c filesChanged) bool { return c.step.within("syncFolders") },
	},
	{
		"look at the file for its time, after the rename", filesAnyErrno, filesUnchanged,
		"The file is in its place. A later destruction goes by its content alone.",
		func(_ filesScenario, c filesChanged) bool {
			return c.step.is("lstat", "file", "Replace") && c.step.placed
		},
	},
	{
		"looks at both files, and the part's new time, before the rename", filesAnyErrno, filesUnchanged,
		"The times may be the same, on a disk that keeps only seconds. Then content alone tells the files apart.",
		func(_ filesScenario, c filesChanged) bool { return c.step.within("setLaterTime") },
	},
	{
		"rename, creation of the part or of folders, write", filesAnyErrno, filesError, "There is no file without it.",
		func(_ filesScenario, c filesChanged) bool { return c.step.is("rename create mkdir write", "", "") },
	},
	{
		"close of the part, before the rename", filesAnyErrno, filesError, "Some shares say only now that they have not kept what was written.",
		func(_ filesScenario, c filesChanged) bool { return c.step.is("close", "part", "Replace") },
	},
	{
		"close of what is removed or was only read", filesAnyErrno, filesUnchanged, "Nothing depends on it, and the system has closed it.",
		func(_ filesScenario, c filesChanged) bool { return c.step.is("close", "", "discard Has") },
	},
	{
		"removal of the part, when the audio did not come", filesAnyErrno, filesWarning, "It stays, and the warning names it.",
		func(_ filesScenario, c filesChanged) bool {
			return c.step.is("remove", "part", "Discard") && !c.step.within("Receive")
		},
	},
	{
		"removal of the part, in a plan or for a second attempt", filesAnyErrno, filesError,
		"It stays, and the error names it. A disk that removes nothing replaces nothing either.",
		func(_ filesScenario, c filesChanged) bool { return c.step.is("remove", "part", "") },
	},
	{
		"Linux is asked whether it lets the user replace the file", "EPERM", filesError,
		"It does not: the folder is sticky, or the file immutable. The error says that in its own words.",
		func(_ filesScenario, c filesChanged) bool {
			return c.step.operation == "rmdir" && filesErrnoNames[c.change.with] == "EPERM"
		},
	},
	{
		"Linux is asked whether it lets the user replace the file", "anything else", filesUnchanged, "It tells nothing. The next steps do.",
		func(_ filesScenario, c filesChanged) bool { return c.step.operation == "rmdir" },
	},
	{
		"look at what `..` leads out of", filesAnyErrno, filesUnchanged, "Only a folder that is missing matters. The next steps tell the rest.",
		func(_ filesScenario, c filesChanged) bool { return c.step.within("checkFolders") },
	},
	{
		"looks at the folders", filesAnyErrno, filesError, "Nobody knows whether the file can be there, and nothing is requested.",
		func(_ filesScenario, c filesChanged) bool {
			return c.step.within("existingFolder") || c.step.within("checkNames")
		},
	},
	{
		"look of a plan whether the file is missing", filesAnyErrno, filesUnchanged, "What cannot be looked at may be there.",
		func(_ filesScenario, c filesChanged) bool { return c.step.within("Missing") },
	},
	{
		"look, open and read of a refresh", filesAnyErrno, filesWarning, "The object stays in the state, whatever is in the file.",
		func(_ filesScenario, c filesChanged) bool { return c.step.phase == "refresh" },
	},
	{
		"looks of a destruction, whether its successor has the same file", filesAnyErrno, filesUnchanged,
		"The time tells whether somebody has written the file since. If so, it stays.",
		func(_ filesScenario, c filesChanged) bool {
			return c.step.within("SameName") && !c.step.within("Remove")
		},
	},
	{
		"looks of a destruction, whether this apply has written the file under another name", filesAnyErrno, filesError,
		"It might be the new audio. The old object stays, and the next apply forgets it.",
		func(_ filesScenario, c filesChanged) bool { return c.step.within("SameName") },
	},
	{
		"look, open and read of a destruction, of a file that this apply has written", filesAnyErrno, filesUnchanged,
		"The file stays, whatever is in it.",
		func(s filesScenario, c filesChanged) bool {
			return c.step.phase == "destroy" && c.step.within("Remove") && s.createsFirst
		},
	},
	{
		"look, open, read and removal of a destruction", filesAnyErrno, filesError, "The object stays in the state, as long as its file may be there.",
		func(_ filesScenario, c filesChanged) bool {
			return c.step.phase == "destroy" && c.step.within("Remove")
		},
	},
	{
		"look, open and read of the file, before it is replaced", filesAnyErrno, filesError, "It may be somebody else's.",
		func(_ filesScenario, c filesChanged) bool { return c.step.within("checkReplaceable") },
	},
}

const filesAnyErrno = "any"

// is says whether a step has one of these operations, is about one of these, and is taken within one of these functions. An
// empty list has all.
func (s filesStep) is(operations, on, functions string) bool {
	among := func(list, word string) bool {
		return list == "" || slices.Contains(strings.Fields(list), word)
	}
	return among(operations, s.operation) && among(on, s.on()) &&
		(functions == "" || slices.ContainsFunc(strings.Fields(functions), s.within))
}

// filesRowOf is the row of a play; nil if there is none.
func filesRowOf(s filesScenario, c filesChanged) *filesRow {
	for i := range filesTable {
		if filesTable[i].fits(s, c) {
			return &filesTable[i]
		}
	}
	return nil
}

// want checks that a play ends as its row says. A disk that refuses all further steps as well makes it worse, if anything.
func (r *filesRow) want(t *testing.T, c filesChanged, got filesResult) {
	t.Helper()
	severity := []filesOutcome{filesUnchanged, filesWarning, filesError}
	isWorse := c.change.forGood && slices.Index(severity, got.outcome) > slices.Index(severity, r.outcome)
	if got.outcome != r.outcome && !isWorse {
		t.Errorf("it ends in %q, and the table says %q (%s: %s)", got.outcome, r.outcome, r.step, r.reason)
	}
}

var filesReadmeTable = regexp.MustCompile(`\| step of a file \|.*\n(\|.*\n)+`)
var filesReadmeNumbers = regexp.MustCompile(`\d+ scenarios have \d+ steps, and there are \d+,\d+ plays\.`)

// filesReadme compares the README with the table and the numbers, or writes them.
func filesReadme(t *testing.T, steps int, plays map[*filesRow]int) {
	t.Helper()
	var table strings.Builder
	table.WriteString("| step of a file | refused with | ends | because | plays |\n|---|---|---|---|---|\n")
	all := 0
	for i := range filesTable {
		r := &filesTable[i]
		if plays[r] == 0 {
			t.Errorf("no play has the row %q, %q: remove it", r.step, r.with)
		}
		all += plays[r]
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %d |\n", r.step, r.with, r.outcome, r.reason, plays[r])
	}
	numbers := fmt.Sprintf("%d scenarios have %d steps, and there are %d,%03d plays.", len(filesScenarios), steps, all/1000, all%1000)
	recorded(t, filesReadmeTable, table.String())
	recorded(t, filesReadmeNumbers, numbers)
}
