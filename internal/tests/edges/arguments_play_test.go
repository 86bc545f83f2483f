package edges_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// The moments of a run at which core hands values to the provider.
const (
	argumentsValidation = "validation"
	argumentsPlan       = "plan"
	argumentsApply      = "apply"
)

var argumentMoments = []string{argumentsValidation, argumentsPlan, argumentsApply}

// argumentGiven is what a configuration says at a moment: the settings of the provider, and the arguments of the block.
type argumentGiven struct{ settings, arguments argumentsMap }

// argumentOutcome is what has become of a play.
type argumentOutcome struct {
	moment  string   // of the errors; empty if there are none
	errors  []string // each with the attribute at which it points
	details []string // the same errors without it
	action  string   // that the plan has shown
	free    int      // requests that cost nothing
	planned int      // requests until the end of the plan
	costs   []string // requests that cost, in an order of their own
	result  string   // the object in the state, or what was read, listed or told
	next    string   // the action of the next plan
}

// argumentsRun plays one run of Terraform with one block, in a synctest bubble.
type argumentsRun struct {
	*testing.T
	argumentOutcome
	block   argumentBlock
	at      map[string]argumentGiven
	existed argumentsMap // the arguments of a resource that is in the state already; nil if there is none
	name    string
	traced  bool
	// deferral: core can defer what depends on an unknown provider.
	deferral bool
	service  *mockserver.Server
	folder   string
	core     *fakecore.Core
	plan     *fakecore.Plan
}

// argumentsPlayed plays a run with the values that core knows at each moment.
func argumentsPlayed(t *testing.T, run *argumentsRun) argumentOutcome {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		run.T, run.service = t, argumentsService()
		run.begin()
		run.play()
		run.remember()
	})
	return run.argumentOutcome
}

func (r *argumentsRun) begin() {
	r.folder, r.core = argumentFolder, fakecore.New(r, schemas(), r.block.name)
	if r.block.base()["filename"] == nil {
		return // It needs no folder, and to make one takes time.
	}
	r.folder = r.TempDir()
	r.core.Must(os.WriteFile(filepath.Join(r.folder, argumentFile), []byte("of somebody"), 0o600))
}

// Errorf says which play has broken a rule of core's.
func (r *argumentsRun) Errorf(format string, values ...any) {
	r.Helper()
	r.T.Errorf("%s: %s", r.name, fmt.Sprintf(format, values...))
}

func (r *argumentsRun) trace(format string, values ...any) {
	if r.traced {
		r.Logf(format, values...)
	}
}

// argumentsProjects are two, which are alike.
func argumentsProjects(takes time.Duration) (all []mockserver.Project) {
	began := time.Now()
	for _, id := range []string{"book", "other"} {
		project := mockserver.Project{ID: id, Snapshots: []mockserver.ProjectSnapshot{
			{ID: "old", CreatedAt: began, Length: time.Second}, {ID: "new", CreatedAt: began.Add(time.Second), Length: time.Second},
		}}
		for _, chapter := range []string{"one", "two", "three"} {
			project.Chapters = append(project.Chapters, mockserver.Chapter{
				ID: chapter, Name: "Chapter " + chapter, Text: "This is chapter " + chapter + ".",
				Conversions: []mockserver.Conversion{{Takes: takes}}, Snapshots: []mockserver.ChapterSnapshot{{ID: "old", CreatedAt: began}},
			})
		}
		all = append(all, project)
	}
	return all
}

func argumentsService() *mockserver.Server {
	service := mockserver.New()
	for _, project := range argumentsProjects(5 * time.Second) {
		service.AddProject(project)
	}
	return service
}

// start starts a provider, and configures it if the moment is not that of the validation, as core does.
func (r *argumentsRun) start(moment string) (process *fakecore.Process, failed bool) {
	network := mockserver.NewNetwork(r.service)
	process = newProcess(&http.Transport{DialContext: network.DialContext}, network.Close)
	config := r.core.ProviderConfig(r.in(r.at[moment].settings))
	valid, err := process.ValidateProviderConfig(r.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
	r.core.Must(err)
	if r.tell(moment, "validates the provider block", valid.Diagnostics) || moment == argumentsValidation {
		return process, r.moment != ""
	}
	configured, err := process.ConfigureProvider(r.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: config, ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: r.deferral},
	})
	r.core.Must(err)
	return process, r.tell(moment, "configures the provider", configured.Diagnostics)
}

