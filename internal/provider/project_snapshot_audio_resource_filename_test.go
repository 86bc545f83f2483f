package provider_test

import (
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

// The audio comes to the file's new name, and the old file is removed then.
func TestAccProjectSnapshotAudioResource_filename(t *testing.T) {
	service := acctest.NewService(t, recordings)
	folder := t.TempDir()
	first := filepath.ToSlash(filepath.Join(folder, "first", "book.wav"))
	second := filepath.ToSlash(filepath.Join(folder, "second", "book.wav"))
	third := filepath.ToSlash(filepath.Join(folder, "third", "book.wav"))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:        projectSnapshotAudioConfig(first, "new", ""),
				PostApplyFunc: func() { wantFile(t, first, sound(t, "new", false)) },
			},
			{
				Config: projectSnapshotAudioConfig(second, "new", ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
						plancheck.ExpectKnownValue(bookAudio, tfjsonpath.New("filename"), knownvalue.StringExact(second)),
						plancheck.ExpectKnownValue(bookAudio, tfjsonpath.New("id"), knownvalue.StringExact("book/new")),
						plancheck.ExpectUnknownValue(bookAudio, tfjsonpath.New("content_sha256")),
					},
				},
				PostApplyFunc: func() {
					wantFile(t, first, nil)
					wantFile(t, second, sound(t, "new", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 2})
				},
			},
			// Another spelling leads to the same file, which stays as it is.
			{
				Config: projectSnapshotAudioConfig(filepath.ToSlash(folder)+"/./second/book.wav", "new", ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
						plancheck.ExpectKnownValue(bookAudio, tfjsonpath.New("size"), knownvalue.NotNull()),
					},
				},
				PostApplyFunc: func() {
					wantFile(t, second, sound(t, "new", false))
					service.WantRequests(nil)
				},
			},
			// Another snapshot under another spelling.
			{
				Config: projectSnapshotAudioConfig(second, "old", ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
						plancheck.ExpectUnknownValue(bookAudio, tfjsonpath.New("size")),
					},
				},
				PostApplyFunc: func() {
					wantFile(t, second, sound(t, "old", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			// Another snapshot under another name. It is an update, whatever the lifecycle block says.
			{
				Config: projectSnapshotAudioConfig(third, "new", `
  lifecycle {
    create_before_destroy = true
  }
`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
						plancheck.ExpectKnownValue(bookAudio, tfjsonpath.New("id"), knownvalue.StringExact("book/new")),
					},
				},
				PostApplyFunc: func() {
					wantFile(t, second, nil)
					wantFile(t, third, sound(t, "new", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
		},
	})
	wantFile(t, third, nil)
	service.WantRequests(nil)
}

// The name of the snapshot is in the file's name, and each edit makes another snapshot.
func TestAccProjectSnapshotAudioResource_filenameOfSnapshot(t *testing.T) {
	project := acctest.Book()
	project.Name = "The Dark Lantern"
	service := acctest.NewService(t, project)
	folder := filepath.ToSlash(t.TempDir())
	file := folder + "/The Dark Lantern.mp3"
	config := fmt.Sprintf(`
resource "audioprojects_project_conversion" "book" {
  project_id = "book"
}

data "audioprojects_project_snapshot" "book" {
  project_id      = "book"
  most_recent     = true
  not_before_unix = audioprojects_project_conversion.book.last_conversion_date_unix
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = "book"
  project_snapshot_id = data.audioprojects_project_snapshot.book.project_snapshot_id
  convert_to_mpeg     = true
  filename            = "%s/${data.audioprojects_project_snapshot.book.name}.mp3"
}
`, folder)
	var first os.FileInfo
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: config,
				PostApplyFunc: func() {
					first = statFile(t, file)
					service.WantCount(mockserver.StreamSnapshot, 1)
				},
			},
			{
				PreConfig: func() { service.EditChapter("book", "one", acctest.LongerText) },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
						plancheck.ExpectUnknownValue(bookAudio, tfjsonpath.New("filename")),
					},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("filename"), knownvalue.StringExact(file)),
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("id"), knownvalue.StringExact("book/project-snapshot-2")),
				},
				PostApplyFunc: func() {
					wantFile(t, file, readFile(t, file))
					if os.SameFile(first, statFile(t, file)) {
						t.Error("the file has not been written anew")
					}
					service.WantCount(mockserver.StreamSnapshot, 2)
				},
			},
		},
	})
	wantFile(t, file, nil)
}

