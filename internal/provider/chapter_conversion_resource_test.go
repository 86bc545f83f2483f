package provider_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const conversionAddress = "audioprojects_chapter_conversion.chapter"

func attribute(name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(conversionAddress, tfjsonpath.New(name), want)
}

func plans(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(conversionAddress, action),
	}}
}

func TestAccConversionCreate(t *testing.T) {
	t.Parallel()
	service := newService(t, book())
	began := time.Now().Unix()
	run(t,
		resource.TestStep{
			Config:           service.Config(conversionBlock(``)),
			ConfigPlanChecks: plans(plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{
				attribute("id", knownvalue.StringExact("book/one")),
				attribute("project_id", knownvalue.StringExact("book")),
				attribute("chapter_id", knownvalue.StringExact("one")),
				attribute("triggers", knownvalue.Null()),
				attribute("keep_up_to_date", knownvalue.Bool(false)),
				attribute("timeouts", knownvalue.Null()),
				attribute("name", knownvalue.StringExact(chapterName)),
				attribute("state", knownvalue.StringExact("default")),
				attribute("conversion_progress", knownvalue.Float64Exact(100)),
				attribute("can_be_downloaded", knownvalue.Bool(true)),
				attribute("last_conversion_date_unix", knownvalue.Int64Func(func(date int64) error {
					if date < began {
						return fmt.Errorf("the date %d is before the test", date)
					}
					return nil
				})),
				attribute("last_conversion_error", knownvalue.Null()),
				attribute("statistics", knownvalue.ObjectExact(map[string]knownvalue.Check{
					"characters_converted":   knownvalue.Int64Exact(int64(len(chapterText) - 2)),
					"characters_unconverted": knownvalue.Int64Exact(0),
					"paragraphs_converted":   knownvalue.Int64Exact(2),
					"paragraphs_unconverted": knownvalue.Int64Exact(0),
				})),
				attribute("pending_conversion", knownvalue.Null()),
			},
		},
		resource.TestStep{
			Config:           service.Config(conversionBlock(``)),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
	service.WantCount(mockserver.ConvertChapter, 1)
	service.WantPaid("book", "one", 1)
	for _, entry := range service.Journal() {
		if entry.Operation == mockserver.ConvertChapter && len(entry.Body) > 0 {
			t.Errorf("the convert request has a body: %q", entry.Body)
		}
		if entry.Method != "GET" && entry.Operation != mockserver.ConvertChapter {
			t.Errorf("unexpected request: %s %s", entry.Method, entry.Path)
		}
	}
}

func TestAccConversionOfFiveChapters(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Audiobook(0))
	config := service.Config(`
resource "audioprojects_chapter_conversion" "chapter" {
  count      = 5
  project_id = "audiobook"
  chapter_id = "chapter-${count.index + 1}"
}
`)
	run(t,
		resource.TestStep{Config: config},
		resource.TestStep{
			PreConfig:        service.ResetJournal,
			Config:           config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
	for i := range 5 {
		service.WantPaid("audiobook", fmt.Sprint("chapter-", i+1), 1)
	}
	service.WantCount(mockserver.ConvertChapter, 0)
	// The step refreshes and plans four times, each time in a new process: so there are four lists.
	if got := service.Count(mockserver.ListChapters); got > 4 {
		t.Errorf("list requests for the plans of five chapters: got %d, want at most 4", got)
	}
}

func TestAccConversionWaitsForTheEnd(t *testing.T) {
	t.Parallel()
	service := newService(t, book(mockserver.Conversion{Queued: 300 * time.Millisecond, Takes: 1200 * time.Millisecond}))
	run(t, resource.TestStep{
		Config: service.Config(conversionBlock(``)),
		ConfigStateChecks: []statecheck.StateCheck{
			attribute("state", knownvalue.StringExact("default")),
			attribute("can_be_downloaded", knownvalue.Bool(true)),
		},
	})
	service.WantPaid("book", "one", 1)
}

func TestAccConversionTriggers(t *testing.T) {
	t.Parallel()
	service := newService(t, book())
	wantPaid := func(want int) func() {
		return func() { service.WantPaid("book", "one", want) }
	}
	run(t,
		resource.TestStep{Config: service.Config(conversionBlock(``))},
		resource.TestStep{ // given for the first time: only recorded
			PreConfig:        wantPaid(1),
			Config:           service.Config(conversionBlock(`triggers = { voice = "Ada" }`)),
			ConfigPlanChecks: plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{
				attribute("triggers", knownvalue.MapExact(map[string]knownvalue.Check{"voice": knownvalue.StringExact("Ada")})),
			},
		},
		resource.TestStep{ // changed: converted again, in place
			PreConfig: wantPaid(1),
			Config:    service.Config(conversionBlock(`triggers = { voice = "Bela" }`)),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(conversionAddress, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(conversionAddress, tfjsonpath.New("name"), knownvalue.StringExact(chapterName)),
				plancheck.ExpectUnknownValue(conversionAddress, tfjsonpath.New("state")),
				plancheck.ExpectUnknownValue(conversionAddress, tfjsonpath.New("conversion_progress")),
				plancheck.ExpectUnknownValue(conversionAddress, tfjsonpath.New("can_be_downloaded")),
				plancheck.ExpectUnknownValue(conversionAddress, tfjsonpath.New("last_conversion_date_unix")),
				plancheck.ExpectUnknownValue(conversionAddress, tfjsonpath.New("last_conversion_error")),
				plancheck.ExpectUnknownValue(conversionAddress, tfjsonpath.New("statistics")),
				plancheck.ExpectUnknownValue(conversionAddress, tfjsonpath.New("pending_conversion")),
			}},
		},
		resource.TestStep{ // removed: only recorded
			PreConfig:         wantPaid(2),
			Config:            service.Config(conversionBlock(``)),
			ConfigPlanChecks:  plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{attribute("triggers", knownvalue.Null())},
		},
		resource.TestStep{ // other arguments changed: only recorded, even if text is unconverted
			PreConfig: func() {
				service.WantPaid("book", "one", 2)
				service.EditChapter("book", "one", "The lamp went out.")
			},
			Config:           service.Config(conversionBlock(`timeouts = { create = "5m", update = "6m" }`)),
			ConfigPlanChecks: plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{attribute("timeouts", knownvalue.ObjectExact(map[string]knownvalue.Check{
				"create": knownvalue.StringExact("5m"),
				"update": knownvalue.StringExact("6m"),
			}))},
		},
	)
	service.WantPaid("book", "one", 2)
}

func TestAccConversionTriggersUnknownAtPlanAndUnchangedAtApply(t *testing.T) {
	t.Parallel()
	service := newService(t, book())
	config := func(input string) string {
		return service.Config(
			fmt.Sprintf(`resource "terraform_data" "voice" { input = %q }`, input),
			conversionBlock(`triggers = { voice = substr(terraform_data.voice.output, 0, 3) }`),
		)
	}
	run(t,
		resource.TestStep{Config: config("Ada 1")},
		resource.TestStep{
			Config:           config("Ada 2"),
			ConfigPlanChecks: plans(plancheck.ResourceActionUpdate),
		},
	)
	service.WantPaid("book", "one", 1)
}

func TestAccConversionKeepsUpToDate(t *testing.T) {
	t.Parallel()
	service := newService(t, bookWith(mockserver.Chapter{Text: chapterText, Converted: true}))
	config := service.Config(conversionBlock(`keep_up_to_date = true`))
	run(t,
		resource.TestStep{Config: config}, // adopted
		resource.TestStep{
			PreConfig: func() {
				service.WantCount(mockserver.ConvertChapter, 0)
				service.EditChapter("book", "one", chapterText+"\n\nThe keeper was away.")
			},
			Config:           config,
			ConfigPlanChecks: plans(plancheck.ResourceActionUpdate),
		},
	)
	service.WantPaid("book", "one", 1)
}

func TestAccConversionOfAnotherChapterReplaces(t *testing.T) {
	t.Parallel()
	project := book()
	project.Chapters = append(project.Chapters, mockserver.Chapter{ID: "a b/ü%2F", Name: "Strange", Text: chapterText})
	service := newService(t, project)
	run(t,
		resource.TestStep{Config: service.Config(conversionBlock(``))},
		resource.TestStep{
			Config: service.Config(`
resource "audioprojects_chapter_conversion" "chapter" {
  project_id = "book"
  chapter_id = "a b/ü%2F"
}
`),
			ConfigPlanChecks: plans(plancheck.ResourceActionReplace),
			ConfigStateChecks: []statecheck.StateCheck{
				attribute("id", knownvalue.StringExact("book/a%20b%2F%C3%BC%252F")),
				attribute("name", knownvalue.StringExact("Strange")),
			},
		},
		resource.TestStep{ // the escaped id can be imported
			ResourceName:      conversionAddress,
			ImportState:       true,
			ImportStateId:     "book/a%20b%2F%C3%BC%252F",
			ImportStateVerify: true,
		},
	)
	service.WantPaid("book", "one", 1)
	service.WantPaid("book", "a b/ü%2F", 1)
}

func TestAccConversionDestroyRequestsNothing(t *testing.T) {
	t.Parallel()
	service := newService(t, book())
	config := service.Config(conversionBlock(``))
	run(t,
		resource.TestStep{Config: config},
		resource.TestStep{PreConfig: service.ResetJournal, Config: config, Destroy: true},
	)
	for _, entry := range service.Journal() {
		if entry.Operation != mockserver.ListChapters {
			t.Errorf("unexpected request: %s %s", entry.Method, entry.Path)
		}
	}
}

func TestAccConversionOfAChapterThatIsGone(t *testing.T) {
	t.Parallel()
	service := newService(t, book())
	run(t,
		resource.TestStep{Config: service.Config(conversionBlock(``))},
		resource.TestStep{
			PreConfig:   func() { service.RemoveChapter("book", "one") },
			Config:      service.Config(conversionBlock(``)),
			ExpectError: regexp.MustCompile(`(?s)Unable to convert chapter "one" of project "book".*Project "book" has no chapter "one"`),
		},
	)
	service.WantPaid("book", "one", 1)
}
