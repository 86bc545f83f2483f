package simulation_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
)

// terraform is a Terraform with the objects of a story. It plans and applies, each in processes of their own.
type terraform struct {
	*world
	*ledger
	core      *fakecore.Core
	ctx       context.Context
	blocks    []*resource
	processes int
	goesDown  bool
}

// resource is a block, and what the state holds of it.
type resource struct {
	block
	fakecore.Instance
	index    int
	removed  *fakecore.Object // what it was called before
	triggers int
	replace  bool // this time, because somebody said so
	written  bool

	wish
}

// planned is a plan for a block.
type planned struct {
	*fakecore.Plan
	at time.Duration
}

func (t *terraform) config(r *resource) tftypes.Value {
	arguments := map[string]any{"project_id": "book", "chapter_id": chapterIDs[r.Chapter], "keep_up_to_date": r.Keep}
	if r.triggers > 0 {
		arguments["triggers"] = map[string]any{"voice": fmt.Sprint(r.triggers)}
	}
	if r.Timeout > 0 && !t.behaving {
		arguments["timeouts"] = map[string]any{"create": r.Timeout.String(), "update": r.Timeout.String()}
	}
	return t.core.Value(arguments)
}

// plan refreshes and plans every block.
func (t *terraform) plan(r round) map[*resource]planned {
	all := t.beginAll()
	defer all.end()
	plans := map[*resource]planned{}
	var mu sync.Mutex
	t.each(r, func(b *resource) {
		p := all[b.Alias]
		shown := &fakecore.Screen{}
		plan := planned{&fakecore.Plan{Screen: shown, Value: t.core.Null()}, t.now()}
		failed := false
		if !r.NoRefresh {
			for _, o := range []**fakecore.Object{&b.Object, &b.Deposed, &b.removed} {
				failed = *o != nil && t.refresh(p, b, o, shown) || failed
			}
		}
		if !failed {
			plan.Plan = t.core.Plan(p, b.Object, t.config(b), b.replace, shown)
		}
		if b.Action && len(shown.Errors) == 0 && (shown.Action == fakecore.Create || shown.Action == fakecore.Update) {
			shown.Print(t.core.PlanAction(p, actionType, t.actionConfig(b)).Diagnostics)
		}
		t.trace.at(t.now(), "PLAN", "block %d (%s, process %d): %s", b.index+1, chapterIDs[b.Chapter], p.number, shown)
		mu.Lock()
		defer mu.Unlock()
		plans[b] = plan
	})
	return plans
}

// each does something with every block that is written: with all at a time, or one after the other.
func (t *terraform) each(r round, do func(*resource)) {
	var group sync.WaitGroup
	for _, b := range t.order(r) {
		if r.Serial {
			do(b)
		} else {
			group.Go(func() { do(b) })
		}
	}
	group.Wait()
}

// refresh reports whether it failed.
func (t *terraform) refresh(p *process, b *resource, o **fakecore.Object, shown *fakecore.Screen) (failed bool) {
	began, before := t.now(), *o
	if *o, failed = t.core.Refresh(p, before, shown); !failed {
		t.refreshed(p, b, before, *o, began)
	}
	return failed
}

func (t *terraform) actionConfig(b *resource) tftypes.Value {
	arguments := map[string]any{"project_id": "book", "chapter_id": chapterIDs[b.Chapter]}
	if b.Timeout > 0 && !t.behaving {
		arguments["timeout"] = b.Timeout.String()
	}
	return t.core.ActionConfig(actionType, arguments)
}

// held is what the state holds of a block, under the names that it has and had.
type held struct {
	fakecore.Instance
	removed *fakecore.Object
}

// state is what is in the state of every block. A refresh and an apply put new objects there, and change none.
func (t *terraform) state() map[*resource]held {
	saved := map[*resource]held{}
	for _, b := range t.blocks {
		saved[b] = held{b.Instance, b.removed}
	}
	return saved
}

// restore is what a run does that saves nothing.
func (t *terraform) restore(saved map[*resource]held) {
	for b, objects := range saved {
		b.Instance, b.removed = objects.Instance, objects.removed
	}
}
