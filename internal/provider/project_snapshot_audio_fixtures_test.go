package provider_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

var projectSnapshotAudio = resourceType{"audioprojects_project_snapshot_audio", map[string]any{"project_id": "book", "project_snapshot_id": "new"}}

// recordings is a book with snapshots of different lengths.
var recordings = mockserver.Project{ID: "book", Snapshots: []mockserver.ProjectSnapshot{
	{ID: "old", Length: time.Second}, {ID: "new", Length: 2 * time.Second},
	{ID: "long", Length: time.Minute}, {ID: "longer", Length: 2 * time.Minute},
	{ID: "longest", Length: 20 * time.Minute},
}}

// longest is the size in bytes of the longest.
const longest = 44 + 20*60*2*22050

// audioBlock writes a snapshot's audio to the file book.wav.
func audioBlock(name, snapshotID, arguments string) string {
	return fmt.Sprintf(`
resource "audioprojects_project_snapshot_audio" %q {
  project_id          = "book"
  project_snapshot_id = %s
  filename            = "out/book.wav"
  %s
}
`, name, snapshotID, arguments)
}

// audioCore is core with an object whose file is in a folder of its own.
type audioCore struct {
	*core
	folder, file string
}

func newAudioCore(t *testing.T, arguments map[string]any) *audioCore {
	t.Helper()
	service := mockserver.New()
	service.AddProject(recordings)
	folder := t.TempDir()
	c := &audioCore{core: newCore(t, projectSnapshotAudio, service, arguments), folder: folder, file: filepath.Join(folder, "book.wav")}
	c.Arguments["filename"] = c.file
	return c
}

// withAudio runs a test in fake time.
func withAudio(t *testing.T, arguments map[string]any, test func(*audioCore)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newAudioCore(t, arguments)) })
}

// sound is the audio of a snapshot, as another service like ours has it.
func sound(t *testing.T, snapshotID string, convertToMPEG bool) []byte {
	t.Helper()
	service := mockserver.New()
	service.AddProject(recordings)
	network := service.Network()
	defer network.Close()
	transport := &http.Transport{DialContext: network.DialContext}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/v1/projects/book/snapshots/"+snapshotID+"/stream",
		strings.NewReader(fmt.Sprintf(`{"convert_to_mpeg":%t}`, convertToMPEG)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("xi-api-key", mockserver.Secret)
	request.Header.Set("Content-Type", "application/json")
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	audio, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response.Status, err)
	}
	return audio
}

// leave puts something in the place of the file, before the object writes it.
func (c *audioCore) leave(content []byte) {
	c.Helper()
	if err := os.WriteFile(c.file, content, 0o600); err != nil {
		c.Fatal(err)
	}
}

// wantFolder checks that there is the file with one of the contents, and nothing else.
func (c *audioCore) wantFolder(contents ...[]byte) {
	c.Helper()
	wantAlone(c.T, c.file, contents)
}

// wantAlone checks that a file has one of the contents, and that its folder has no other. No
// file at all is nil.
func wantAlone(t *testing.T, name string, contents [][]byte) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() != filepath.Base(name) {
			t.Errorf("%s is left in the folder", entry.Name())
		}
	}
	got, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(contents, func(want []byte) bool { return (got == nil) == (want == nil) && bytes.Equal(got, want) }) {
		t.Errorf("the file has %d bytes, and is not as it should be", len(got))
	}
}

func (c *audioCore) wantRequests(want int) {
	c.Helper()
	got := c.service.Count(mockserver.StreamSnapshot)
	if got != want {
		c.Errorf("requests for audio: got %d, want %d", got, want)
	}
}
