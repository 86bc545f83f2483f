package pages

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

const (
	wholeProject    = "resource \"audioprojects_project_conversion\" \"book\" {\n  project_id = \"audiobook\"\n}\n"
	chaptersOfABook = "data \"audioprojects_chapters\" \"book\" {\n  project_id = \"audiobook\"\n}\n"
)

// provocations make the provider print what the guide quotes, by the beginning of a row. What takes half a minute with a CLI is in the
// golden files of other tests, which have what a person sees as well.
var provocations = map[string]func(*testing.T) (screen string){
	"“401": func(t *testing.T) string {
		t.Helper()
		r := follow(t, chaptersOfABook)
		r.AddKey(mockserver.Key{Secret: "no-access", NoAccess: true})
		r.Environment = append(r.Environment, "AUDIOPROJECTS_API_KEY=no-access")
		forbidden := r.RunFailing("plan")
		r.Environment = append(r.Environment, "AUDIOPROJECTS_API_KEY=another")
		return forbidden + r.RunFailing("plan")
	},
	"`Chapters that": func(t *testing.T) string {
		t.Helper()
		return follow(t, strings.Replace(wholeProject, "}", "  chapter_ids = [\"none\"]\n}", 1)).RunFailing("plan")
	},
	"`File exists": func(t *testing.T) string {
		t.Helper()
		r := follow(t, readmeConfiguration(t), convertedAudiobook(0))
		r.WriteFile("audiobook.mp3", "mine")
		return r.RunFailing("plan")
	},
	"“Nothing was sent": func(t *testing.T) string {
		t.Helper()
		r := follow(t, chaptersOfABook+"provider \"audioprojects\" {\n  base_url    = \"http://127.0.0.1:1\"\n  max_retries = 0\n}\n")
		return r.RunFailing("plan")
	},
	"`Unable to read …`: “waiting for": func(t *testing.T) string {
		t.Helper()
		return follow(t, `data "audioprojects_project_snapshot" "book" {
  project_id  = "audiobook"
  most_recent = true
  not_before  = "2096-10-02T07:06:40Z"
  timeouts    = { read = "1s" }
}`).RunFailing("plan")
	},
	"`Unable to convert …`: “gave no clear": func(*testing.T) string { return "" },
	"`Unable to read …`: “If the project": func(t *testing.T) string {
		t.Helper()
		r := follow(t, wholeProject)
		r.apply()
		r.Inject(mockserver.Fault{Times: -1, Status: http.StatusNotFound})
		return r.RunFailing("plan")
	},
	"`Unable to …`: “another type": func(t *testing.T) string {
		t.Helper()
		return listed(t, `{"chapters":[{"chapter_id":"a","statistics":"none"}]}`) + listed(t, `{"chapters":[],"has_more":true}`)
	},
	"`Unable to …`: “twice": func(t *testing.T) string {
		t.Helper()
		return listed(t, `{"chapters":[{"chapter_id":"a","name":"A"},{"chapter_id":"a","name":"B"}]}`)
	},
	"`Audio file": func(t *testing.T) string {
		t.Helper()
		r := follow(t, readmeConfiguration(t), convertedAudiobook(0))
		r.apply()
		r.WriteFile("audiobook.mp3", "mine")
		return r.RunFailing("plan")
	},
	"`Chapter is gone": func(t *testing.T) string {
		t.Helper()
		r := followExample(t, conversionFolder+"resource.tf", seenAgain())
		r.apply()
		r.AddProject(mockserver.Project{ID: "audiobook"})
		return r.RunFailing("plan")
	},
}

// listed is what a plan prints if a list of chapters is this.
func listed(t *testing.T, body string) (screen string) {
	t.Helper()
	service := clitest.NewFaultyService(t, mockserver.Audiobook(0))
	service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Body: body})
	return clitest.New(t, service.Address, configurationFile(t, chaptersOfABook)).RunFailing("plan")
}

// TestCLIMessagesOfTheProvider provokes the messages that the guide quotes. Each stands there as it is printed.
func TestCLIMessagesOfTheProvider(t *testing.T) {
	t.Parallel()
	golden := []string{read(t, root, "internal/provider/testdata/errors.txt"), read(t, root, "internal/forecast/testdata/report.txt")}
	rows := regexp.MustCompile(`(?m)^\| ([“`+"`"+`][^|]*) \|`).FindAllStringSubmatch(section(t, errorsGuide, "Messages of the provider"), -1)
	if len(rows) != len(provocations) {
		t.Errorf("the guide has %d rows, and %d are provoked", len(rows), len(provocations))
	}
	for _, row := range rows {
		t.Run(row[1], func(t *testing.T) {
			t.Parallel()
			var screen string
			for begins, provoke := range provocations {
				if strings.HasPrefix(row[1], begins) {
					screen = provoke(t)
				}
			}
			for _, quote := range regexp.MustCompile("[“`]([^”`]+)[”`]").FindAllStringSubmatch(row[1], -1) {
				for _, part := range strings.Split(quote[1], "…") {
					isPrinted := slices.ContainsFunc(append(golden, screen), clitest.MessagePattern(part).MatchString)
					if !isPrinted {
						t.Errorf("no %q in:\n%s", part, screen)
					}
				}
			}
		})
	}
}
