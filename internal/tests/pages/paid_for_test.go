//go:build unix

package pages

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

const (
	anyProject = `
resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"
  # more
}
`
	anyChapter = `
resource "audioprojects_chapter_conversion" "book" {
  project_id = "audiobook"
  chapter_id = "only"
  # more
}
`
	followsText = "keep_up_to_date = true"
)

// longEnoughToBeSeen: of a shorter conversion of converted text, an apply waits half a minute for a sign.
var longEnoughToBeSeen = []mockserver.Conversion{{Takes: 1500 * time.Millisecond}, {Takes: 1500 * time.Millisecond}}

// with adds arguments to one of these resources.
func with(configuration string, arguments ...string) string {
	return strings.Replace(configuration, "# more", strings.Join(arguments, "\n  "), 1)
}

// oneChapter is the audiobook with one chapter.
func oneChapter(chapter mockserver.Chapter) mockserver.Project {
	chapter.ID, chapter.Text = "only", "Wren rowed on."
	return mockserver.Project{ID: "audiobook", Chapters: []mockserver.Chapter{chapter}}
}

// TestOneCLIPaidFor_afterAKill: a kill loses the state of an apply. What only unconverted text wanted is not paid for
// again, if the service shows it. What changed triggers wanted, and the creation of a chapter conversion that does
// not follow its text, is requested again, as the plan says.
func TestOneCLIPaidFor_afterAKill(t *testing.T) {
	t.Parallel()
	const first, second = `triggers = { take = "1" }`, `triggers = { take = "2" }`
	for name, test := range map[string]struct {
		before, killed string // before: what an earlier apply had, if any
		edit           bool   // before the apply that is killed
		runsOn, isLate bool   // the conversion when the next apply begins; late: no list shows it yet
		again          int
	}{
		"project, creation whose conversion shows late": {killed: anyProject, isLate: true, again: 1},
		"project, text":     {before: anyProject, killed: anyProject, edit: true},
		"project, triggers": {before: with(anyProject, first), killed: with(anyProject, second), again: 1},
		"chapter, creation": {killed: anyChapter, again: 1},
		"chapter, creation whose conversion still runs": {killed: anyChapter, runsOn: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			long := mockserver.Conversion{Takes: 2 * time.Minute} // until the test ends it
			conversions := []mockserver.Conversion{long}
			if test.before != "" {
				conversions = []mockserver.Conversion{{}, long}
			}
			r := follow(t, test.before, oneChapter(mockserver.Chapter{Conversions: conversions}))
			if test.before != "" {
				r.apply()
			}
			if test.edit {
				r.EditChapter("audiobook", "only", "Wren rowed on, and the bell was silent.")
			}
			r.Write(test.killed)
			r.cutShort((*clitest.Running).Kill)
			paid := r.Conversions("audiobook", "only")

			show := func() {
				chapter := mockserver.Chapter{Conversions: longEnoughToBeSeen}
				if !test.isLate {
					chapter.Converted, chapter.ConvertedAt = true, time.Now()
				}
				r.AddProject(oneChapter(chapter))
			}
			if test.runsOn {
				r.duringTheNextWait(show)
			} else {
				show()
				wantNamed(t, r.Run("plan"), test.again)
			}
			r.apply()
			r.wantSettled(paid + test.again)
		})
	}
}

// wantNamed checks that a plan's cost estimate has so many chapters.
func wantNamed(t *testing.T, plan string, chapters int) {
	t.Helper()
	if strings.Contains(plan, "Conversions that cost credits") != (chapters > 0) {
		t.Errorf("want %d chapters in the plan:\n%s", chapters, plan)
	}
}

// cutShort ends an apply after its request, when it has looked at the chapter twice.
func (r *reader) cutShort(end func(*clitest.Running)) {
	r.t.Helper()
	requested := r.Count(mockserver.ConvertChapter)
	waiting := make(chan struct{})
	waits := sync.OnceFunc(func() { close(waiting) })
	var looks atomic.Int32
	r.Watch(func(entry mockserver.Entry) {
		if entry.Operation == mockserver.ListChapters && r.Count(mockserver.ConvertChapter) > requested && looks.Add(1) == 2 {
			waits()
		}
	})
	apply := r.Start("apply", "-auto-approve")
	apply.When(waiting, end)
	screen, err := apply.Wait()
	if err == nil {
		r.t.Fatalf("the apply succeeded:\n%s", screen)
	}
}

// duringTheNextWait does something while the next apply waits: its plan and its first look may each read a list.
func (r *reader) duringTheNextWait(do func()) {
	before, once := r.Count(mockserver.ListChapters), sync.OnceFunc(do)
	r.Watch(func(mockserver.Entry) {
		if r.Count(mockserver.ListChapters) == before+5 {
			once()
		}
	})
}

// TestOneCLIPaidFor_afterARename: only a chapter conversion that does not follow its text is paid for again, and not
// with a `moved` block.
func TestOneCLIPaidFor_afterARename(t *testing.T) {
	t.Parallel()
	const (
		moved = `
moved {
  from = audioprojects_chapter_conversion.book
  to   = audioprojects_chapter_conversion.other
}
`
		oneKey, otherKey = `for_each = toset(["one"])`, `for_each = toset(["other"])`
	)
	renamed := func(configuration string) string { return strings.Replace(configuration, `"book"`, `"other"`, 1) }
	for name, test := range map[string]struct {
		before, after string
		again         int
	}{
		"project":                            {anyProject, renamed(anyProject), 0},
		"chapter that follows its text, key": {with(anyChapter, followsText, oneKey), with(anyChapter, followsText, otherKey), 0},
		"chapter":                            {anyChapter, renamed(anyChapter), 1},
		"chapter, moved":                     {anyChapter, renamed(anyChapter) + moved, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := follow(t, test.before, oneChapter(mockserver.Chapter{Conversions: longEnoughToBeSeen}))
			r.apply()
			r.wantSettled(1)
			r.Write(test.after)
			wantNamed(t, r.Run("plan"), test.again)
			r.apply()
			r.wantSettled(1 + test.again)
		})
	}
}
