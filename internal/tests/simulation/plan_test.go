package simulation_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// terraform plays Terraform with the objects of a story. Every plan and every apply starts new processes of the provider.
type terraform struct {
	*world
	*ledger
	core      *fakecore.Core
	books     *fakecore.Core
	ctx       context.Context
	blocks    []*resource
	goesDown  bool
	rules     rules
	decisions []decision
}

// decision is one that an apply has gone by.
type decision struct {
	logged
	at      time.Duration
	chapter int
}

// observed records what the engine decides.
func (t *terraform) observed(o logged) {
	chapter := slices.Index(chapterIDs, o.ChapterID)
	t.locked(func(now time.Duration) {
		t.rules[ruleOf(o.Concluded)]++
		t.looks[chapter] = append(t.looks[chapter], now)
		if o.Predicted {
			return
		}
		t.decisions = append(t.decisions, decision{o, now, chapter})
		t.trace.at(now, "ENGINE", "%s shows %s: %s", o.ChapterID, cmp.Or(o.Facts, "nothing"), decided(o))
	})
}

// resource is a block and its object in the state.
type resource struct {
	block
	fakecore.Instance
	index    int
	removed  *fakecore.Object // the object under the block's former name
	triggers int
	after    *int64         // converted_after, in seconds since 1970; nil: there is none
	times    []demandedTime // that it has had
	replace  bool           // in the next apply, because somebody used -replace
	written  bool
	renamed  bool // at any time before
	// unprovisioned: a provisioner of the block fails in this run.
	unprovisioned bool
	settled       span // its last apply if that was green, and nobody has changed the block since

	wishes []*wish // one for each chapter that it may be about
}

func newResource(b block, index, chapters int) *resource {
	r := &resource{block: b, index: index}
	for chapter := range chapters {
		if b.Book || b.Chapter == chapter {
			r.wishes = append(r.wishes, &wish{resource: r, chapter: chapter, fresh: true})
		}
	}
	return r
}

// covered are the wishes of the chapters that the block is about now.
func (r *resource) covered() []*wish {
	if len(r.Chapters) == 0 {
		return r.wishes
	}
	return slices.DeleteFunc(slices.Clone(r.wishes), func(w *wish) bool { return !slices.Contains(r.Chapters, w.chapter) })
}

// chapterIDs are the chapter_ids of a book.
func (r *resource) chapterIDs() (ids []string) {
	for _, wish := range r.covered() {
		ids = append(ids, chapterIDs[wish.chapter])
	}
	return ids
}

// lists says whether the block names its chapters, and is not about all that the project has.
func (b *block) lists() bool { return len(b.Chapters) > 0 && !b.Excludes }

// nameChapters adds the argument that says which chapters a book is about.
func (r *resource) nameChapters(arguments map[string]any) {
	var others []string
	for _, wish := range r.wishes {
		if !r.covers(wish.chapter) {
			others = append(others, chapterIDs[wish.chapter])
		}
	}
	switch {
	case r.lists():
		arguments["chapter_ids"] = r.chapterIDs()
	case len(others) > 0:
		arguments["exclude_chapter_ids"] = others
	}
}

// covers says whether the block is about a chapter.
func (b *block) covers(chapter int) bool {
	if b.Book {
		return len(b.Chapters) == 0 || slices.Contains(b.Chapters, chapter)
	}
	return b.Chapter == chapter
}

// keeps says whether the block's chapters are to follow their text.
func (b *block) keeps() bool { return b.Keep || b.Book }

// keepsToItself says whether a new object is not told what the object knows that it replaces: that is destroyed later, or forgotten.
func (b *block) keepsToItself() bool { return b.CreateBeforeDestroy || b.Forgets }

// begin makes all wishes ones that no apply has begun to fulfil.
func (r *resource) begin() {
	for _, wish := range r.wishes {
		wish.fresh = true
	}
}

// thing names the block's chapters.
func (r *resource) thing() string {
	if r.Book {
		return "book"
	}
	return chapterIDs[r.Chapter]
}

func (t *terraform) coreOf(r *resource) *fakecore.Core {
	if r.Book {
		return t.books
	}
	return t.core
}

// planned is a plan for a block.
type planned struct {
	*fakecore.Plan
	at     time.Duration
	action *fakecore.Screen // of the block's action; nil if none is planned
}

