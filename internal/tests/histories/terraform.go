package histories

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

// terraform plays Terraform with the resources of a history. Every plan and every apply starts a new process of the provider. What
// happens is recorded, and judged at the end.
type terraform struct {
	*service
	ctx         context.Context
	core, books *fakecore.Core
	resources   []*managed
	processes   int
	goesDown    bool
	trace       bool

	recording sync.Mutex
	broken    []Break
	turns     []*turn
	applies   []*apply
	refreshes []refresh
	screens   []screen
}

// managed is a resource with what the state has of it.
type managed struct {
	Resource
	fakecore.Instance
	index    int
	removed  *fakecore.Object // what the state has under the resource's former name
	triggers int
	replace  bool // in the next apply, because somebody used -replace
	desires  []*desire
}

// desire is one conversion of a chapter that a resource wants whatever text is unconverted: it is new and does not follow the text, or its
// triggers have changed, or somebody has replaced it.
type desire struct {
	chapter  int
	since    time.Duration
	triggers bool
	action   bool          // an action wants it, and nobody does any more when that has ended
	served   time.Duration // an apply has ended well, and says that it is served; 0: none has
	by       *job
}

// turn is a resource's turn in an apply, for one chapter, or that of its action.
type turn struct {
	*managed
	*apply
	chapter   int
	action    bool
	plan      *planned
	at, ended time.Duration    // the provider was called, and has answered
	screen    *fakecore.Screen // nil: the process was killed before it answered
	converts  bool             // the plan says that values of the chapter change
	continues bool             // a conversion of our own is pending
	left      bool             // the screen says that the chapter is left to a later plan
	timeout   time.Duration
}

// apply is one apply.
type apply struct {
	Run
	process int
	limit   int // as [History.Limit]
	began   time.Duration
	stopped time.Duration // when somebody interrupted or killed it; 0: never
	plans   map[*managed]*planned
}

// refresh is one that has changed what is kept of a chapter.
type refresh struct {
	*managed
	chapter       int
	process       int
	began, at     time.Duration
	gone, settled bool // the resource is gone from the state; our own pending conversion is, because it has ended
}

// planned is a plan for a resource.
type planned struct {
	*fakecore.Plan
	process  int
	chapters []int // that the resource was about
	renamed  bool  // the resource has another name in the state
	at       time.Duration
	action   *fakecore.Screen // of the resource's action; nil if none is planned
}

// screen is something that a person was shown.
type screen struct {
	at   time.Duration
	what string
}

func (t *terraform) tell(format string, arguments ...any) {
	if !t.trace {
		return
	}
	t.recording.Lock()
	defer t.recording.Unlock()
	t.screens = append(t.screens, screen{t.now(), fmt.Sprintf(format, arguments...)})
}

// covered are the chapters that the resource is about now.
func (m *managed) covered(h *History) (chapters []int) {
	for chapter := range h.Chapters {
		if m.covers(chapter) {
			chapters = append(chapters, chapter)
		}
	}
	return chapters
}

// covers says whether the resource is about a chapter.
func (r *Resource) covers(chapter int) bool {
	if r.Book {
		return len(r.Chapters) == 0 || slices.Contains(r.Chapters, chapter)
	}
	return r.Chapter == chapter
}

// follows says whether the audio follows the text.
func (r *Resource) follows() bool { return r.Keep || r.Book }

func (t *terraform) coreOf(m *managed) *fakecore.Core {
	if m.Book {
		return t.books
	}
	return t.core
}

func (m *managed) config(t *terraform) tftypes.Value {
	arguments := map[string]any{"project_id": "book"}
	if m.Timeout > 0 {
		arguments["timeouts"] = map[string]any{"create": m.Timeout.String(), "update": m.Timeout.String()}
	}
	if m.triggers > 0 {
		arguments["triggers"] = map[string]any{"voice": fmt.Sprint(m.triggers)}
	}
	if !m.Book {
		arguments["chapter_id"], arguments["keep_up_to_date"] = chapterIDs[m.Chapter], m.Keep
		return t.core.Value(arguments)
	}
	m.nameChapters(arguments)
	if m.ChapterTimeout > 0 {
		arguments["chapter_timeout"] = m.ChapterTimeout.String()
	}
	if m.PerApply > 0 {
		arguments["characters_per_apply"] = m.PerApply * charactersEach
	}
	return t.books.Value(arguments)
}

