package provider_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// bookAudio is the address of the block in these tests.
const bookAudio = "audioprojects_project_snapshot_audio.book"

func TestAccProjectSnapshotAudioResource(t *testing.T) {
	service := acctest.NewService(t, recordings)
	// Missing folders are created.
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "the book", "Hör zu.wav"))
	oldAudio, newAudio, newMPEG := sound(t, "old", false), sound(t, "new", false), sound(t, "new", true)
	oldSHA256, newSHA256, mpegSHA256 := sha256.Sum256(oldAudio), sha256.Sum256(newAudio), sha256.Sum256(newMPEG)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: projectSnapshotAudioConfig(file, "old", ""),
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionCreate),
					plancheck.ExpectKnownValue(bookAudio, tfjsonpath.New("id"), knownvalue.StringExact("book/old")),
					plancheck.ExpectUnknownValue(bookAudio, tfjsonpath.New("content_sha256")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("id"), knownvalue.StringExact("book/old")),
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("filename"), knownvalue.StringExact(file)),
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("convert_to_mpeg"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("content_type"), knownvalue.StringExact("audio/wav")),
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("size"), knownvalue.Int64Exact(int64(len(oldAudio)))),
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("content_sha256"), knownvalue.StringExact(hex.EncodeToString(oldSHA256[:]))),
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("content_base64sha256"),
						knownvalue.StringExact(base64.StdEncoding.EncodeToString(oldSHA256[:]))),
				},
				PostApplyFunc: func() {
					wantFile(t, file, oldAudio)
					info, err := os.Stat(file)
					if err != nil || info.Mode().Perm() != 0o644 {
						t.Errorf("got %v, %v, want mode 0644", info, err)
					}
					body, want := string(service.Journal()[0].Body), `{"convert_to_mpeg":false}`
					if body != want {
						t.Errorf("asked with %s, want %s", body, want)
					}
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			// Another snapshot. The plans between asked for nothing.
			{
				Config: projectSnapshotAudioConfig(file, "new", ""),
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(bookAudio, tfjsonpath.New("id"), knownvalue.StringExact("book/new")),
					plancheck.ExpectUnknownValue(bookAudio, tfjsonpath.New("content_sha256")),
					plancheck.ExpectUnknownValue(bookAudio, tfjsonpath.New("size")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("content_sha256"), knownvalue.StringExact(hex.EncodeToString(newSHA256[:]))),
				},
				PostApplyFunc: func() {
					wantFile(t, file, newAudio)
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			// Another format.
			{
				Config: projectSnapshotAudioConfig(file, "new", "convert_to_mpeg = true"),
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
					plancheck.ExpectUnknownValue(bookAudio, tfjsonpath.New("content_type")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("content_type"), knownvalue.StringExact("audio/mpeg")),
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("content_sha256"), knownvalue.StringExact(hex.EncodeToString(mpegSHA256[:]))),
				},
				PostApplyFunc: func() {
					wantFile(t, file, newMPEG)
					body, want := string(service.Journal()[0].Body), `{"convert_to_mpeg":true}`
					if body != want {
						t.Errorf("asked with %s, want %s", body, want)
					}
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
		},
	})
	// The test has destroyed the object.
	wantFile(t, file, nil)
	service.WantRequests(nil)
}

// The audio of what has just been converted, and again after an edit, as in the published example.
func TestAccProjectSnapshotAudioResource_afterConversion(t *testing.T) {
	service := acctest.NewService(t, acctest.Book())
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "book.mp3"))
	config := fmt.Sprintf(`
resource "audioprojects_project_conversion" "book" {
  project_id = "book"
}

data "audioprojects_project_snapshot" "book" {
  project_id  = "book"
  most_recent = true
  not_before  = audioprojects_project_conversion.book.last_conversion_date
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = "book"
  project_snapshot_id = data.audioprojects_project_snapshot.book.project_snapshot_id
  convert_to_mpeg     = true
  filename            = %q
}
`, file)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(bookAudio, tfjsonpath.New("project_snapshot_id")),
					plancheck.ExpectUnknownValue(bookAudio, tfjsonpath.New("id")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("id"), knownvalue.StringExact("book/project-snapshot-1")),
				},
				PostApplyFunc: func() {
					service.WantCount(mockserver.ConvertChapter, 1)
					service.WantCount(mockserver.StreamSnapshot, 1)
				},
			},
			{
				PreConfig: func() { service.EditChapter("book", "one", acctest.LongerText) },
				Config:    config,
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
					plancheck.ExpectUnknownValue(bookAudio, tfjsonpath.New("project_snapshot_id")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("id"), knownvalue.StringExact("book/project-snapshot-2")),
				},
				PostApplyFunc: func() {
					service.WantCount(mockserver.ConvertChapter, 2)
					service.WantCount(mockserver.StreamSnapshot, 2)
				},
			},
		},
	})
}

// An error leaves the old file as it was, and the next apply writes the new one.
func TestAccProjectSnapshotAudioResource_refused(t *testing.T) {
	service := acctest.NewFaultyService(t, recordings)
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "book.wav"))
	oldFileAndOneRequest := func() {
		wantFile(t, file, sound(t, "old", false))
		service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:      projectSnapshotAudioConfig(file, "no-such-snapshot", ""),
				ExpectError: regexp.MustCompile(`Unable to stream audio of snapshot "no-such-snapshot"(?s:.*)404 Not Found`),
			},
			{
				PreConfig: func() {
					wantFile(t, file, nil)
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
				Config: projectSnapshotAudioConfig(file, "old", ""),
			},
			{
				PreConfig:   oldFileAndOneRequest,
				Config:      projectSnapshotAudioConfig(file, "no-such-snapshot", ""),
				ExpectError: regexp.MustCompile(`404 Not Found(?s:.*)Nothing was written to`),
			},
			{
				PreConfig: oldFileAndOneRequest,
				Config:    projectSnapshotAudioConfig(file, "new", ""),
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
				),
				PostApplyFunc: func() {
					wantFile(t, file, sound(t, "new", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
		},
	})
}

// projectSnapshotAudioConfig writes the audio of a snapshot of recordings to a file.
func projectSnapshotAudioConfig(filename, snapshotID, arguments string) string {
	return fmt.Sprintf(`
resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = "book"
  project_snapshot_id = %q
  filename            = %q
  %s
}
`, snapshotID, filename, arguments)
}

// wantFile checks what is in a file, and that nothing else is in its folder. Nil means that there is no file.
func wantFile(t *testing.T, filename string, want []byte) {
	t.Helper()
	wantAlone(t, filename, [][]byte{want})
}