func (t *terraform) config(r *resource) tftypes.Value {
	arguments := map[string]any{"project_id": "book"}
	if r.Timeout > 0 {
		arguments["timeouts"] = map[string]any{"create": r.Timeout.String(), "update": r.Timeout.String()}
	}
	if !r.Book {
		arguments["chapter_id"], arguments["keep_up_to_date"] = chapterIDs[r.Chapter], r.Keep
		if r.triggers > 0 {
			arguments["triggers"] = map[string]any{"voice": fmt.Sprint(r.triggers)}
		}
		return t.core.Value(arguments)
	}
	r.nameChapters(arguments)
	if r.after != nil {
		arguments["converted_after"] = time.Unix(*r.after, 0).UTC().Format(time.RFC3339)
	}
	if r.ChapterTimeout > 0 {
		arguments["chapter_timeout"] = r.ChapterTimeout.String()
	}
	return t.books.Value(arguments)
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
		core := t.coreOf(b)
		plan := planned{Plan: &fakecore.Plan{Screen: shown, Value: core.Null()}, at: t.now()}
		failed := false
		if !r.NoRefresh {
			for _, o := range []**fakecore.Object{&b.Object, &b.Deposed, &b.removed} {
				failed = *o != nil && t.refresh(p, b, o, shown) || failed
			}
		}
		if !failed {
			plan.Plan = core.Plan(p, b.Object, t.config(b), b.replace, shown)
		}
		if b.Action && len(shown.Errors) == 0 && (shown.Action == fakecore.Create || shown.Action == fakecore.Update) {
			plan.action = t.core.PlanAction(p, b.actionType(), t.actionConfig(b))
			t.trace.at(t.now(), "PLAN", "block %d: action: %s", b.index+1, plan.action)
			shown.Errors = append(shown.Errors, plan.action.Errors...)
		}
		t.trace.at(t.now(), "PLAN", "block %d (%s): %s", b.index+1, b.thing(), shown)
		mu.Lock()
		defer mu.Unlock()
		plans[b] = plan
	})
	if t.Limit > 0 && !t.closing {
		t.checkPlannedLimit(plans)
	}
	t.checkPlanning(plans, all)
	return plans
}

// each calls do for every block of the configuration: for all at the same time, or one after the other.
func (t *terraform) each(r round, do func(*resource)) {
	var group sync.WaitGroup
	turns := make(chan struct{}, cmp.Or(r.Parallelism, len(t.blocks)))
	for _, b := range t.order(r) {
		if r.Parallelism == 1 {
			do(b)
			continue
		}
		group.Go(func() {
			inTurn(b.index)
			turns <- struct{}{}
			do(b)
			<-turns
		})
	}
	group.Wait()
}

// refresh refreshes an object and reports whether that failed.
func (t *terraform) refresh(p *process, b *resource, o **fakecore.Object, shown *fakecore.Screen) (failed bool) {
	began, before := t.now(), *o
	*o, failed = t.coreOf(b).Refresh(p, before, shown)
	if !failed {
		for _, wish := range b.covered() {
			t.checkRefresh(p, wish, before, *o, began)
		}
	}
	return failed
}

func (b *block) actionType() string {
	if b.Book {
		return bookAction
	}
	return actionType
}

func (t *terraform) actionConfig(b *resource) tftypes.Value {
	arguments := map[string]any{"project_id": "book", "chapter_id": chapterIDs[b.Chapter]}
	if b.Book {
		arguments = map[string]any{"project_id": "book", "all": b.All}
		b.nameChapters(arguments)
	}
	if b.Timeout > 0 {
		arguments["timeout"] = b.Timeout.String()
	}
	return t.core.ActionConfig(b.actionType(), arguments)
}

// state is a copy of the state. The copy stays as it is, because a refresh and an apply replace objects and change none.
func (t *terraform) state() map[*resource]resource {
	saved := map[*resource]resource{}
	for _, b := range t.blocks {
		saved[b] = *b
	}
	return saved
}

// restore puts a saved state back, as after a run that was killed before it saved.
func (t *terraform) restore(saved map[*resource]resource) {
	for b, was := range saved {
		b.Instance, b.removed = was.Instance, was.removed
	}
}