// in are given values with the folder of the play.
func (r *argumentsRun) in(given argumentsMap) argumentsMap {
	given = maps.Clone(given)
	for name, value := range given {
		text, isText := value.(string)
		if isText {
			given[name] = strings.Replace(text, argumentFolder, r.folder, 1)
		}
	}
	return given
}

// tell notes the errors of a moment, and reports whether there are any.
func (r *argumentsRun) tell(moment, what string, found []*tfprotov6.Diagnostic) (failed bool) {
	r.trace("%s: %s", moment, what)
	for _, diagnostic := range found {
		at := argumentAt(diagnostic.Attribute)
		text := strings.ReplaceAll(diagnostic.Summary+"\n"+diagnostic.Detail, r.folder, argumentFolder)
		r.trace("  %s at %q: %s", diagnostic.Severity, at, text)
		if diagnostic.Severity != tfprotov6.DiagnosticSeverityError {
			continue
		}
		r.moment, failed = moment, true
		r.errors = append(r.errors, at+": "+text)
		r.details = append(r.details, text)
	}
	return failed
}

// argumentAt is a path as [argument] has it.
func argumentAt(path *tftypes.AttributePath) string {
	var names []string
	for _, step := range path.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			names = append(names, string(step))
		default:
			names = append(names, "*")
		}
	}
	return strings.Join(names, ".")
}

// play goes through the moments until one has errors.
func (r *argumentsRun) play() {
	var instance fakecore.Instance
	if r.existed != nil {
		instance = r.create()
	}
	for _, moment := range argumentMoments {
		if moment == argumentsApply && (r.block.kind == argumentsOfListResources || r.block.kind == argumentsOfDataSources && r.result != "") {
			return // There is no such moment, or nothing is left to be read.
		}
		if !r.playAt(moment, &instance) {
			return
		}
	}
}

// create makes the object that is in the state already.
func (r *argumentsRun) create() (instance fakecore.Instance) {
	w := r.workspace(&instance, r.existed)
	process, _ := r.start(argumentsPlan)
	defer process.End()
	shown := &fakecore.Screen{}
	w.Turn(process, shown).Apply(w.PlanChange(process, shown))
	r.tell("before", "creates the object", shown.Diagnostics)
	r.service.ResetJournal()
	r.service.EditChapter("book", "one", "This is chapter one. It is longer now.")
	return w.Instance
}

func (r *argumentsRun) workspace(instance *fakecore.Instance, arguments argumentsMap) *fakecore.Workspace {
	return &fakecore.Workspace{Core: r.core, Instance: *instance, Arguments: r.in(arguments)}
}

// playAt plays what core does at a moment, and reports whether it goes on.
func (r *argumentsRun) playAt(moment string, instance *fakecore.Instance) bool {
	process, failed := r.start(moment)
	defer process.End()
	if failed {
		return false
	}
	switch r.block.kind {
	case argumentsOfResources:
		r.playResource(moment, process, instance)
	case argumentsOfDataSources:
		r.playDataSource(moment, process)
	case argumentsOfActions:
		r.playAction(moment, process)
	case argumentsOfListResources:
		r.playList(moment, process)
	}
	return r.moment == ""
}

// remember takes what a play has requested, and makes results of two plays comparable.
func (r *argumentsRun) remember() {
	for _, entry := range r.service.Journal() {
		if entry.Operation == mockserver.ConvertChapter || entry.Operation == mockserver.StreamSnapshot {
			r.costs = append(r.costs, fmt.Sprintf("%s %s %s", entry.Method, entry.Path, entry.Body))
		} else {
			r.free++
		}
		r.trace("request: %s %s: %d", entry.Method, entry.Path, entry.Status)
	}
	slices.Sort(r.costs)
	r.result = strings.ReplaceAll(r.result, r.folder, argumentFolder)
	files, _ := filepath.Glob(filepath.Join(r.folder, "*"))
	for _, file := range files {
		info, err := os.Stat(file)
		if err == nil && !info.IsDir() {
			r.result += fmt.Sprintf(" %s %s %d", filepath.Base(file), info.Mode(), info.Size())
		}
	}
}
