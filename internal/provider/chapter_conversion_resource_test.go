package provider_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccChapterConversionResource(t *testing.T) {
	const crossing = "audioprojects_chapter_conversion.crossing"
	service := acctest.NewService(t, mockserver.Audiobook(300*time.Millisecond))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				ConfigFile: acctest.Example("resources/audioprojects_chapter_conversion/resource.tf"),
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(crossing, plancheck.ResourceActionCreate),
					plancheck.ExpectKnownValue(crossing, tfjsonpath.New("id"), knownvalue.StringExact("audiobook/chapter-3")),
					plancheck.ExpectUnknownValue(crossing, tfjsonpath.New("last_conversion_date_unix")),
					plancheck.ExpectUnknownValue(crossing, tfjsonpath.New("last_conversion_date")),
					plancheck.ExpectUnknownValue(crossing, tfjsonpath.New("statistics")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("id"), knownvalue.StringExact("audiobook/chapter-3")),
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("name"), knownvalue.StringExact("Crossing")),
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("keep_up_to_date"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("state"), knownvalue.StringExact("default")),
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("conversion_progress"), knownvalue.Int64Exact(100)),
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("can_be_downloaded"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("last_conversion_date_unix"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("last_conversion_date"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("last_conversion_error"), knownvalue.Null()),
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("pending_conversion"), knownvalue.Null()),
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("statistics"),
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"characters_converted":   knownvalue.Int64Exact(541),
							"characters_unconverted": knownvalue.Int64Exact(0),
							"paragraphs_converted":   knownvalue.Int64Exact(3),
							"paragraphs_unconverted": knownvalue.Int64Exact(0),
						})),
				},
			},
		},
	})

	// All of its life, the destruction included, cost one conversion. A convert request has no body. Before it, the project's record tells
	// whether somebody else has all of it converted.
	expected := []mockserver.Operation{mockserver.ListChapters, mockserver.GetProject, mockserver.ConvertChapter}
	service.WantPaid("audiobook", "chapter-3", 1)
	service.WantCount(mockserver.ConvertChapter, 1)
	for _, sent := range service.Journal() {
		if !slices.Contains(expected, sent.Operation) || len(sent.Body) > 0 {
			t.Errorf("unexpected request: %s %s, %q", sent.Method, sent.Path, sent.Body)
		}
	}
}

// Each chapter of a book has a block of its own.
func TestAccChapterConversionResource_forEach(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				ConfigFile:    acctest.Example("resources/audioprojects_chapter_conversion/resource_book.tf"),
				PostApplyFunc: func() { service.WantCount(mockserver.ConvertChapter, 5) },
			},
			{
				PreConfig:  func() { service.EditChapter("audiobook", "chapter-2", "She took the mayor's boat.") },
				ConfigFile: acctest.Example("resources/audioprojects_chapter_conversion/resource_book.tf"),
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(
						`audioprojects_chapter_conversion.chapter["chapter-1"]`, plancheck.ResourceActionNoop),
					plancheck.ExpectResourceAction(
						`audioprojects_chapter_conversion.chapter["chapter-2"]`, plancheck.ResourceActionUpdate),
				),
			},
			// The library itself cannot destroy what has a for_each.
			{
				ConfigFile: acctest.Example("resources/audioprojects_chapter_conversion/resource_book.tf"),
				Destroy:    true,
			},
		},
	})
	service.WantPaid("audiobook", "chapter-1", 1)
	service.WantPaid("audiobook", "chapter-2", 2)
	service.WantCount(mockserver.ConvertChapter, 6)
}

