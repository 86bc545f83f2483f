package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// A file of somebody else is found in the plan, or in the apply if its name is not known before.
func TestAccProjectSnapshotAudioResource_filenameOfAStranger(t *testing.T) {
	service := acctest.NewService(t, recordings)
	folder := t.TempDir()
	first := filepath.ToSlash(filepath.Join(folder, "first", "book.wav"))
	second := filepath.ToSlash(filepath.Join(folder, "second", "book.wav"))
	bothFiles := func() {
		wantFile(t, first, sound(t, "old", false))
		wantFile(t, second, []byte("somebody else's"))
		service.WantRequests(nil)
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: namedLater("1", first, "old", ""),
				PostApplyFunc: func() {
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			{
				PreConfig: func() {
					makeFolder(t, filepath.Dir(second))
					writeFile(t, second, "somebody else's")
				},
				Config:      namedLater("1", first, "old", "") + otherAudio(second, ""),
				PlanOnly:    true,
				ExpectError: regexp.MustCompile("File exists already"),
			},
			{
				PreConfig:   bothFiles,
				Config:      projectSnapshotAudioConfig(second, "old", ""),
				PlanOnly:    true,
				ExpectError: regexp.MustCompile("File exists already(?s:.*)`overwrite = true`"),
			},
			{
				PreConfig:   bothFiles,
				Config:      namedLater("2", second, "old", ""),
				ExpectError: regexp.MustCompile("File exists already(?s:.*)`overwrite = true`"),
			},
			{
				PreConfig: bothFiles,
				Config:    namedLater("2", first, "old", ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
					},
				},
				PostApplyFunc: bothFiles,
			},
			{
				Config: namedLater("3", second, "old", "overwrite = true"),
				PostApplyFunc: func() {
					wantFile(t, first, nil)
					wantFile(t, second, sound(t, "old", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
		},
	})
}

// otherAudio is a further block, for the audio of the new snapshot.
func otherAudio(filename, arguments string) string {
	return fmt.Sprintf(`
resource "audioprojects_project_snapshot_audio" "other" {
  project_id          = "book"
  project_snapshot_id = "new"
  filename            = %q
  %s
}
`, filename, arguments)
}

// Two blocks write one file: the plan says it, or the apply if the name is not known before. Each keeps its file.
func TestAccProjectSnapshotAudioResource_filenameTwice(t *testing.T) {
	service := acctest.NewService(t, recordings)
	folder := t.TempDir()
	first := filepath.ToSlash(filepath.Join(folder, "first", "book.wav"))
	second := filepath.ToSlash(filepath.Join(folder, "second", "book.wav"))
	bothFiles := func() {
		wantFile(t, first, sound(t, "old", false))
		wantFile(t, second, sound(t, "new", false))
		service.WantRequests(nil)
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: namedLater("1", first, "old", "") + otherAudio(second, ""),
				PostApplyFunc: func() {
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 2})
				},
			},
			// Which of the two is planned first, Terraform leaves open.
			{
				PreConfig:   bothFiles,
				Config:      projectSnapshotAudioConfig(second, "old", "") + otherAudio(second, ""),
				PlanOnly:    true,
				ExpectError: regexp.MustCompile("File named twice|File exists already"),
			},
			{
				PreConfig:   bothFiles,
				Config:      projectSnapshotAudioConfig(second, "old", "overwrite = true") + otherAudio(second, ""),
				PlanOnly:    true,
				ExpectError: regexp.MustCompile("File named twice"),
			},
			{
				PreConfig:   bothFiles,
				Config:      namedLater("2", second, "old", "") + otherAudio(second, ""),
				ExpectError: regexp.MustCompile("File named twice|File exists already"),
			},
			// The other block changes as well, so that the apply knows of it.
			{
				PreConfig: bothFiles,
				Config: namedLater("3", second, "old", "overwrite = true") +
					otherAudio(second, "depends_on = [audioprojects_project_snapshot_audio.book]\nmax_size = 1000000"),
				ExpectError: regexp.MustCompile("File named twice"),
			},
		},
	})
}

