package provider_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// threeChapters adds the project "shelf" with three chapters: one converted, one not, and one without a name that is being
// converted.
func threeChapters(c *core) {
	c.service.AddProject(mockserver.Project{ID: "shelf", Chapters: []mockserver.Chapter{
		{ID: "a/b", Name: "Left", Text: acctest.ChapterText, Converted: true},
		{ID: "two", Name: "Middle", Text: acctest.ChapterText},
		{ID: "three", Text: acctest.ChapterText, Conversions: []mockserver.Conversion{oneMinute}},
	}})
	c.service.Convert("shelf", "three")
}

// list lists the chapters of a project. It stops after taken results, even if there are more.
func (c *core) list(p *fakecore.Process, request tfprotov6.ListResourceRequest, projectID string, taken int) ([]fakecore.Listed, *fakecore.Screen) {
	c.Helper()
	return c.List(p, request, map[string]any{"project_id": projectID}, taken)
}

// TestConversionListResource_namesEveryChapter: an object in the list is the same as the one that an import by its identity puts into the state. So a
// configuration generated from the list has an empty plan. Lists that follow soon share one request.
func TestConversionListResource_namesEveryChapter(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		threeChapters(c)
		bare, shown := c.list(p, tfprotov6.ListResourceRequest{Limit: 100}, "shelf", 100)
		shown.Want(c, "", nil, nil)
		whole, _ := c.list(p, tfprotov6.ListResourceRequest{Limit: 100, IncludeResource: true}, "shelf", 100)
		c.wantLists(1)
		for i, want := range []struct{ id, imported, name string }{{"a/b", "shelf/a%2Fb", "Left"}, {"two", "shelf/two", "Middle"}, {"three", "shelf/three", "three"}} {
			c.Import(want.imported)
			c.wantEqual(want.id, whole[i].Object, c.Object.Value)
			got := written(bare[i].Identity)
			if got != "{chapter_id='"+want.id+"' project_id='shelf'}" || bare[i].Name != want.name || !bare[i].Object.IsNull() {
				c.Errorf("got %s, %q and %s", got, bare[i].Name, bare[i].Object)
			}
		}
		if len(bare) != 3 || len(whole) != 3 {
			c.Errorf("got %d and %d results, want 3", len(bare), len(whole))
		}
		c.wantSent(0)
	})
}

func TestConversionListResource_limit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		projectID          string
		limit, taken, want int
	}{{"shelf", 1, 100, 1}, {"shelf", 3, 100, 3}, {"shelf", 4, 100, 3}, {"shelf", 100, 1, 1}, {"empty", 100, 100, 0}} {
		withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
			threeChapters(c)
			c.service.AddProject(mockserver.Project{ID: "empty"})
			results, shown := c.list(p, tfprotov6.ListResourceRequest{Limit: int64(test.limit)}, test.projectID, test.taken)
			shown.Want(c, "", nil, nil)
			if len(results) != test.want {
				c.Errorf("%+v: got %d results", test, len(results))
			}
		})
	}
}

// TestConversionListResource_interrupted ends in an error, unless all of it has been sent. StopProvider returns after that error: then the plugin
// library sends nothing more, and Terraform would take the list for complete.
func TestConversionListResource_interrupted(t *testing.T) {
	t.Parallel()
	incomplete := []string{"Unable to list chapters of project \"shelf\"\nInterrupted before all of them were listed. Run again."}
	for name, test := range map[string]struct {
		hangs  time.Duration
		after  int // results
		errors []string
	}{
		"during the request": {time.Minute, 0, incomplete},
		"before a result":    {0, 0, incomplete},
		"after two of three": {0, 2, incomplete},
		"after all":          {0, 3, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				threeChapters(c)
				c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Hang: test.hangs})
				interrupted, stopped := make(chan struct{}), make(chan struct{})
				go func() {
					defer close(stopped)
					<-interrupted
					c.stop(p)
				}()
				interrupt := sync.OnceFunc(func() {
					close(interrupted)
					synctest.Wait() // StopProvider waits for the list.
				})
				if test.hangs > 0 {
					time.AfterFunc(time.Second, interrupt)
				}
				stream := c.StartList(p, tfprotov6.ListResourceRequest{Limit: 100}, map[string]any{"project_id": "shelf"})
				if test.hangs == 0 && test.after == 0 {
					interrupt()
				}
				shown, sent := &fakecore.Screen{}, 0
				for result := range stream.Results {
					if !shown.Print(result.Diagnostics) {
						sent++
					}
					select {
					case <-stopped:
						c.Error("StopProvider has returned before the end of the list")
					default:
					}
					if sent == test.after && sent > 0 {
						interrupt()
					}
				}
				shown.Want(c, "", nil, test.errors)
				if sent != test.after {
					c.Errorf("got %d results, want %d", sent, test.after)
				}
				ended := time.Now()
				<-stopped
				waited := time.Since(ended)
				if waited > 0 {
					c.Errorf("StopProvider returned %s after the end of the list", waited)
				}
			})
		})
	}
}

// wantLists checks how many lists of chapters have been requested.
func (c *core) wantLists(want int) {
	c.Helper()
	got := c.service.Count(mockserver.ListChapters)
	if got != want {
		c.Errorf("lists: got %d, want %d", got, want)
	}
}
