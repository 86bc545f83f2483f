package provider_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// expectErrors checks the errors of a step that must fail: there is one about each thing, and what it says.
func expectErrors(t *testing.T, err error, things []string, says string) {
	t.Helper()
	boxes := strings.Split(err.Error(), "\nError: ")[1:]
	if len(boxes) != len(things) {
		t.Errorf("got %d errors, want %d: %v", len(boxes), len(things), err)
	}
	for _, thing := range things {
		isAboutIt := func(box string) bool {
			return strings.HasPrefix(box, "Unable to read "+thing+"\n") && regexp.MustCompile(says).MatchString(box)
		}
		if !slices.ContainsFunc(boxes, isAboutIt) {
			t.Errorf("got no error about %s that fits %q: %v", thing, says, err)
		}
	}
}

// TestAccDataSources_refused reads all data sources at once. Each is one request, and one error that names what could not be read.
func TestAccDataSources_refused(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t, namedBook("book", "one"))
	service.AddKey(mockserver.Key{Secret: "streams-only", Scopes: []mockserver.Operation{mockserver.StreamSnapshot}})
	service.AddKey(mockserver.Key{Secret: "without-access", NoAccess: true})
	var config strings.Builder
	var things, ofProject []string
	requests := map[mockserver.Operation]int{}
	for _, source := range dataSources {
		config.WriteString(dataBlock(source.name, dataSourceArguments(source.name, "book", "one")))
		things = append(things, source.thing)
		if source.path != "" {
			ofProject = append(ofProject, strings.ReplaceAll(source.thing, `"book"`, `"nowhere"`))
		}
		requests[source.operation]++
	}
	withKey := func(key string) string {
		return fmt.Sprintf("provider \"audioprojects\" {\n  api_key = %q\n}\n", key) + config.String()
	}
	tests := []struct {
		config string
		things []string
		says   string
	}{
		{withKey("no-such-key"), things, `401\s+Unauthorized(?s:.*)Check\s.*api_key`},
		{withKey("streams-only"), things, `403\s+Forbidden(?s:.*)scope`},
		{withKey("without-access"), things, `403\s+Forbidden(?s:.*)ask\s+the\s+.*vendor`},
		{strings.ReplaceAll(config.String(), `"book"`, `"nowhere"`), ofProject, `404\s+Not\s+Found:[\s│]+project_not_found:[\s│]+Project[\s│]+nowhere`},
	}
	failed := 0
	for _, test := range tests {
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: service.ProviderFactories(),
			ErrorCheck: func(err error) error {
				failed++
				expectErrors(t, err, test.things, test.says)
				return nil
			},
			Steps: []resource.TestStep{{Config: test.config}},
		})
		service.WantRequests(requests)
	}
	if failed != len(tests) {
		t.Errorf("%d steps failed, want %d", failed, len(tests))
	}
}
