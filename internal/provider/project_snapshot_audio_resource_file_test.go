package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// bookFile is the file of a test, in a folder of its own.
func bookFile(t *testing.T) string {
	t.Helper()
	return filepath.ToSlash(filepath.Join(t.TempDir(), "book.wav"))
}

// planned checks what a plan does with the resource.
func planned(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return acctest.Plan(plancheck.ExpectResourceAction(bookAudio, action))
}

// Somebody deletes the file, or writes to it.
func TestAccProjectSnapshotAudioResource_drift(t *testing.T) {
	service := acctest.NewService(t, recordings)
	file := bookFile(t)
	downloaded := func() {
		wantFile(t, file, sound(t, "new", false))
		service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:        projectSnapshotAudioConfig(file, "new", ""),
				PostApplyFunc: downloaded,
			},
			{
				PreConfig:        func() { removeFile(t, file) },
				Config:           projectSnapshotAudioConfig(file, "new", ""),
				ConfigPlanChecks: planned(plancheck.ResourceActionCreate),
				PostApplyFunc:    downloaded,
			},
			// What somebody has altered is theirs.
			{
				PreConfig:   func() { writeMine(t, file) },
				Config:      projectSnapshotAudioConfig(file, "new", ""),
				ExpectError: regexp.MustCompile("File exists already(?s:.*)another\\s+resource(?s:.*)`overwrite = true`(?s:.*)`terraform destroy -refresh=false`"),
			},
			{
				PreConfig: func() {
					wantFile(t, file, []byte("mine"))
					service.WantRequests(nil)
				},
				Config:           projectSnapshotAudioConfig(file, "new", "overwrite = true"),
				ConfigPlanChecks: planned(plancheck.ResourceActionCreate),
				PostApplyFunc:    downloaded,
			},
			// From now on it is the resource's, with and without the argument.
			{
				Config:           projectSnapshotAudioConfig(file, "new", ""),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				PostApplyFunc:    func() { service.WantRequests(nil) },
			},
		},
	})
}

// With `when_missing = "keep"`, a file that is not there is no change, but another snapshot is.
func TestAccProjectSnapshotAudioResource_whenMissing(t *testing.T) {
	service := acctest.NewService(t, recordings)
	file := bookFile(t)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{Config: projectSnapshotAudioConfig(file, "new", `when_missing = "keep"`)},
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
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				PostApplyFunc: func() {
					wantFile(t, file, nil)
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			{
				Config:           projectSnapshotAudioConfig(file, "old", `when_missing = "keep"`),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				PostApplyFunc: func() {
					wantFile(t, file, sound(t, "old", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
			{
				PreConfig:        func() { removeFile(t, file) },
				Config:           projectSnapshotAudioConfig(file, "old", `when_missing = "download"`),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				PostApplyFunc: func() {
					wantFile(t, file, sound(t, "old", false))
					service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 1})
				},
			},
		},
	})
	wantFile(t, file, nil)
}

// How the file is kept changes in place, and nothing is downloaded for it.
func TestAccProjectSnapshotAudioResource_howItIsKept(t *testing.T) {
	service := acctest.NewService(t, recordings)
	file := bookFile(t)
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
	update := planned(plancheck.ResourceActionUpdate)
	update.PreApply = append(update.PreApply, plancheck.ExpectKnownValue(bookAudio, tfjsonpath.New("size"), knownvalue.NotNull()))
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
			{
				Config: projectSnapshotAudioConfig(file, "new", `
  file_permission = "400"
  timeouts        = { create = "1s", update = "90m" }
`),
				ConfigPlanChecks: update,
				PostApplyFunc:    func() { wantMode(0o400) },
			},
			{
				Config:           projectSnapshotAudioConfig(file, "new", ""),
				ConfigPlanChecks: update,
				PostApplyFunc: func() {
					wantMode(0o644)
					wantFile(t, file, sound(t, "new", false))
				},
			},
		},
	})
	service.WantRequests(nil)
}

