package edges_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// wireWorld is the service, what stands between, and Terraform. It records what people see.
type wireWorld struct {
	ctx     context.Context
	mock    *mockserver.Server
	wire    *wireServer
	folder  string
	outcome *wireOutcome
	saved   *fakecore.Workspace // the resource of the course; nil if it has none
	posted  map[string]int      // requests for a conversion in this apply that were not refused, by chapter
	refused map[string]int      // those that were
}

// wireOutcome is what has become of a course.
type wireOutcome struct {
	words    []string          // all that was shown, each with its step
	errors   []string          // those of the words that are errors
	warnings []string          // those that are warnings
	values   map[string]string // of states and results, by step and path
	asked    []mockserver.Operation
	paid     int // conversions
	took     time.Duration
	broken   []string // what must never be
}

// Helper, Errorf, Fatalf and Context make it the T of fakecore: a broken rule of core is something that must never be.
func (w *wireWorld) Helper() {}

func (w *wireWorld) Errorf(format string, arguments ...any) {
	w.outcome.broken = append(w.outcome.broken, fmt.Sprintf(format, arguments...))
}

func (w *wireWorld) Fatalf(format string, arguments ...any) { panic(fmt.Sprintf(format, arguments...)) }

func (w *wireWorld) Context() context.Context { return w.ctx }

// wireBook has a value in each field of the document.
func wireBook() mockserver.Project {
	minute := mockserver.Conversion{Takes: 5 * time.Second}
	day := time.Now().Add(-24 * time.Hour)
	return mockserver.Project{
		ID: "book", Name: "The Book", Title: new("T"), Author: new("A"), Description: new("D"), Genres: []string{"Sea"}, CoverImageURL: new("https://a.example/b.png"),
		TargetAudience: new("adult"), Language: new("en"), ContentType: new("Novel"), OriginalPublicationDate: new("1999"), MatureContent: new(false),
		ISBNNumber: new("1"), Fiction: new("fiction"), CreationMeta: &mockserver.CreationMeta{Progress: 100, Status: "finished", Type: "blank"},
		Experimental: map[string]any{"a": 1}, PronunciationDictionaryVersions: []mockserver.PronunciationDictionaryVersion{{
			VersionID: "v", DictionaryID: "d", DictionaryName: "n", VersionName: "m", CreatedBy: "c", CreationTimeUnix: 1.7e9,
		}},
		Chapters: []mockserver.Chapter{
			{ID: "one", Name: "One", Text: "The lamp was lit.\n\nNobody had lit it.", Conversions: []mockserver.Conversion{minute}},
			{ID: "two", Name: "Two", Text: "The keeper was away.", Converted: true, Conversions: []mockserver.Conversion{minute},
				Snapshots: []mockserver.ChapterSnapshot{{ID: "s1", Name: "First", CreatedAt: day}, {ID: "s2", Name: "Second", CreatedAt: day.Add(time.Hour)}}},
		},
		Snapshots: []mockserver.ProjectSnapshot{
			{ID: "old", Name: "Old", CreatedAt: day, Length: 250 * time.Millisecond}, {ID: "new", Name: "New", CreatedAt: day.Add(time.Hour), Length: 300 * time.Millisecond},
		},
	}
}

// start starts and configures a provider.
func (w *wireWorld) start() *fakecore.Process {
	transport := w.wire.transport()
	p := newProcess(transport, transport.CloseIdleConnections)
	w.core("audioprojects_chapter_conversion").Configure(p, map[string]any{"base_url": w.wire.address(), "api_key": mockserver.Secret}, nil)
	return p
}

func (w *wireWorld) core(typeName string) *fakecore.Core { return fakecore.New(w, schemas(), typeName) }

func (w *wireWorld) workspace(typeName string, arguments map[string]any) *fakecore.Workspace {
	return &fakecore.Workspace{Core: w.core(typeName), Start: w.start, Arguments: arguments}
}