func TestAccChapterConversionResource_triggers(t *testing.T) {
	const chapter = "audioprojects_chapter_conversion.chapter"
	service := acctest.NewService(t, acctest.Book(brief))
	updates := acctest.Plan(plancheck.ExpectResourceAction(chapter, plancheck.ResourceActionUpdate))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:        acctest.ConversionBlock(`triggers = {}`),
				PostApplyFunc: func() { service.WantCount(mockserver.ConvertChapter, 1) },
			},
			// The first triggers are only recorded, and neither an empty map nor a null value in one is a trigger.
			{
				Config:           acctest.ConversionBlock(`triggers = { voice = "Ada", model = null }`),
				ConfigPlanChecks: updates,
				PostApplyFunc:    func() { service.WantCount(mockserver.ConvertChapter, 1) },
			},
			// Others convert again, in place.
			{
				Config: acctest.ConversionBlock(`triggers = { voice = "Bela" }`),
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(chapter, plancheck.ResourceActionUpdate),
					plancheck.ExpectUnknownValue(chapter, tfjsonpath.New("last_conversion_date_unix")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(chapter, tfjsonpath.New("triggers"), knownvalue.MapExact(map[string]knownvalue.Check{
						"voice": knownvalue.StringExact("Bela"),
					})),
				},
				PostApplyFunc: func() { service.WantCount(mockserver.ConvertChapter, 2) },
			},
			// What is known only in the apply may turn out to be the same.
			{
				Config: `
resource "terraform_data" "voice" {
  input = "Bela"
}

resource "audioprojects_chapter_conversion" "chapter" {
  project_id = "book"
  chapter_id = "one"
  triggers   = { voice = terraform_data.voice.output }
}
`,
				ConfigPlanChecks: updates,
				PostApplyFunc:    func() { service.WantCount(mockserver.ConvertChapter, 2) },
			},
			// Other arguments convert nothing, even if the text was edited.
			{
				PreConfig: func() { service.EditChapter("book", "one", acctest.LongerText) },
				Config: acctest.ConversionBlock(`triggers = {}
  timeouts = { create = "5m" }`),
				ConfigPlanChecks: updates,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(chapter, tfjsonpath.New("triggers"), knownvalue.MapSizeExact(0)),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 2)
}

func TestAccChapterConversionResource_keepUpToDate(t *testing.T) {
	const chapter = "audioprojects_chapter_conversion.chapter"
	config := acctest.ConversionBlock(`keep_up_to_date = true`)
	unconverted := tfjsonpath.New("statistics").AtMapKey("characters_unconverted")
	service := acctest.NewService(t, acctest.BookWith(mockserver.Chapter{Text: acctest.ChapterText, Converted: true}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			// What is converted already is adopted at no cost.
			{
				Config:           config,
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectResourceAction(chapter, plancheck.ResourceActionCreate)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(chapter, tfjsonpath.New("last_conversion_date_unix"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(chapter, unconverted, knownvalue.Int64Exact(0)),
				},
				PostApplyFunc: func() { service.WantCount(mockserver.ConvertChapter, 0) },
			},
			// An edit is converted, once.
			{
				PreConfig: func() { service.EditChapter("book", "one", acctest.LongerText) },
				Config:    config,
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(chapter, plancheck.ResourceActionUpdate),
					plancheck.ExpectUnknownValue(chapter, tfjsonpath.New("statistics")),
				),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(chapter, unconverted, knownvalue.Int64Exact(0))},
				PostApplyFunc:     func() { service.WantCount(mockserver.ConvertChapter, 1) },
			},
			// So is a replaced object adopted.
			{
				Taint:            []string{chapter},
				Config:           config,
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectResourceAction(chapter, plancheck.ResourceActionReplace)),
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 1)
}

// Without keep_up_to_date, an edit is shown and plans nothing.
func TestAccChapterConversionResource_edited(t *testing.T) {
	const chapter = "audioprojects_chapter_conversion.chapter"
	config := acctest.ConversionBlock(``)
	service := acctest.NewService(t, acctest.BookWith(mockserver.Chapter{Text: acctest.ChapterText, Converted: true, Conversions: []mockserver.Conversion{brief}}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			// Nothing is left to convert, and all of it is converted again.
			{
				Config:        config,
				PostApplyFunc: func() { service.WantCount(mockserver.ConvertChapter, 1) },
			},
			{
				PreConfig:        func() { service.EditChapter("book", "one", acctest.LongerText) },
				Config:           config,
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectEmptyPlan()),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(chapter, tfjsonpath.New("statistics").AtMapKey("characters_unconverted"), knownvalue.Int64Exact(20)),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 1)
}

// The ids are path-escaped in the id.
func TestAccChapterConversionResource_replaced(t *testing.T) {
	const chapter = "audioprojects_chapter_conversion.chapter"
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{{ID: "one"}, {ID: "a b/ü%2F"}}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{Config: acctest.ConversionBlock(``)},
			{
				Config: `
resource "audioprojects_chapter_conversion" "chapter" {
  project_id = "book"
  chapter_id = "a b/ü%2F"
}
`,
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectResourceAction(chapter, plancheck.ResourceActionReplace)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(chapter, tfjsonpath.New("id"), knownvalue.StringExact("book/a%20b%2F%C3%BC%252F")),
				},
			},
			{
				ResourceName:      chapter,
				ImportState:       true,
				ImportStateVerify: true,
				// Nobody knows what another apply has requested.
				ImportStateVerifyIgnore: []string{"characters_requested"},
			},
		},
	})
	service.WantPaid("book", "one", 1)
	service.WantPaid("book", "a b/ü%2F", 1)
	service.WantCount(mockserver.ConvertChapter, 2)
}