// Another name replaces the resource: the old file is removed, and the audio downloaded again.
func TestAccProjectSnapshotAudioResource_filename(t *testing.T) {
	service := acctest.NewService(t, recordings)
	folder := filepath.ToSlash(t.TempDir())
	file, other := folder+"/book.wav", folder+"/other/book.wav"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{Config: projectSnapshotAudioConfig(file, "new", "")},
			{
				Config:           projectSnapshotAudioConfig(other, "new", ""),
				ConfigPlanChecks: planned(plancheck.ResourceActionReplace),
				PostApplyFunc: func() {
					wantFile(t, other, sound(t, "new", false))
					_, err := os.Lstat(file)
					if !os.IsNotExist(err) {
						t.Errorf("the old file: got %v", err)
					}
				},
			},
			// A file of that name is somebody else's.
			{
				PreConfig:   func() { writeMine(t, file) },
				Config:      projectSnapshotAudioConfig(file, "new", ""),
				PlanOnly:    true,
				ExpectError: regexp.MustCompile("File exists already"),
			},
		},
	})
	wantFile(t, other, nil)
	service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 2})
}

// What a plan does not know, the apply finds out, and what it was not to replace stays.
func TestAccProjectSnapshotAudioResource_filenameUnknown(t *testing.T) {
	service := acctest.NewService(t, recordings)
	file := bookFile(t)
	config := func(reason string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"name\" {\n  input = %q\n  triggers_replace = %q\n}\n", file, reason) +
			strings.Replace(projectSnapshotAudioConfig("name", "new", ""), `"name"`, "terraform_data.name.output", 1)
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				PreConfig:   func() { writeMine(t, file) },
				Config:      config("a"),
				ExpectError: regexp.MustCompile("File exists already"),
			},
			{
				PreConfig: func() {
					wantFile(t, file, []byte("mine"))
					removeFile(t, file)
				},
				Config:        config("b"),
				PostApplyFunc: func() { wantFile(t, file, sound(t, "new", false)) },
			},
			// It turns out to be the same.
			{
				Config:           config("c"),
				ConfigPlanChecks: planned(plancheck.ResourceActionReplace),
				PostApplyFunc:    func() { wantFile(t, file, sound(t, "new", false)) },
			},
		},
	})
	service.WantRequests(map[mockserver.Operation]int{mockserver.StreamSnapshot: 2})
}

// A resource that is replaced for another reason has written the file, and the plan knows that. Of a tainted one, Terraform tells no plan
// anything.
func TestAccProjectSnapshotAudioResource_replaced(t *testing.T) {
	service := acctest.NewService(t, recordings)
	file := bookFile(t)
	config := func(snapshotID, reason string) string {
		return projectSnapshotAudioConfig(file, snapshotID, "lifecycle {\n    replace_triggered_by = [terraform_data.reason]\n  }") +
			fmt.Sprintf("resource \"terraform_data\" \"reason\" {\n  input = %q\n}\n", reason)
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{Config: config("old", "a")},
			{
				Config:           config("new", "b"),
				ConfigPlanChecks: planned(plancheck.ResourceActionReplace),
				PostApplyFunc:    func() { wantFile(t, file, sound(t, "new", false)) },
			},
			{
				Taint:       []string{bookAudio},
				Config:      config("new", "b"),
				ExpectError: regexp.MustCompile(`File exists already(?s:.*)tainted`),
			},
			{Config: projectSnapshotAudioConfig(file, "new", "overwrite = true")},
		},
	})
	wantFile(t, file, nil)
}

// writeMine writes a file as somebody else does.
func writeMine(t *testing.T, filename string) {
	t.Helper()
	if err := os.WriteFile(filename, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func removeFile(t *testing.T, filename string) {
	t.Helper()
	if err := os.Remove(filename); err != nil {
		t.Fatal(err)
	}
}
