package provider_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// settled checks the state after a conversion that ended well.
var settled = []statecheck.StateCheck{
	attribute("state", knownvalue.StringExact("default")),
	attribute("pending_conversion", knownvalue.Null()),
}

func TestAccConversionErrors(t *testing.T) {
	t.Parallel()
	const chapter, project = `Unable to convert chapter "The Dark Lantern" (one) of project "book" `, `Unable to read project "book" `
	onConvert := func(status int, body string) mockserver.Fault {
		return mockserver.Fault{Operation: mockserver.ConvertChapter, Times: -1, Status: status, Body: body}
	}
	onList := func(status int, body string) mockserver.Fault {
		return mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Status: status, Body: body}
	}
	tests := map[string]struct {
		fault mockserver.Fault
		want  string
		posts int
	}{
		"401 before": {
			onList(401, `{"detail":{"status":"invalid_api_key","message":"Who are you?"}}`),
			`GET /v1/projects/book/chapters: 401 Unauthorized: Who are you? The host is HOST. The service does not accept the API key.`, 0,
		},
		"403 before": {
			onList(403, `{"detail":"not for you"}`),
			`403 Forbidden: not for you. The host is HOST. The API key's scope does not include this operation, or the account has not been granted access`, 0,
		},
		"404 before": {
			onList(404, `{"detail":"no such project"}`),
			`404 Not Found: no such project. The host is HOST. Check the id, and that it belongs to the account of the API key.`, 0,
		},
		"500 before": {
			onList(500, `oh dear`),
			`500 Internal Server Error: oh dear. The host is HOST. The service has a problem of its own. Run again later.`, 0,
		},
		"HTML before": {
			onList(200, `<!DOCTYPE html><html>welcome</html>`),
			`200 OK: the answer is an HTML page, not JSON. The host is HOST. Check that ` + "`base_url`" + ` is the address of the service`, 0,
		},
		"401": {
			onConvert(401, `{"detail":{"status":"invalid_api_key","message":"Who are you?"}}`),
			`POST /v1/projects/book/chapters/one/convert: 401 Unauthorized: Who are you? The host is HOST. The service does not accept the API key.`, 1,
		},
		"402": {
			onConvert(402, `{"detail":{"status":"quota_exceeded","message":"No credits left."}}`),
			`402 Payment Required: No credits left. The host is HOST. The account's credits, or the credit quota of the API key, do not cover this.`, 1,
		},
		"403": {
			onConvert(403, `{"message":"not for you"}`),
			`403 Forbidden: not for you. The host is HOST. The API key's scope`, 1,
		},
		"404": {
			onConvert(404, `{"error":"no such chapter"}`),
			`404 Not Found: no such chapter. The host is HOST. Check the id`, 1,
		},
		"422": {
			onConvert(422, `{"detail":[{"loc":["path","chapter_id"],"msg":"too long","type":"value_error"}]}`),
			`422 Unprocessable Entity: path.chapter_id: too long. The host is HOST. The service does not accept the request as it is. Check the ids and the chapter's text.`, 1,
		},
		"429 for longer than the timeout": {
			mockserver.Fault{
				Operation: mockserver.ConvertChapter, Status: 429, Body: `{"detail":"slow down"}`, Header: http.Header{"Retry-After": {"9000"}},
			},
			`429 Too Many Requests: slow down. The host is HOST. The service asks to be left alone for 2h30m0s. Run again after that, perhaps with a smaller -parallelism.`, 1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newFaultyService(t, book())
			service.Inject(test.fault)
			summary := chapter
			switch {
			case test.fault.Operation != mockserver.ListChapters:
			case test.fault.Status/100 == 4:
				summary = project // the plan fails
			default:
				summary = `Unable to convert chapter "one" of project "book" ` // nobody knows its name
			}
			want := strings.ReplaceAll(test.want, "HOST", strings.TrimPrefix(service.Address, "http://"))
			run(t, resource.TestStep{
				Config:      service.Config(conversionBlock(``)),
				ExpectError: regexp.MustCompile(clitest.Says(summary).String() + `(?s:.*)` + clitest.Says(want).String()),
			})
			service.WantCount(mockserver.ConvertChapter, test.posts)
			service.WantPaid("book", "one", 0)
		})
	}
}

