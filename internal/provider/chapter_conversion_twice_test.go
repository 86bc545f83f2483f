package provider_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const moreThanOne = "More than one resource for a chapter of project "

// instances are resources of one configuration, each with its own state, in one process of the provider.
type instances struct {
	*core
	all []*fakecore.Workspace
}

// add adds a resource for a chapter of the book.
func (i *instances) add(chapter any) *fakecore.Workspace {
	w := *i.Workspace
	w.Instance, w.Arguments = fakecore.Instance{}, map[string]any{"chapter_id": chapter, keepUpToDate: true}
	i.all = append(i.all, &w)
	return &w
}

// plan refreshes and plans all of them in one process, one after the other, and returns the warnings about a chapter that has two.
func (i *instances) plan() (warnings []string) {
	p := i.begin()
	defer p.End()
	for _, w := range i.all {
		shown := &fakecore.Screen{}
		w.Refresh(p, shown)
		warnings = append(warnings, ofTwo(w.PlanChange(p, shown))...)
	}
	return warnings
}

func ofTwo(plan *fakecore.Plan) (warnings []string) {
	for _, box := range plan.Warnings {
		if strings.HasPrefix(box, "More than one ") {
			warnings = append(warnings, box)
		}
	}
	return warnings
}

func withInstances(t *testing.T, test func(*instances)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := mockserver.New()
		service.AddProject(bookOf([]mockserver.Chapter{
			{ID: "one", Name: chapterName, Text: chapterText, Converted: true}, {ID: "two", Text: chapterText, Converted: true},
		}))
		test(&instances{core: newCore(t, chapterConversion, service, nil)})
	})
}

// TestTwoResourcesForOneChapter are a mistake, which the plan says once for each chapter: of new ones, of existing ones, of which nothing
// is to be changed, and of both.
func TestTwoResourcesForOneChapter(t *testing.T) {
	t.Parallel()
	withInstances(t, func(i *instances) {
		want := func(when string, chapters ...string) {
			t.Helper()
			warnings := i.plan()
			if len(warnings) != len(chapters) {
				t.Fatalf("%s: got %q, want %d warnings", when, warnings, len(chapters))
			}
			for n, chapter := range chapters {
				if !strings.HasPrefix(warnings[n], moreThanOne+`"book"`) || !strings.Contains(warnings[n], "\n  - "+chapter) || !strings.Contains(warnings[n], "a mistake") {
					t.Errorf("%s: got %q, want one about %s", when, warnings[n], chapter)
				}
			}
		}
		i.add("one").Apply()
		want("one that exists")
		i.add("two")
		want("another chapter")
		i.add("one")
		want("a new one and one that exists", `"one"`)
		slices.Reverse(i.all)
		want("the new one is planned first", `"The Dark Lantern" (one)`)
		slices.Reverse(i.all)
		i.all[0].Replaced = true // Terraform hides the warnings of the second half.
		want("a new one and one that is replaced", `"one"`)
		i.all[0].Replaced = false
		i.add("one")
		want("a third one", `"one"`)
		i.all[2].Apply()
		i.all[3].Apply()
		want("three that exist", `"The Dark Lantern" (one)`)
		i.add("two")
		want("another chapter has two", `"The Dark Lantern" (one)`, `"two"`)
		i.add(tftypes.UnknownValue)
		i.add(tftypes.UnknownValue)
		want("two more of which nobody knows the chapter", `"The Dark Lantern" (one)`, `"two"`)
	})
}

// TestOneResourceIsPlannedMoreThanOnce: as a replacement, which Terraform plans as an update and as a creation, whether it destroys
// first or not; and before a refresh, and after it, with -minimal-refresh. That is no mistake.
func TestOneResourceIsPlannedMoreThanOnce(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *fakecore.Workspace){
		"replaced by hand":        func(w *fakecore.Workspace) { w.Replaced = true },
		"created before":          func(w *fakecore.Workspace) { w.Replaced, w.CreateBeforeDestroy = true, true },
		"only forgotten":          func(w *fakecore.Workspace) { w.Replaced, w.Forgets = true, true },
		"without a refresh":       func(w *fakecore.Workspace) { w.Replaced, w.Unrefreshed = true, true },
		"of another chapter":      func(w *fakecore.Workspace) { w.Arguments["chapter_id"] = "two" },
		"tainted":                 func(w *fakecore.Workspace) { w.Object.Tainted = true },
		"with another argument":   func(w *fakecore.Workspace) { w.Arguments[keepUpToDate] = false },
		"with nothing to change":  func(*fakecore.Workspace) {},
		"with an edit to convert": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withInstances(t, func(i *instances) {
				w := i.add("one")
				w.Apply()
				if change == nil {
					i.service.EditChapter("book", "one", longerText)
				} else {
					change(w)
				}
				plan := w.Plan()
				shown := w.ApplyPlan(plan)
				if len(ofTwo(plan)) > 0 || shown.Says("More than one") {
					t.Errorf("got %s", shown)
				}
			})
		})
	}
	t.Run("before a refresh and after it", func(t *testing.T) {
		t.Parallel()
		withInstances(t, func(i *instances) {
			w := i.add("one")
			w.Apply()
			p := i.begin()
			defer p.End()
			before := ofTwo(w.PlanChange(p, &fakecore.Screen{}))
			w.Refresh(p, &fakecore.Screen{})
			after := ofTwo(w.PlanChange(p, &fakecore.Screen{}))
			if len(before)+len(after) > 0 {
				t.Errorf("got %q, %q", before, after)
			}
			other := i.add("one")
			warnings := ofTwo(other.PlanChange(p, &fakecore.Screen{}))
			if len(warnings) != 1 {
				t.Errorf("of two: got %q", warnings)
			}
		})
	})
}

// TestTwoProvidersForOneChapter: each provider block has a process of its own, which knows nothing of the other.
func TestTwoProvidersForOneChapter(t *testing.T) {
	t.Parallel()
	withInstances(t, func(i *instances) {
		for range 2 {
			p := i.begin()
			warnings := ofTwo(i.add("one").PlanChange(p, &fakecore.Screen{}))
			if len(warnings) > 0 {
				t.Errorf("got %q", warnings)
			}
			p.End()
		}
	})
}
