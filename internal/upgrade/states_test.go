//go:build unix

package upgrade

import (
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// upgraded is a workspace with a state that an earlier version wrote, and the service as it was then.
type upgraded struct {
	*testing.T
	*fakecore.Workspace
	service *mockserver.Server
}

// open makes a workspace from a state.
func open(t *testing.T, object left, state stateFile, service *mockserver.Server) *upgraded {
	t.Helper()
	schemas, _ := schemas(t)
	u := &upgraded{T: t, service: service}
	u.Workspace = &fakecore.Workspace{
		Core: fakecore.New(t, schemas, object.kind),
		Start: func() *fakecore.Process {
			network := service.Network()
			server := provider.NewServer("test", &http.Transport{DialContext: network.DialContext})()
			p := &fakecore.Process{Provider: server.(fakecore.Provider), End: func() { network.Close() }}
			u.Configure(p, map[string]any{"base_url": "http://localhost", "api_key": mockserver.Secret}, nil)
			return p
		},
		Defaults: map[string]any{"project_id": "book"}, Arguments: maps.Clone(object.arguments),
	}
	if object.kind == conversion {
		u.Defaults["chapter_id"] = "one"
	}
	u.Object = u.upgrade(object.kind, state)
	return u
}

// upgrade calls the provider to upgrade the object of a state, as core does first of all.
func (u *upgraded) upgrade(kind string, state stateFile) *fakecore.Object {
	u.Helper()
	if len(state.Resources) != 1 || len(state.Resources[0].Instances) != 1 || state.Resources[0].Type != kind {
		u.Fatalf("the state must have exactly one object")
	}
	instance := state.Resources[0].Instances[0]
	p := u.Start()
	defer p.End()
	value, err := p.UpgradeResourceState(u.Context(), &tfprotov6.UpgradeResourceStateRequest{
		TypeName: kind, Version: instance.SchemaVersion, RawState: &tfprotov6.RawState{JSON: instance.Attributes},
	})
	u.Must(err)
	u.Must(nil, value.Diagnostics...)
	object := &fakecore.Object{Value: u.Decode(value.UpgradedState), Private: instance.Private, Tainted: instance.Status == "tainted"}
	if instance.Identity == nil {
		return object
	}
	// Core calls the provider to upgrade an identity only if its version differs.
	_, identities := schemas(u.T)
	schema := identities.IdentitySchemas[kind]
	if schema.Version != instance.IdentitySchemaVersion {
		u.Fatalf("version %d of the identity needs an upgrade to %d, which this test does not know yet", instance.IdentitySchemaVersion, schema.Version)
	}
	identity, err := (tfprotov6.RawState{JSON: instance.Identity}).Unmarshal(schema.ValueType())
	u.Must(err)
	object.Identity = &tfprotov6.ResourceIdentityData{IdentityData: u.Encode(identity)}
	return object
}

// pendingFor is how long a conversion takes that is pending in a state.
const pendingFor = time.Hour

// replay makes the service do what the state shows, at the same times. It returns the time at which the state was saved.
func replay(t *testing.T, object left, state stateFile) (service *mockserver.Server, saved time.Time) {
	t.Helper()
	converted, requested := state.times(t)
	var conversions []mockserver.Conversion
	if converted > 0 {
		conversions = append(conversions, mockserver.Conversion{Takes: time.Minute})
	}
	service = mockserver.New()
	service.SetHabits(object.habits)
	sleepUntil(time.Unix(max(converted, requested), 0).Add(-time.Hour))
	service.AddProject(object.project(append(conversions, mockserver.Conversion{Takes: pendingFor})...))
	for _, moment := range []int64{converted - 60, requested} {
		if moment > 0 {
			sleepUntil(time.Unix(moment, 0))
			service.Convert("book", "one")
		}
	}
	saved = time.Unix(max(converted, requested), 0).Add(time.Second)
	sleepUntil(saved)
	return service, saved
}

func sleepUntil(moment time.Time) { time.Sleep(time.Until(moment)) }

// wantSettled checks that nothing is left to do, and that no conversion has been paid for.
func (u *upgraded) wantSettled() {
	u.Helper()
	u.Plan().Want(u, fakecore.NoOp, nil, nil)
	got := u.service.Conversions("book", "one")
	if got > 0 {
		u.Errorf("conversions paid for: got %d, want none", got)
	}
}

// TestStatesOfEarlierVersions plans these states, and applies pending conversions: some minutes after the state was
// saved, while the conversion runs, and some hours later, when the conversion has ended.
func TestStatesOfEarlierVersions(t *testing.T) {
	t.Parallel()
	for _, object := range objects {
		if object.kind != conversion {
			continue
		}
		for file, state := range object.states(t) {
			for when, later := range map[string]time.Duration{"soon": 10 * time.Minute, "late": 3 * time.Hour} {
				t.Run(file+" "+when, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						service, saved := replay(t, object, state)
						sleepUntil(saved.Add(later))
						u := open(t, object, state, service)
						switch {
						case object.want == "":
							left := fakecore.AttributesOf(u.Object.Value)
							left["service_url"] = tftypes.NewValue(tftypes.String, "http://localhost/v1") // Older versions did not save it.
							u.wantSettled()
							if !u.Object.Value.Equal(tftypes.NewValue(u.Object.Value.Type(), left)) {
								t.Errorf("the refresh has changed %s to %s", left, u.Object.Value)
							}
						case object.want == fakecore.Update && later > pendingFor:
							u.wantSettled()
						default:
							if later < pendingFor {
								u.Apply(fakecore.InterruptedAfter(3 * time.Second))
							}
							shown := u.Apply()
							if shown.Action != object.want || len(shown.Errors) > 0 || !shown.Says(object.says) && object.says != "" {
								t.Errorf("got %s, want %s that says %q", shown, object.want, object.says)
							}
							u.wantSettled()
						}
					})
				})
			}
		}
	}
}