func (m *managed) nameChapters(arguments map[string]any) {
	var ids []string
	for _, chapter := range m.Chapters {
		ids = append(ids, chapterIDs[chapter])
	}
	if len(ids) > 0 {
		arguments["chapter_ids"] = ids
	}
}

func (m *managed) actionConfig(t *terraform) (actionType string, config tftypes.Value) {
	if m.Book {
		arguments := map[string]any{"project_id": "book"}
		m.nameChapters(arguments)
		return bookAction, t.core.ActionConfig(bookAction, arguments)
	}
	return chapterAction, t.core.ActionConfig(chapterAction, map[string]any{"project_id": "book", "chapter_id": chapterIDs[m.Chapter]})
}

// plan refreshes and plans every resource.
func (t *terraform) plan(r Run) map[*managed]*planned {
	p := t.begin()
	defer p.end()
	plans := map[*managed]*planned{}
	var mu sync.Mutex
	t.each(r, func(m *managed) {
		shown := &fakecore.Screen{}
		core := t.coreOf(m)
		plan := &planned{Plan: &fakecore.Plan{Screen: shown, Value: core.Null()}, process: p.number, chapters: m.covered(t.History), renamed: m.removed != nil, at: t.now()}
		failed := false
		for _, o := range []**fakecore.Object{&m.Object, &m.Deposed, &m.removed} {
			failed = *o != nil && t.refresh(p, m, o, shown) || failed
		}
		if !failed {
			plan.Plan = core.Plan(p, m.Object, m.config(t), m.replace, shown)
		}
		if m.Action && len(shown.Errors) == 0 && (shown.Action == fakecore.Create || shown.Action == fakecore.Update) {
			actionType, config := m.actionConfig(t)
			plan.action = t.core.PlanAction(p, actionType, config)
			shown.Errors = append(shown.Errors, plan.action.Errors...)
		}
		t.tell("plan of resource %d: %s", m.index+1, shown)
		mu.Lock()
		defer mu.Unlock()
		plans[m] = plan
	})
	return plans
}

// each calls do for every resource: so many at a time.
func (t *terraform) each(r Run, do func(*managed)) {
	var group sync.WaitGroup
	turns := make(chan struct{}, cmp.Or(r.Parallelism, len(t.resources)))
	for _, m := range t.resources {
		group.Go(func() {
			inTurn(m.index)
			turns <- struct{}{}
			do(m)
			<-turns
		})
	}
	group.Wait()
}

// refresh refreshes an object and reports whether that failed.
func (t *terraform) refresh(p *process, m *managed, o **fakecore.Object, shown *fakecore.Screen) (failed bool) {
	began, before := t.now(), *o
	*o, failed = t.coreOf(m).Refresh(p, before, shown)
	if failed {
		return true
	}
	for _, chapter := range m.covered(t.History) {
		_, own := m.pending(before, chapter)
		token, _ := m.pending(*o, chapter)
		gone := *o == nil
		if gone || own && token == "" {
			t.recording.Lock()
			t.refreshes = append(t.refreshes, refresh{m, chapter, p.number, began, t.now(), gone, !gone})
			t.recording.Unlock()
		}
	}
	if *o == nil && !m.follows() {
		m.want(t, desire{})
	}
	return false
}

// want adds a desire for each chapter of the resource.
func (m *managed) want(t *terraform, of desire) {
	for _, of.chapter = range m.covered(t.History) {
		of.since = t.now()
		isSame := func(d *desire) bool { return d.chapter == of.chapter && d.since == of.since && d.action == of.action }
		if slices.ContainsFunc(m.desires, isSame) {
			continue // Nobody has seen the triggers between two changes.
		}
		added := of
		m.desires = append(m.desires, &added)
	}
}
