package provider_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// wantRequested checks characters_requested, and an output that shows it.
func wantRequested(resource string, want int64) []statecheck.StateCheck {
	return []statecheck.StateCheck{
		statecheck.ExpectKnownValue(resource, tfjsonpath.New("characters_requested"), knownvalue.Int64Exact(want)),
		statecheck.ExpectKnownOutputValue("spent", knownvalue.Int64Exact(want)),
	}
}

// wantNothingRequested checks that it is null. The state does not keep an output that is.
func wantNothingRequested(resource string) []statecheck.StateCheck {
	return []statecheck.StateCheck{statecheck.ExpectKnownValue(resource, tfjsonpath.New("characters_requested"), knownvalue.Null())}
}

const spentOnBook = `
output "spent" {
  value = audioprojects_project_conversion.book.characters_requested
}
`

// What was spent is that of the last apply that requested something: what only adopts, waits or changes an argument leaves it as it is.
func TestAccProjectConversionResource_charactersRequested(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	var fourLetters, threeLetters int64 = 4, 3
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{
		{ID: "one", Text: "Lamp"}, {ID: "two", Text: "Sea"}, {ID: "three", Text: "Tower", Converted: true},
	}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:            acctest.BookBlock(``) + spentOnBook,
				ConfigPlanChecks:  acctest.Plan(plancheck.ExpectUnknownValue(book, tfjsonpath.New("characters_requested"))),
				ConfigStateChecks: wantRequested(book, fourLetters+threeLetters),
			},
			{
				Config:            acctest.BookBlock(`chapter_timeout = "30m"`) + spentOnBook,
				ConfigPlanChecks:  acctest.Plan(plancheck.ExpectResourceAction(book, plancheck.ResourceActionUpdate)),
				ConfigStateChecks: wantRequested(book, fourLetters+threeLetters),
			},
			{
				PreConfig:         func() { service.EditChapter("book", "two", "Sky") },
				Config:            acctest.BookBlock(``) + spentOnBook,
				ConfigStateChecks: wantRequested(book, threeLetters),
			},
			// Other chapters are looked at, and none has text left.
			{
				Config:            acctest.BookBlock(`chapter_ids = ["one"]`) + spentOnBook,
				ConfigPlanChecks:  acctest.Plan(plancheck.ExpectUnknownValue(book, tfjsonpath.New("characters_requested"))),
				ConfigStateChecks: wantRequested(book, threeLetters),
			},
			{
				Taint:             []string{book},
				Config:            acctest.BookBlock(``) + spentOnBook,
				ConfigStateChecks: wantNothingRequested(book),
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 3)
}

// A conversion of one chapter may cost all of it. One that is joined is not ours, and one that has failed may have cost as much.
func TestAccChapterConversionResource_charactersRequested(t *testing.T) {
	const chapter = "audioprojects_chapter_conversion.chapter"
	const spent = `
output "spent" {
  value = audioprojects_chapter_conversion.chapter.characters_requested
}
`
	// The first must still run when a slow CLI applies.
	conversions := []mockserver.Conversion{{Takes: 20 * time.Second}, brief, {Takes: brief.Takes, Fails: "No voice."}, brief}
	service := acctest.NewService(t, acctest.BookWith(mockserver.Chapter{Text: "Lamp", Conversions: conversions}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				PreConfig:         func() { service.Convert("book", "one") },
				Config:            acctest.ConversionBlock(`triggers = { take = "1" }`) + spent,
				ConfigStateChecks: wantNothingRequested(chapter),
				PostApplyFunc:     func() { service.WantCount(mockserver.ConvertChapter, 0) },
			},
			{
				Config:            acctest.ConversionBlock(`triggers = { take = "2" }`) + spent,
				ConfigStateChecks: wantRequested(chapter, 4),
			},
			{
				PreConfig:   func() { service.EditChapter("book", "one", "Lamps.") },
				Config:      acctest.ConversionBlock(`triggers = { take = "3" }`) + spent,
				ExpectError: regexp.MustCompile(`No voice`),
			},
			{
				RefreshState:       true,
				ExpectNonEmptyPlan: true,
				Check:              resource.TestCheckResourceAttr(chapter, "characters_requested", "6"),
			},
			// The resource was not replaced, and the failure is not forgotten.
			{
				Config:           acctest.ConversionBlock(`triggers = { take = "3" }`) + spent,
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectResourceAction(chapter, plancheck.ResourceActionUpdate)),
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 3)
}

// The date is the same one for machines and for people.
func TestAccProjectConversionResource_lastConversionDate(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{
		{ID: "old", Converted: true, ConvertedAt: time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)},
		{ID: "new", Converted: true, ConvertedAt: time.Date(2022, time.March, 4, 5, 6, 7, 0, time.UTC)},
	}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{{
			Config: acctest.BookBlock(``),
			Check: resource.ComposeTestCheckFunc(
				resource.TestCheckResourceAttr(book, "last_conversion_date", "2022-03-04T05:06:07Z"),
				resource.TestCheckResourceAttr(book, "last_conversion_date_unix", "1646370367"),
				func(*terraform.State) error { service.WantCount(mockserver.ConvertChapter, 0); return nil },
			),
		}},
	})
}