// shows records a screen, and returns whether an error is among it.
func (w *wireWorld) shows(step string, shown *fakecore.Screen) (failed bool) {
	o := w.outcome
	o.words = append(o.words, step+": "+shown.Action)
	for _, box := range shown.Estimate {
		o.words = append(o.words, step+": "+box)
	}
	for _, box := range shown.Warnings {
		o.words = append(o.words, step+": "+box)
		o.warnings = append(o.warnings, step+": "+box)
	}
	for _, box := range shown.Errors {
		o.words = append(o.words, step+": "+box)
		o.errors = append(o.errors, step+": "+box)
	}
	return len(shown.Errors) > 0
}

// keeps records a value.
func (w *wireWorld) keeps(step string, value tftypes.Value) {
	err := tftypes.Walk(value, func(path *tftypes.AttributePath, part tftypes.Value) (bool, error) {
		isWhole := part.Type().Is(tftypes.String) || part.Type().Is(tftypes.Number) || part.Type().Is(tftypes.Bool) || part.IsNull() || !part.IsKnown()
		if isWhole {
			w.outcome.values[step+" "+wirePath(path)] = part.String()
		}
		return true, nil
	})
	if err != nil {
		panic(err)
	}
}

// wirePath is a path as in a configuration, with the elements of sets left out.
func wirePath(path *tftypes.AttributePath) string {
	var steps []string
	for _, step := range path.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			steps = append(steps, string(step))
		case tftypes.ElementKeyInt:
			steps = append(steps, fmt.Sprint(int64(step)))
		case tftypes.ElementKeyString:
			steps = append(steps, string(step))
		}
	}
	return strings.Join(steps, ".")
}

// wireUse is a block, and what is done with it.
type wireUse struct {
	name   string
	course func(*wireWorld)
	// settle applies at a service that is as usual, until nothing changes; nil if the block changes nothing.
	settle func(*wireWorld)
}

// wireUses are all blocks that ask the service for something, in the courses of their lives.
func wireUses() (all []wireUse) {
	for _, name := range slices.Sorted(maps.Keys(schemas().DataSourceSchemas)) {
		all = append(all, wireUse{name: "data " + name, course: func(w *wireWorld) { w.read("read", name, wireArguments[name]) }})
	}
	for _, name := range slices.Sorted(maps.Keys(schemas().ListResourceSchemas)) {
		all = append(all, wireUse{name: "list " + name, course: func(w *wireWorld) { w.list(name) }})
	}
	for _, name := range slices.Sorted(maps.Keys(schemas().ActionSchemas)) {
		all = append(all, wireUse{name: "action " + name, course: func(w *wireWorld) { w.invoke(name) }})
	}
	for _, name := range slices.Sorted(maps.Keys(schemas().ResourceSchemas)) {
		all = append(all, wireCourses(name)...)
	}
	return all
}

// wireArguments are those of each block, as far as they are required.
var wireArguments = map[string]map[string]any{
	"audioprojects_project":                {"project_id": "book"},
	"audioprojects_chapters":               {"project_id": "book"},
	"audioprojects_chapter":                {"project_id": "book", "name": "One"},
	"audioprojects_chapter_snapshots":      {"project_id": "book", "chapter_id": "two"},
	"audioprojects_projects":               {},
	"audioprojects_project_snapshots":      {"project_id": "book"},
	"audioprojects_project_snapshot":       {"project_id": "book", "most_recent": true},
	"audioprojects_convert_chapter":        {"project_id": "book", "chapter_id": "one", "timeouts": map[string]any{"invoke": "8m"}},
	"audioprojects_convert_project":        {"project_id": "book", "timeouts": map[string]any{"invoke": "8m"}},
	"audioprojects_chapter_conversion":     {"project_id": "book", "chapter_id": "one", "timeouts": map[string]any{"create": "8m", "update": "8m"}},
	"audioprojects_project_conversion":     {"project_id": "book", "chapter_timeout": "8m", "timeouts": map[string]any{"create": "9m", "update": "9m"}},
	"audioprojects_project_snapshot_audio": {"project_id": "book", "project_snapshot_id": "new"},
}