func TestAccConversionRefusesArguments(t *testing.T) {
	t.Parallel()
	service := newService(t, book())
	block := func(projectID, chapterID, more string) string {
		return `
resource "audioprojects_chapter_conversion" "chapter" {
  project_id = "` + projectID + `"
  chapter_id = "` + chapterID + `"
  ` + more + `
}
`
	}
	run(t,
		resource.TestStep{
			Config:      service.Config(block("..", "one", "")),
			ExpectError: clitest.Says(`".." is not an identifier`),
		},
		resource.TestStep{
			Config:      service.Config(block("book", "", "")),
			ExpectError: clitest.Says(`"" is not an identifier`),
		},
		resource.TestStep{
			Config:      service.Config(block("book", "one", `timeouts = { create = "soon" }`)),
			ExpectError: clitest.Says(`The value must be a duration longer than 0, such as ` + "`30s`, `5m` or `1h30m`" + `. It is "soon".`),
		},
		resource.TestStep{
			Config:      service.Config(block("book", "one", `timeouts = { update = "0s" }`)),
			ExpectError: clitest.Says(`The value must be a duration longer than 0, such as ` + "`30s`, `5m` or `1h30m`" + `. It is "0s".`),
		},
		resource.TestStep{
			Config:      service.Config(block("book", "one", `timeouts = { create = "" }`)),
			ExpectError: clitest.Says(`The value must be a duration longer than 0, such as ` + "`30s`, `5m` or `1h30m`" + `. It is "".`),
		},
	)
	if got := len(service.Journal()); got != 0 {
		t.Errorf("requests: got %d, want 0", got)
	}
}

func TestAccConversionFails(t *testing.T) {
	t.Parallel()
	service := newService(t, book(mockserver.Conversion{Fails: "the voice is out of breath"}, mockserver.Conversion{}))
	run(t,
		resource.TestStep{
			Config:      service.Config(conversionBlock(``)),
			ExpectError: clitest.Says(`The conversion failed. The service says: the voice is out of breath The next apply requests another conversion.`),
		},
		resource.TestStep{
			PreConfig:         func() { service.WantPaid("book", "one", 1) },
			Config:            service.Config(conversionBlock(``)),
			ConfigPlanChecks:  plans(plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{attribute("last_conversion_error", knownvalue.Null())},
		},
	)
	service.WantPaid("book", "one", 2)
}

func TestAccConversionBesideAStaleError(t *testing.T) {
	t.Parallel()
	service := newService(t, bookWith(mockserver.Chapter{Text: chapterText, Error: "the voice is out of breath"}))
	service.SetHabits(mockserver.Habits{KeepsOldError: true})
	run(t, resource.TestStep{
		Config: service.Config(conversionBlock(``)),
		ConfigStateChecks: []statecheck.StateCheck{
			attribute("last_conversion_error", knownvalue.StringExact("the voice is out of breath")),
			attribute("pending_conversion", knownvalue.Null()),
		},
	})
	service.WantPaid("book", "one", 1)
}

func TestAccConversionUpdateFails(t *testing.T) {
	t.Parallel()
	service := newService(t, book(mockserver.Conversion{}, mockserver.Conversion{Fails: "the voice is out of breath"}, mockserver.Conversion{}))
	bela := service.Config(conversionBlock(`triggers = { voice = "Bela" }`))
	run(t,
		resource.TestStep{Config: service.Config(conversionBlock(`triggers = { voice = "Ada" }`))},
		resource.TestStep{
			Config:      bela,
			ExpectError: clitest.Says(`The service says: the voice is out of breath`),
		},
		resource.TestStep{ // the new triggers are in the state, but the conversion is still needed
			PreConfig:        func() { service.WantPaid("book", "one", 2) },
			Config:           bela,
			ConfigPlanChecks: plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{
				attribute("triggers", knownvalue.MapExact(map[string]knownvalue.Check{"voice": knownvalue.StringExact("Bela")})),
				attribute("pending_conversion", knownvalue.Null()),
			},
		},
	)
	service.WantPaid("book", "one", 3)
}

func TestAccConversionUpdateIsRefused(t *testing.T) {
	t.Parallel()
	service := newFaultyService(t, book())
	bela := service.Config(conversionBlock(`triggers = { voice = "Bela" }`))
	run(t,
		resource.TestStep{Config: service.Config(conversionBlock(`triggers = { voice = "Ada" }`))},
		resource.TestStep{
			PreConfig: func() {
				service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: 422, Body: `{"detail":"locked"}`})
			},
			Config:      bela,
			ExpectError: clitest.Says(`422 Unprocessable Entity: locked.`),
		},
		resource.TestStep{ // the old triggers are still in the state, so the change is planned again
			Config:           bela,
			ConfigPlanChecks: plans(plancheck.ResourceActionUpdate),
		},
	)
	service.WantPaid("book", "one", 2)
}

