package edges_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// filesBase is the name of the file in each play.
const filesBase = "book.wav"

// filesBook has two snapshots of different lengths.
var filesBook = mockserver.Project{ID: "book", Snapshots: []mockserver.ProjectSnapshot{
	{ID: "old", Length: time.Second}, {ID: "new", Length: 2 * time.Second},
}}

// filesSounds are the audio of the snapshots, by their ids.
var filesSounds = sync.OnceValue(func() map[string]string {
	sounds := map[string]string{"mine": "mine"}
	for _, snapshot := range filesBook.Snapshots {
		service := mockserver.New()
		service.AddProject(filesBook)
		request := httptest.NewRequest(http.MethodPost, "/v1/projects/book/snapshots/"+snapshot.ID+"/stream", strings.NewReader(`{"convert_to_mpeg":false}`))
		request.Header.Set("xi-api-key", mockserver.Secret)
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		service.ServeHTTP(answer, request)
		sounds[snapshot.ID] = answer.Body.String()
	}
	return sounds
})

// filesOthers are files of somebody else. Nothing may happen to them.
var filesOthers = map[string]string{"notes.txt": "notes", ".audioprojects-notes": "notes"}

// filesPlay is one play of a scenario.
type filesPlay struct {
	*testing.T
	*fakecore.Workspace
	scenario filesScenario
	service  *mockserver.Server
	root     string // the folder of the play
	file     string // the path of the file in it, cleaned
	disk     *filesDisk
	ctx      context.Context
}

// Context is the context of every call to the provider.
func (p *filesPlay) Context() context.Context { return p.ctx }

// filesResult is what came of a play.
type filesResult struct {
	steps   []filesStep
	told    []string // the warnings and errors, without the folder of the play
	said    string   // those that are not told without a change, as they are
	outcome filesOutcome
	course  string // for a person
}

// filesOutcome is how a play ends.
type filesOutcome string

// The outcomes. What is told is told besides what the scenario tells without a change.
const (
	filesUnchanged filesOutcome = "as unchanged"
	filesWarning   filesOutcome = "warning"
	filesError     filesOutcome = "error"
	filesKilled    filesOutcome = "killed"
)

// play plays the scenario with a change of one step, or without any, and checks what is true of all plays.
func (s filesScenario) play(t *testing.T, change filesChange, usual filesResult) (result filesResult) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &filesPlay{T: t, scenario: s, service: mockserver.New(), root: t.TempDir(), ctx: t.Context()}
		p.service.AddProject(filesBook)
		p.Workspace = &fakecore.Workspace{
			Core:     fakecore.New(p, schemas(), "audioprojects_project_snapshot_audio"),
			Start:    p.start,
			Defaults: map[string]any{"project_id": "book", "project_snapshot_id": "new", "file_permission": "0640"},
		}
		p.Arguments = map[string]any{"filename": p.root + "/" + filesBase}
		p.file = filesBase
		for name, content := range filesOthers {
			p.put(name, content)
		}
		s.before(p)
		p.service.ResetJournal()
		was := p.content()
		object, deposed := p.Object, p.Deposed

		p.disk = &filesDisk{root: p.root, size: len(filesSounds()["new"]), change: change, without: s.without}
		screen := &fakecore.Screen{}
		var plan *fakecore.Plan
		if s.applies {
			disk := p.disk
			p.disk = nil
			plan = p.Plan()
			screen = plan.Screen
			p.disk = disk
		}
		p.run(plan, screen)
		result = p.result(screen, usual)
		if p.disk.killed && !s.applies {
			p.Object, p.Deposed = object, deposed
		}
		result.course = fmt.Sprintf("%s, %s\n%s\n%v\nfiles: %q", s.name, change, screen, result.steps, slices.Sorted(maps.Keys(p.files())))
		if change != (filesChange{}) && !p.disk.met {
			t.Errorf("the step has not come; these came: %v", p.disk.steps)
		}
		p.judge(change, result.said, len(screen.Errors) > 0, was)
		if !t.Failed() {
			p.heal(change)
		}
	})
	return result
}

// result is what came of a run.
func (p *filesPlay) result(screen *fakecore.Screen, usual filesResult) filesResult {
	result := filesResult{steps: p.disk.steps, outcome: filesUnchanged}
	for i, box := range slices.Concat(screen.Errors, screen.Warnings) {
		told := filesRandom.ReplaceAllLiteralString(strings.ReplaceAll(box, p.root, ""), filesPart)
		result.told = append(result.told, told)
		if slices.Contains(usual.told, told) {
			continue
		}
		result.said += strings.Join(strings.Fields(box), " ") + "\n"
		if i < len(screen.Errors) {
			result.outcome = filesError
		} else if result.outcome == filesUnchanged {
			result.outcome = filesWarning
		}
	}
	if p.disk.killed {
		result.outcome = filesKilled
	}
	return result
}

// run does what the scenario is about, in one process.
func (p *filesPlay) run(plan *fakecore.Plan, screen *fakecore.Screen) {
	process := p.Start()
	defer process.End()
	defer func() {
		if panics := recover(); panics != nil {
			p.Errorf("the provider panics: %v", panics)
		}
	}()
	turn := p.Turn(process, screen)
	turn.Watcher = filesWatcher{turn.Watcher, p.disk}
	turn.Killed = func() bool { return p.disk.killed }
	switch {
	case p.scenario.destroys:
		turn.Destroy(&p.Object, p.Object.Private)
	case p.scenario.applies:
		p.disk.phase = "plan"
		turn.Apply(plan)
	default:
		p.disk.phase = "refresh"
		if p.Refresh(process, screen) || p.scenario.refreshes {
			return
		}
		p.disk.phase = "plan"
		p.PlanChange(process, screen)
	}
}

// filesWatcher tells the disk what the provider does.
type filesWatcher struct {
	fakecore.Watcher
	disk *filesDisk
}

func (w filesWatcher) Called(action string) {
	w.disk.phase, w.disk.placed = action, false
	w.Watcher.Called(action)
}

// start starts a provider at the disk of the play; without one, at the usual disk.
func (p *filesPlay) start() *fakecore.Process {
	network := mockserver.NewNetwork(fakecore.Paced(p, p.service))
	machine := provider.Machine{Transport: &http.Transport{DialContext: network.DialContext}}
	if p.disk != nil {
		machine.Disk = p.disk
	}
	server := provider.NewServer("test", machine)()
	process := &fakecore.Process{Provider: server.(fakecore.Provider), End: network.Close}
	p.Configure(process, map[string]any{"base_url": "http://localhost", "api_key": mockserver.Secret}, nil)
	return process
}

// put writes a file as somebody else does.
func (p *filesPlay) put(name, content string) {
	p.Helper()
	p.Must(os.MkdirAll(filepath.Dir(filepath.Join(p.root, name)), 0o700))
	p.Must(os.WriteFile(filepath.Join(p.root, name), []byte(content), 0o600))
}