// Two blocks may change their files' names only one after the other: each would take the other's file away.
func TestAccProjectSnapshotAudioResource_filenamesSwapped(t *testing.T) {
	service := acctest.NewService(t, recordings)
	folder := t.TempDir()
	first := filepath.ToSlash(filepath.Join(folder, "first", "book.wav"))
	second := filepath.ToSlash(filepath.Join(folder, "second", "book.wav"))
	two := func(one, other, arguments string) string {
		return projectSnapshotAudioConfig(one, "old", arguments) + otherAudio(other, arguments)
	}
	updates := resource.ConfigPlanChecks{
		PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
			plancheck.ExpectResourceAction("audioprojects_project_snapshot_audio.other", plancheck.ResourceActionUpdate),
		},
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: two(first, second, ""),
				PostApplyFunc: func() {
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 2})
				},
			},
			{
				Config:      two(second, first, ""),
				PlanOnly:    true,
				ExpectError: regexp.MustCompile("File exists already|File of another resource"),
			},
			{
				PreConfig: func() {
					wantFile(t, first, sound(t, "old", false))
					wantFile(t, second, sound(t, "new", false))
					service.WantRequests(nil)
				},
				Config:           two(second, first, "overwrite = true"),
				ConfigPlanChecks: updates,
				PostApplyFunc: func() {
					wantFile(t, first, sound(t, "new", false))
					wantFile(t, second, sound(t, "old", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 2})
				},
			},
		},
	})
	wantFile(t, first, nil)
	wantFile(t, second, nil)
}

// Without `file_permission`, a file under a new name gets the permission of a new file.
func TestAccProjectSnapshotAudioResource_filenameAndPermission(t *testing.T) {
	service := acctest.NewService(t, recordings)
	folder := t.TempDir()
	first := filepath.ToSlash(filepath.Join(folder, "first", "book.wav"))
	second := filepath.ToSlash(filepath.Join(folder, "second", "book.wav"))
	var mode os.FileMode
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: projectSnapshotAudioConfig(first, "new", ""),
				PostApplyFunc: func() {
					mode = statFile(t, first).Mode()
					err := os.Chmod(first, 0o600)
					if err != nil {
						t.Fatal(err)
					}
				},
			},
			{
				Config: projectSnapshotAudioConfig(second, "new", ""),
				PostApplyFunc: func() {
					wantFile(t, first, nil)
					got := statFile(t, second).Mode()
					if got != mode {
						t.Errorf("got mode %v, want that of a new file, %v", got, mode)
					}
				},
			},
			{
				Config: projectSnapshotAudioConfig(first, "new", `file_permission = "0640"`),
				PostApplyFunc: func() {
					got := statFile(t, first).Mode()
					if got != 0o640 {
						t.Errorf("got mode %v, want 0640", got)
					}
				},
			},
		},
	})
}

// With `when_missing = "keep"`, another name wants a file, whether or not the old one is there.
func TestAccProjectSnapshotAudioResource_filenameAndMissing(t *testing.T) {
	service := acctest.NewService(t, recordings)
	folder := t.TempDir()
	first := filepath.ToSlash(filepath.Join(folder, "first", "book.wav"))
	second := filepath.ToSlash(filepath.Join(folder, "second", "book.wav"))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: namedLater("1", first, "new", `when_missing = "keep"`),
				PostApplyFunc: func() {
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			{
				PreConfig: func() { removeFile(t, first) },
				Config:    namedLater("2", first, "new", `when_missing = "keep"`),
				PostApplyFunc: func() {
					wantFile(t, first, nil)
					service.WantRequests(nil)
				},
			},
			{
				Config: namedLater("3", second, "new", `when_missing = "keep"`),
				PostApplyFunc: func() {
					wantFile(t, first, nil)
					wantFile(t, second, sound(t, "new", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
		},
	})
}

func statFile(t *testing.T, filename string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(filename)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func readFile(t *testing.T, filename string) []byte {
	t.Helper()
	content, err := os.ReadFile(filename)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func makeFolder(t *testing.T, folder string) {
	t.Helper()
	err := os.MkdirAll(folder, 0o700)
	if err != nil {
		t.Fatal(err)
	}
}