// TestAudioOfEarlierVersions runs in the folder of the file, because filenames in states are relative.
func TestAudioOfEarlierVersions(t *testing.T) {
	object := objects[len(objects)-1]
	states := object.states(t)
	t.Chdir(t.TempDir())
	for file, state := range states {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service := mockserver.New()
				service.AddProject(object.project())
				restored := open(t, object, state, service)
				restored.Apply().Want(t, fakecore.Create, nil, nil)

				open(t, object, state, service).Plan().Want(t, fakecore.NoOp, nil, nil)
				// A file with the size and the time in the state is not read.
				info, err := os.Stat("book.wav")
				restored.Must(err)
				written := make([]byte, info.Size())
				write(t, written, state.fileTime(t))
				open(t, object, state, service).Plan().Want(t, fakecore.NoOp, nil, nil)

				write(t, written, state.fileTime(t).Add(time.Hour))
				altered := open(t, object, state, service)
				altered.Apply().Want(t, fakecore.Update, []string{"is no longer the audio of snapshot"}, nil)
				altered.Plan().Want(t, fakecore.NoOp, nil, nil)

				// Another name replaced the object in 0.1.0. Its file goes when the new one is there.
				write(t, written, state.fileTime(t))
				renamed := open(t, object, state, service)
				renamed.Arguments["filename"] = "renamed.wav"
				service.Inject(mockserver.Fault{Status: http.StatusNotFound})
				renamed.Apply().Want(t, fakecore.Update, nil, []string{"404 Not Found"})
				wantFiles(t, "book.wav")
				renamed.Apply().Want(t, fakecore.Update, nil, nil)
				wantFiles(t, "renamed.wav")
				shown, gone := renamed.Destroy()
				shown.Want(t, "destroy", nil, nil)
				if !gone {
					t.Error("it is still there")
				}
				wantFiles(t)
			})
		})
	}
}

func write(t *testing.T, content []byte, modified time.Time) {
	t.Helper()
	err := errors.Join(os.WriteFile("book.wav", content, 0o600), os.Chtimes("book.wav", modified, modified))
	if err != nil {
		t.Fatal(err)
	}
}

// wantFiles checks which files are in the folder of the test.
func wantFiles(t *testing.T, want ...string) {
	t.Helper()
	found, err := filepath.Glob("*")
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("got files %q, %v; want %q", found, err, want)
	}
}
