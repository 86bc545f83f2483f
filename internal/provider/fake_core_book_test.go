package provider_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

var projectConversion = resourceType{"audioprojects_project_conversion", map[string]any{"project_id": "book"}}

// manyChapters are so many chapters, of which each converts as given.
func manyChapters(count int, conversions ...mockserver.Conversion) []mockserver.Chapter {
	all := make([]mockserver.Chapter, count)
	for i := range all {
		all[i] = mockserver.Chapter{ID: fmt.Sprintf("chapter-%d", i+1), Conversions: conversions}
	}
	return all
}

// converted are the chapters, converted without Terraform.
func converted(chapters []mockserver.Chapter) []mockserver.Chapter {
	for i := range chapters {
		chapters[i].Converted = true
	}
	return chapters
}

// withBook runs a test in fake time, with an object for a project of the given chapters.
func withBook(t *testing.T, chapters []mockserver.Chapter, test func(*core)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := mockserver.New()
		service.AddProject(mockserver.Project{ID: "book", Chapters: chapters})
		test(newCore(t, projectConversion, service, map[string]any{}))
	})
}

// number is a computed number of the object, or how many conversions are pending that have not failed.
func (c *core) number(attribute string) int {
	c.Helper()
	if attribute == "pending" {
		return strings.Count(c.text("pending_conversions"), `"phase":`) - strings.Count(c.text("pending_conversions"), `"failure":`)
	}
	value := fakecore.AttributesOf(c.Object.Value)[attribute]
	if value.IsNull() {
		return -1
	}
	number := new(big.Float)
	c.Must(value.As(&number))
	whole, _ := number.Int64()
	return int(whole)
}

func (c *core) wantNumbers(want map[string]int) {
	c.Helper()
	for attribute, want := range want {
		got := c.number(attribute)
		if got != want {
			c.Errorf("%s: got %d, want %d", attribute, got, want)
		}
	}
}

// failures are the ids of the chapters in failed_chapters.
func (c *core) failures() []string {
	c.Helper()
	failed := map[string]tftypes.Value{}
	c.Must(fakecore.AttributesOf(c.Object.Value)["failed_chapters"].As(&failed))
	return slices.Sorted(maps.Keys(failed))
}

// wantBook checks the action, the summaries of the warnings and the errors.
func (c *core) wantBook(shown *fakecore.Screen, action string, warnings, errors []string) {
	c.Helper()
	first := func(messages []string) (summaries []string) {
		for _, message := range messages {
			summary, _, _ := strings.Cut(message, "\n")
			summaries = append(summaries, summary)
		}
		return summaries
	}
	if shown.Action != action || !slices.Equal(first(slices.Concat(shown.Estimate, shown.Warnings)), warnings) || !slices.Equal(first(shown.Errors), errors) {
		c.Errorf("got %s with warnings %q and errors %q, want %s with %q and %q", shown.Action, slices.Concat(shown.Estimate, shown.Warnings), shown.Errors, action, warnings, errors)
	}
}