// read reads a data source.
func (w *wireWorld) read(step, name string, arguments map[string]any) {
	p := w.start()
	defer p.End()
	kind := schemas().DataSourceSchemas[name].ValueType()
	config := w.core("audioprojects_chapter_conversion").Encode(fakecore.ValueOf(kind, arguments))
	response, err := p.ReadDataSource(w.ctx, &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: config})
	if err != nil {
		panic(err)
	}
	shown := &fakecore.Screen{}
	shown.Print(response.Diagnostics)
	if w.shows(step, shown) {
		return
	}
	value, err := response.State.Unmarshal(kind)
	if err != nil {
		panic(err)
	}
	w.keeps(step, value)
}

// list lists the objects of a type.
func (w *wireWorld) list(name string) {
	p := w.start()
	defer p.End()
	arguments := map[string]any{}
	_, isOfProject := fakecore.AttributesOf(fakecore.ValueOf(schemas().ListResourceSchemas[name].ValueType(), map[string]any{}))["project_id"]
	if isOfProject {
		arguments["project_id"] = "book"
	}
	const many = 100
	listed, shown := w.core(name).List(p, tfprotov6.ListResourceRequest{IncludeResource: true, Limit: many}, arguments, many)
	w.shows("list", shown)
	for i, one := range listed {
		w.outcome.values[fmt.Sprintf("list %d name", i)] = one.Name
		w.keeps(fmt.Sprintf("list %d identity", i), one.Identity)
		w.keeps(fmt.Sprintf("list %d", i), one.Object)
	}
}

// invoke plans an action and invokes it.
func (w *wireWorld) invoke(name string) {
	core := w.core("audioprojects_chapter_conversion")
	config := core.ActionConfig(name, wireArguments[name])
	p := w.start()
	shown := core.PlanAction(p, name, config)
	p.End()
	if w.shows("plan", shown) {
		return
	}
	p = w.start()
	defer p.End()
	var invoked *fakecore.Invocation
	w.pays(func() { invoked = core.Invoke(p, name, config) })
	w.shows("invoke", invoked.Screen)
	w.wantTruth(invoked.Screen, "one")
}

// pays does what may cost something, and checks that each chapter is requested once, as its plan has named it. What was refused does not count.
func (w *wireWorld) pays(do func()) {
	w.posted, w.refused = map[string]int{}, map[string]int{}
	do()
	for chapter, count := range w.posted {
		if count > 1 {
			w.Errorf("chapter %s was requested %d times in an apply", chapter, count)
		}
	}
	for chapter, count := range w.refused {
		if count > 2 {
			w.Errorf("a request for chapter %s was refused %d times in an apply, and has begun each time", chapter, count)
		}
	}
}

// wireCourses are the courses of a resource type.
func wireCourses(name string) []wireUse {
	if name == "audioprojects_project_snapshot_audio" {
		return wireAudioCourses(name)
	}
	arguments := wireArguments[name]
	create := wireUse{name: name + ", created"}
	with := func(more map[string]any) map[string]any {
		given := maps.Clone(arguments)
		maps.Copy(given, more)
		return given
	}
	create.course = func(w *wireWorld) {
		w.saved = w.workspace(name, arguments)
		w.apply("create")
		w.shows("plan after it", w.saved.Plan().Screen)
	}
	update := wireUse{name: name + ", updated"}
	update.course = func(w *wireWorld) {
		w.saved = w.workspace(name, with(map[string]any{"triggers": map[string]any{"voice": "a"}}))
		w.apply("create")
		w.saved.Arguments = with(map[string]any{"triggers": map[string]any{"voice": "b"}})
		w.apply("update")
	}
	adopt := wireUse{name: name + ", imported"}
	adopt.course = func(w *wireWorld) {
		id, given := "book", arguments
		if name == "audioprojects_chapter_conversion" {
			id, given = "book/two", with(map[string]any{"chapter_id": "two"})
		}
		w.saved = w.workspace(name, given)
		p := w.start()
		defer p.End()
		shown := &fakecore.Screen{}
		w.saved.Object = w.core(name).Import(p, id, shown)
		w.shows("import", shown)
		if w.saved.Object != nil {
			w.keeps("import", w.saved.Object.Value)
		}
		w.shows("plan after it", w.saved.Plan().Screen)
	}
	create.settle, update.settle, adopt.settle = (*wireWorld).settle, (*wireWorld).settle, (*wireWorld).settle
	return []wireUse{create, update, adopt}
}

