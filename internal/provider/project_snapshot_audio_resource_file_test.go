package provider_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// Somebody deletes the file, or writes to it.
func TestAccProjectSnapshotAudioResource_drift(t *testing.T) {
	service := acctest.NewService(t, recordings)
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "book.wav"))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: projectSnapshotAudioConfig(file, "new", ""),
				PostApplyFunc: func() {
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			// Deleted.
			{
				PreConfig: func() { removeFile(t, file) },
				Config:    projectSnapshotAudioConfig(file, "new", ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionCreate),
					},
				},
				PostApplyFunc: func() {
					wantFile(t, file, sound(t, "new", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			// Altered.
			{
				PreConfig: func() { writeFile(t, file, "not the audio") },
				Config:    projectSnapshotAudioConfig(file, "new", ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
					},
				},
				PostApplyFunc: func() {
					wantFile(t, file, sound(t, "new", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
		},
	})
}

// With `when_missing = "keep"`, a file that is not there is no change, but another snapshot is.
func TestAccProjectSnapshotAudioResource_whenMissing(t *testing.T) {
	service := acctest.NewService(t, recordings)
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "book.wav"))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: projectSnapshotAudioConfig(file, "new", `when_missing = "keep"`),
				PostApplyFunc: func() {
					wantFile(t, file, sound(t, "new", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			{
				PreConfig: func() { removeFile(t, file) },
				Config:    projectSnapshotAudioConfig(file, "new", `when_missing = "keep"`),
				PlanOnly:  true,
			},
			// Nothing is downloaded for other arguments either.
			{
				Config: projectSnapshotAudioConfig(file, "new", `
  when_missing    = "keep"
  file_permission = "0600"
`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
					},
				},
				PostApplyFunc: func() {
					wantFile(t, file, nil)
					service.WantRequests(nil)
				},
			},
			{
				Config: projectSnapshotAudioConfig(file, "old", `when_missing = "keep"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
					},
				},
				PostApplyFunc: func() {
					wantFile(t, file, sound(t, "old", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			{
				PreConfig: func() { removeFile(t, file) },
				Config:    projectSnapshotAudioConfig(file, "old", `when_missing = "download"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
					},
				},
				PostApplyFunc: func() {
					wantFile(t, file, sound(t, "old", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
		},
	})
	wantFile(t, file, nil)
}

// A file that the object has not written is replaced only if `overwrite` says so.
func TestAccProjectSnapshotAudioResource_overwrite(t *testing.T) {
	service := acctest.NewService(t, recordings)
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "book.wav"))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				// The plan says it, before anybody approves of anything.
				PreConfig:   func() { writeFile(t, file, "somebody else's") },
				Config:      projectSnapshotAudioConfig(file, "new", ""),
				PlanOnly:    true,
				ExpectError: regexp.MustCompile("File exists already(?s:.*)`overwrite = true`"),
			},
			{
				PreConfig: func() {
					wantFile(t, file, []byte("somebody else's"))
					service.WantRequests(nil)
				},
				Config: projectSnapshotAudioConfig(file, "new", "overwrite = true"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionCreate),
					},
				},
				PostApplyFunc: func() {
					wantFile(t, file, sound(t, "new", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			// From now on it is the object's, with and without the argument.
			{
				Config: projectSnapshotAudioConfig(file, "new", ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
					},
				},
				PostApplyFunc: func() { service.WantRequests(nil) },
			},
			{
				Config: projectSnapshotAudioConfig(file, "old", ""),
				PostApplyFunc: func() {
					wantFile(t, file, sound(t, "old", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
		},
	})
}

// Destroying removes the file if it is still the object's own.
func TestAccProjectSnapshotAudioResource_destroy(t *testing.T) {
	service := acctest.NewService(t, recordings)
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "book.wav"))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			// One that is not there any more.
			{
				Config: projectSnapshotAudioConfig(file, "new", ""),
			},
			{
				PreConfig: func() { removeFile(t, file) },
				Config:    projectSnapshotAudioConfig(file, "new", ""),
				Destroy:   true,
			},
			// One that holds something else.
			{
				Config: projectSnapshotAudioConfig(file, "new", ""),
			},
			{
				PreConfig: func() { writeFile(t, file, "not the audio") },
				Config:    projectSnapshotAudioConfig(file, "new", ""),
				Destroy:   true,
			},
		},
	})
	wantFile(t, file, []byte("not the audio"))
	service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 2})
}

// How the file is kept changes in place, and nothing is downloaded for it.
func TestAccProjectSnapshotAudioResource_howItIsKept(t *testing.T) {
	service := acctest.NewService(t, recordings)
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "book.wav"))
	wantMode := func(want os.FileMode) {
		t.Helper()
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		got := info.Mode().Perm()
		if got != want {
			t.Errorf("got mode %v, want %v", got, want)
		}
	}
	update := resource.ConfigPlanChecks{
		PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(bookAudio, plancheck.ResourceActionUpdate),
			plancheck.ExpectKnownValue(bookAudio, tfjsonpath.New("size"), knownvalue.NotNull()),
		},
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: projectSnapshotAudioConfig(file, "new", `file_permission = "0600"`),
				PostApplyFunc: func() {
					wantMode(0o600)
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			// A limit is for the next download.
			{
				Config: projectSnapshotAudioConfig(file, "new", `
  file_permission = "400"
  max_size        = 1
`),
				ConfigPlanChecks: update,
				PostApplyFunc:    func() { wantMode(0o400) },
			},
			{
				Config: projectSnapshotAudioConfig(file, "new", `
  file_permission = "0600"

  timeouts = {
    create = "1s"
    update = "90m"
  }
`),
				ConfigPlanChecks: update,
				PostApplyFunc: func() {
					wantMode(0o600)
					wantFile(t, file, sound(t, "new", false))
				},
			},
		},
	})
	service.WantRequests(nil)
}

func writeFile(t *testing.T, filename, content string) {
	t.Helper()
	err := os.WriteFile(filename, []byte(content), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}

func removeFile(t *testing.T, filename string) {
	t.Helper()
	err := os.Remove(filename)
	if err != nil {
		t.Fatal(err)
	}
}
