package provider_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// expectErrors checks the errors of a step that must fail: each thing has one, which the text that is said of all fits.
func expectErrors(t *testing.T, err error, things []string, says string) error {
	t.Helper()
	if err == nil {
		return errors.New("got no error")
	}
	for _, thing := range things {
		if !regexp.MustCompile(`Error: Unable to read ` + regexp.QuoteMeta(thing) + `\s(?s:.*)` + says).MatchString(err.Error()) {
			t.Errorf("got no error about %s that fits %q: %v", thing, says, err)
		}
	}
	return nil
}

// TestAccDataSources_refused reads all data sources at once. Each is one request, and one error that names what could not be read.
func TestAccDataSources_refused(t *testing.T) {
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
	failed := 0
	for _, test := range []struct {
		config string
		things []string
		says   string
	}{
		{withKey("no-such-key"), things, `401\s+Unauthorized(?s:.*)Check\s.*api_key`},
		{withKey("streams-only"), things, `403\s+Forbidden(?s:.*)scope`},
		{withKey("without-access"), things, `403\s+Forbidden(?s:.*)ask\s+the\s+.*vendor`},
		{strings.ReplaceAll(config.String(), `"book"`, `"nowhere"`), ofProject, `404\s+Not\s+Found:[\s│]+project_not_found:\s+Project\s+nowhere`},
	} {
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: service.ProviderFactories(),
			ErrorCheck: func(err error) error {
				failed++
				return expectErrors(t, err, test.things, test.says)
			},
			Steps: []resource.TestStep{{Config: test.config}},
		})
		service.WantRequests(requests)
	}
	if failed != 4 {
		t.Errorf("%d steps failed, want 4", failed)
	}
}