// wireAudioCourses are those of a file.
func wireAudioCourses(name string) []wireUse {
	settle := func(w *wireWorld) {
		w.settle()
		w.wantFile("new")
	}
	with := func(w *wireWorld, snapshot string) map[string]any {
		given := maps.Clone(wireArguments[name])
		maps.Copy(given, map[string]any{"project_snapshot_id": snapshot, "filename": filepath.Join(w.folder, "book.wav")})
		return given
	}
	return []wireUse{
		{name: name + ", created", settle: settle, course: func(w *wireWorld) {
			w.saved = w.workspace(name, with(w, "new"))
			w.apply("create")
			w.wantFile("", "new")
		}},
		{name: name + ", updated", settle: settle, course: func(w *wireWorld) {
			w.saved = w.workspace(name, with(w, "old"))
			w.apply("create")
			w.saved.Arguments = with(w, "new")
			w.apply("update")
			w.wantFile("", "old", "new")
		}},
	}
}

// apply plans and applies, as two processes do.
func (w *wireWorld) apply(step string) {
	saved := w.saved
	plan := saved.Plan()
	if w.shows(step+", plan", plan.Screen) {
		return
	}
	before := *plan.Screen
	plan.Screen = &fakecore.Screen{Action: before.Action}
	var shown *fakecore.Screen
	w.pays(func() { shown = saved.ApplyPlan(plan) })
	failed := w.shows(step, shown)
	if saved.Object != nil {
		w.keeps(step, saved.Object.Value)
	}
	if !failed && before.Action != fakecore.NoOp && strings.Contains(saved.TypeName, "conversion") {
		w.wantTruth(shown, "one")
	}
}

// settle applies until nothing changes.
func (w *wireWorld) settle() {
	saved := w.saved
	const most = 4
	for range most {
		plan := saved.Plan()
		isDone := plan.Action == fakecore.NoOp && len(plan.Errors) == 0
		if isDone {
			return
		}
		if len(plan.Errors) == 0 {
			w.pays(func() { saved.ApplyPlan(plan) })
		}
		<-time.After(time.Minute)
	}
	w.Errorf("after %d applies at a usual service, a plan is not empty: %s", most, saved.Plan().Screen)
}

// wantTruth checks that what is reported as converted is converted, unless a warning or an error says more.
func (w *wireWorld) wantTruth(shown *fakecore.Screen, chapter string) {
	if len(shown.Errors)+len(shown.Warnings) > 0 {
		return
	}
	request := httptest.NewRequest(http.MethodGet, "/v1/projects/book/chapters", nil)
	request.Header.Set("xi-api-key", mockserver.Secret)
	recorder := httptest.NewRecorder()
	w.mock.ServeHTTP(recorder, request)
	for _, record := range wireParse(recorder.Body.String()).at("chapters[]") {
		isMeant := record.field("chapter_id").raw == `"`+chapter+`"`
		if isMeant && record.at("statistics")[0].field("characters_unconverted").raw != "0" {
			w.Errorf("success, and chapter %s is not converted", chapter)
		}
	}
}

// wantFile checks that the file is one of the snapshots' audio, whole, and that nothing is beside it. "" is no file.
func (w *wireWorld) wantFile(snapshots ...string) {
	entries, err := os.ReadDir(w.folder)
	if err != nil {
		panic(err)
	}
	names := []string{}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	content, _ := os.ReadFile(filepath.Join(w.folder, "book.wav"))
	isOne := slices.ContainsFunc(snapshots, func(id string) bool {
		if id == "" {
			return len(names) == 0
		}
		request := httptest.NewRequest(http.MethodPost, "/v1/projects/book/snapshots/"+id+"/stream", nil)
		request.Header.Set("xi-api-key", mockserver.Secret)
		recorder := httptest.NewRecorder()
		w.mock.ServeHTTP(recorder, request)
		return bytes.Equal(content, recorder.Body.Bytes()) && slices.Equal(names, []string{"book.wav"})
	})
	if !isOne {
		w.Errorf("the folder has %q, the file %d bytes: not whole, or not alone", names, len(content))
	}
}