// A chapter that is known only in the apply has an unknown cost. With a limit, that is an error.
func TestAccChapterConversionResource_unknownChapter(t *testing.T) {
	const (
		chapter = "audioprojects_chapter_conversion.chapter"
		config  = `
resource "terraform_data" "uploaded" {
  input = "one"
}

resource "audioprojects_chapter_conversion" "chapter" {
  project_id = "book"
  chapter_id = terraform_data.uploaded.output
}
`
	)
	service := acctest.NewService(t, acctest.Book())
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:      `provider "audioprojects" { max_characters = 1000 }` + config,
				ExpectError: regexp.MustCompile(`Conversions\s+of\s+an\s+unknown\s+cost(?s:.*)cannot\s+check\s+the\s+limit\s+of\s+1,000\s+characters`),
			},
			{
				Config: config,
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(chapter, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(chapter, tfjsonpath.New("chapter_id")),
					plancheck.ExpectUnknownValue(chapter, tfjsonpath.New("id")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(chapter, tfjsonpath.New("id"), knownvalue.StringExact("book/one")),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 1)
}

// knownLater is a value that is known only in the apply.
const knownLater = `
resource "terraform_data" "known" {
  input = "%s"
}
`

// atMost matches the error of a plan that may cost so many characters. Terraform breaks its lines anywhere.
func atMost(characters int) *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`%d[\s│]+characters[\s│]+at[\s│]+most`, characters))
}

// keep_up_to_date is known only in the apply. The plan counts what it may cost, and the apply agrees with it.
func TestAccChapterConversionResource_keepUpToDateIsUnknown(t *testing.T) {
	service := acctest.NewService(t, acctest.BookWith(mockserver.Chapter{Text: acctest.ChapterText, Converted: true, Conversions: []mockserver.Conversion{brief}}))
	configured := func(keeps, most string) string {
		return fmt.Sprintf(knownLater, keeps) + acctest.ConversionBlock(`keep_up_to_date = tobool(terraform_data.known.output)`) +
			fmt.Sprintf("provider \"audioprojects\" {\n  max_characters = %s\n}\n", most)
	}
	edit := func() { service.EditChapter("book", "one", acctest.LongerText) }
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{Config: configured("false", "34"), ExpectError: atMost(35)},
			{Config: configured("false", "35")},
			{PreConfig: edit, Config: configured("true", "19"), ExpectError: atMost(20)},
			{
				Config: configured("true", "20"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("audioprojects_chapter_conversion.chapter", plancheck.ResourceActionUpdate),
					plancheck.ExpectUnknownValue("audioprojects_chapter_conversion.chapter", tfjsonpath.New("statistics")),
				}},
			},
			{
				// What turns out to be as before costs nothing.
				PreConfig: edit, Config: configured("false", "0"),
			},
		},
	})
	service.WantPaid("book", "one", 2)
}

// What somebody else is having converted is waited for.
func TestAccChapterConversionResource_alreadyConverting(t *testing.T) {
	const chapter = "audioprojects_chapter_conversion.chapter"
	service := acctest.NewService(t, acctest.Book(mockserver.Conversion{Takes: 4 * time.Second}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				PreConfig: func() { service.Convert("book", "one") },
				Config:    acctest.ConversionBlock(`keep_up_to_date = true`),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(chapter, tfjsonpath.New("state"), knownvalue.StringExact("default")),
					statecheck.ExpectKnownValue(chapter, tfjsonpath.New("can_be_downloaded"), knownvalue.Bool(true)),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}
