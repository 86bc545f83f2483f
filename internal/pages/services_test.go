package pages

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestAccReadmeAtServicesOfEveryKind applies the README's configuration where snapshots are listed in any order, and dated
// or not. Before its conversions, the project has a snapshot that is two years old.
func TestAccReadmeAtServicesOfEveryKind(t *testing.T) {
	t.Parallel()
	file := readmeConfiguration(t)
	for name, test := range map[string]struct {
		habits mockserver.Habits
		fails  string // a part of the error; empty: it succeeds
	}{
		"oldest first": {mockserver.Habits{}, ""},
		"newest first": {mockserver.Habits{NewestFirst: true}, ""},
		"no dates":     {mockserver.Habits{UndatedSnapshots: true}, "so that nobody can tell which is the newest"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := clitest.NewService(t, mockserver.Audiobook(0))
			service.SetHabits(test.habits)
			terraform := clitest.New(t, service.Address, file)
			if test.fails != "" {
				clitest.WantScreen(t, []string{terraform.RunFailing("apply", "-auto-approve")}, test.fails)
				service.WantCount(mockserver.StreamSnapshot, 0)
				return
			}
			terraform.Run("apply", "-auto-approve")
			if _, err := os.Stat(filepath.Join(terraform.Folder, "audiobook.mp3")); err != nil {
				t.Error(err)
			}
			clitest.WantScreen(t, []string{terraform.Run("plan")}, "No changes.")
			for _, entry := range service.Journal() {
				if entry.Operation == mockserver.StreamSnapshot && entry.SnapshotID == "first-reading" {
					t.Errorf("got the audio of %s", entry.SnapshotID)
				}
			}
			service.WantCount(mockserver.StreamSnapshot, 1)
			service.WantCount(mockserver.ConvertChapter, 5)
		})
	}
}

// readmeConfiguration is a file with the README's configuration.
func readmeConfiguration(t *testing.T) (file string) {
	t.Helper()
	return configurationFile(t, configurations(t, filepath.Join(root, "README.md"))[0][0])
}

func configurationFile(t *testing.T, configuration string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "main.tf")
	if err := os.WriteFile(file, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
