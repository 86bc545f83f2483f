//go:build unix

package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// movable are the resources that TestOneCLIRecipeMove moves. A new chapter conversion would be paid for, because it does not follow its text.
var movable = []string{"audioprojects_project_conversion", "audioprojects_project_snapshot_audio", "audioprojects_chapter_conversion"}

// movableBook has them, each with this name and this argument.
func movableBook(name, argument string) string {
	return strings.NewReplacer("NAME", name, "ARGUMENT", argument).Replace(`
resource "audioprojects_project_conversion" "NAME" {
  ARGUMENT
  project_id = "audiobook"
}

resource "audioprojects_project_snapshot_audio" "NAME" {
  ARGUMENT
  project_id          = "audiobook"
  project_snapshot_id = "whole"
  filename            = "audiobook.wav"
}

resource "audioprojects_chapter_conversion" "NAME" {
  ARGUMENT
  project_id = "audiobook"
  chapter_id = "chapter-3"
}
`)
}

// TestOneCLIRecipeMove: another name, a key of `for_each`, and a module request nothing and leave the file as it is, with `moved` blocks and with
// `state mv`. Another folder requests nothing, and downloads the file; there, a chapter conversion that was only removed needs an import.
func TestOneCLIRecipeMove(t *testing.T) {
	t.Parallel()
	const module = "module \"shelf\" {\n  source = \"./shelf\"\n}\n"
	for name, test := range map[string]struct{ address, configuration string }{
		"name":   {"%s.another", movableBook("another", "")},
		"key":    {`%s.book["night"]`, movableBook("book", `for_each = toset(["night"])`)},
		"module": {"module.shelf.%s.book", module},
	} {
		for _, way := range []string{"moved", "state mv"} {
			t.Run(name+", "+way, func(t *testing.T) {
				t.Parallel()
				r := follow(t, movableBook("book", ""), seenAgain())
				r.apply()
				if test.configuration == module {
					shelf := filepath.Join(r.Folder, "shelf")
					if err := os.Mkdir(shelf, 0o700); err != nil {
						t.Fatal(err)
					}
					writeFile(t, filepath.Join(shelf, "main.tf"), clitest.RequiredProviders+movableBook("book", ""))
				}
				configuration := test.configuration
				for _, kind := range movable {
					from, to := kind+".book", fmt.Sprintf(test.address, kind)
					if way == "moved" {
						configuration += fmt.Sprintf("\nmoved {\n  from = %s\n  to   = %s\n}\n", from, to)
					} else {
						r.Run("state", "mv", from, to)
					}
				}
				r.Write(configuration)
				r.Run("get")
				r.apply("0 added, 0 changed, 0 destroyed")
				r.wantSettled(1)
				r.WantCount(mockserver.StreamSnapshot, 1)
			})
		}
	}
	for _, way := range []string{"state rm", "state mv"} {
		t.Run("folder, "+way, func(t *testing.T) {
			t.Parallel()
			r := follow(t, movableBook("book", ""), seenAgain())
			r.apply()
			there := &reader{clitest.New(t, r.Address, configurationFile(t, movableBook("book", ""))), r.Service, t}
			for _, kind := range movable {
				if way == "state rm" {
					r.Run("state", "rm", kind+".book")
				} else {
					r.Run("state", "mv", "-state-out="+filepath.Join(there.Folder, "terraform.tfstate"), kind+".book", kind+".book")
				}
			}
			r.Write()
			wantScreen(t, r.Run("plan"), "No changes.")
			if way == "state rm" {
				wantNamed(t, there.Run("plan"), 1)
				there.Run("import", "audioprojects_chapter_conversion.book", "audiobook/chapter-3")
			}
			there.apply()
			there.wantSettled(1)
			r.WantCount(mockserver.StreamSnapshot, 2)
			if read(t, r.Folder, "audiobook.wav") != read(t, there.Folder, "audiobook.wav") {
				t.Error("the other folder has another file")
			}
		})
	}
}