func TestAccConversionOutOfTime(t *testing.T) {
	t.Parallel()
	service := newService(t, book(mockserver.Conversion{Takes: 10 * time.Second}))
	run(t,
		resource.TestStep{
			Config:      service.Config(conversionBlock(`timeouts = { create = "3s" }`)),
			ExpectError: clitest.Says("Out of time after 3s (`timeouts`)."),
		},
		resource.TestStep{
			Config:            service.Config(conversionBlock(``)),
			ConfigPlanChecks:  plans(plancheck.ResourceActionDestroyBeforeCreate),
			ConfigStateChecks: settled,
		},
	)
	service.WantPaid("book", "one", 1)
	service.WantCount(mockserver.ConvertChapter, 1)
}

// TestAccConversionOutOfTimeAndEnded: the refresh sees the end, but the creation that
// replaces the object must still know that the conversion has been paid for.
func TestAccConversionOutOfTimeAndEnded(t *testing.T) {
	t.Parallel()
	service := newService(t, book())
	service.SetHabits(mockserver.Habits{StaleLists: time.Hour})
	run(t,
		resource.TestStep{
			Config: service.Config(conversionBlock(`timeouts = { create = "3s" }`)),
			ExpectError: clitest.Says(`The service has accepted the request, and does not show the conversion yet. - state default The next apply ` +
				`waits for a sign of the conversion, and requests another only if there is none.`),
		},
		resource.TestStep{
			PreConfig:         func() { service.SetHabits(mockserver.Habits{}) },
			Config:            service.Config(conversionBlock(``)),
			ConfigPlanChecks:  plans(plancheck.ResourceActionDestroyBeforeCreate),
			ConfigStateChecks: settled,
		},
	)
	service.WantPaid("book", "one", 1)
}

func TestAccConversionUpdateOutOfTime(t *testing.T) {
	t.Parallel()
	service := newService(t, book(mockserver.Conversion{}, mockserver.Conversion{Takes: 10 * time.Second}))
	run(t,
		resource.TestStep{Config: service.Config(conversionBlock(`triggers = { voice = "Ada" }`))},
		resource.TestStep{
			Config:      service.Config(conversionBlock("triggers = { voice = \"Bela\" }\n  timeouts = { update = \"3s\" }")),
			ExpectError: clitest.Says(`The next apply waits for the conversion and requests none.`),
		},
		resource.TestStep{
			Config:            service.Config(conversionBlock(`triggers = { voice = "Bela" }`)),
			ConfigPlanChecks:  plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: settled,
		},
	)
	service.WantPaid("book", "one", 2)
}