// namedLater is a name that each new edition makes unknown until the apply, and a snapshot's audio in the file of this name.
func namedLater(edition, filename, snapshotID, arguments string) string {
	return fmt.Sprintf(`
resource "terraform_data" "name" {
  triggers_replace = %q
  input            = %q
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = "book"
  project_snapshot_id = %q
  filename            = terraform_data.name.output
  %s
}
`, edition, filename, snapshotID, arguments)
}

// A name that the plan does not know may be any name. What it turns out to be decides.
func TestAccProjectSnapshotAudioResource_filenameUnknown(t *testing.T) {
	service := acctest.NewService(t, recordings)
	folder := t.TempDir()
	first := filepath.ToSlash(filepath.Join(folder, "first", "book.wav"))
	second := filepath.ToSlash(filepath.Join(folder, "second", "book.wav"))
	unknown := resource.ConfigPlanChecks{
		PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
			plancheck.ExpectUnknownValue(bookAudio, tfjsonpath.New("filename")),
			plancheck.ExpectUnknownValue(bookAudio, tfjsonpath.New("content_sha256")),
			plancheck.ExpectUnknownValue(bookAudio, tfjsonpath.New("size")),
		},
	}
	var before os.FileInfo
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: namedLater("1", first, "old", ""),
				PostApplyFunc: func() {
					before = statFile(t, first)
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			// The same name and the same snapshot: nothing is downloaded, and the file is not touched.
			{
				Config:           namedLater("2", first, "old", ""),
				ConfigPlanChecks: unknown,
				PostApplyFunc: func() {
					wantFile(t, first, sound(t, "old", false))
					if !os.SameFile(before, statFile(t, first)) {
						t.Error("the file has been written anew")
					}
					service.WantRequests(nil)
				},
			},
			// The same name, and another snapshot.
			{
				Config:           namedLater("3", first, "new", ""),
				ConfigPlanChecks: unknown,
				PostApplyFunc: func() {
					wantFile(t, first, sound(t, "new", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			// Another name, and the same snapshot.
			{
				Config:           namedLater("4", second, "new", ""),
				ConfigPlanChecks: unknown,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(bookAudio, tfjsonpath.New("filename"), knownvalue.StringExact(second)),
				},
				PostApplyFunc: func() {
					wantFile(t, first, nil)
					wantFile(t, second, sound(t, "new", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
		},
	})
	wantFile(t, second, nil)
}

// While the new audio is not whole, the old file stays, and the state with it.
func TestAccProjectSnapshotAudioResource_filenameRefused(t *testing.T) {
	service := acctest.NewFaultyService(t, recordings)
	folder := t.TempDir()
	first := filepath.ToSlash(filepath.Join(folder, "first", "book.wav"))
	second := filepath.ToSlash(filepath.Join(folder, "second", "book.wav"))
	oldFile := func() {
		wantFile(t, first, sound(t, "old", false))
		wantFile(t, second, nil)
	}
	const impatient = `
provider "audioprojects" {
  max_retries = 0
}
`
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: namedLater("1", first, "old", ""),
			},
			{
				PreConfig: func() {
					oldFile()
					service.Inject(mockserver.Fault{Operation: mockserver.StreamSnapshot, Status: 500})
				},
				Config:      impatient + projectSnapshotAudioConfig(second, "old", ""),
				ExpectError: regexp.MustCompile(`500 Internal Server Error(?s:.*)Nothing was written to`),
			},
			{
				PreConfig: func() {
					oldFile()
					service.Inject(mockserver.Fault{Operation: mockserver.StreamSnapshot, Truncate: 20000})
				},
				Config:      impatient + namedLater("2", second, "new", ""),
				ExpectError: regexp.MustCompile(`broke off(?s:.*)Nothing was written to`),
			},
			{
				PreConfig:   oldFile,
				Config:      projectSnapshotAudioConfig(second, "new", "max_size = 50000"),
				ExpectError: regexp.MustCompile("Audio too large"),
			},
			{
				PreConfig:   oldFile,
				Config:      projectSnapshotAudioConfig(second, "no-such-snapshot", ""),
				ExpectError: regexp.MustCompile(`404 Not Found`),
			},
			// The state is the old one, and its file is in it.
			{
				PreConfig: func() {
					oldFile()
					service.ResetJournal()
				},
				Config: projectSnapshotAudioConfig(first, "old", ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionNoop),
					},
				},
				PostApplyFunc: func() { service.WantRequests(nil) },
			},
			{
				Config: projectSnapshotAudioConfig(second, "new", ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
					},
				},
				PostApplyFunc: func() {
					wantFile(t, first, nil)
					wantFile(t, second, sound(t, "new", false))
				},
			},
		},
	})
}
