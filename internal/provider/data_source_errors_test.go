package provider_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccDataSourceErrors(t *testing.T) {
	t.Parallel()
	elsewhere := clitest.Serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a redirect has led to another host: %s %s", r.Method, r.URL)
	}))
	answer := func(status int, body string) mockserver.Fault { return mockserver.Fault{Status: status, Body: body} }
	scopeless := mockserver.Key{Secret: "scopeless-key", Scopes: []mockserver.Operation{mockserver.ConvertChapter}}
	stranger := mockserver.Key{Secret: "strangers-key", NoAccess: true}

	for name, test := range map[string]struct {
		key      mockserver.Key
		fault    mockserver.Fault
		says     string
		advises  string
		requests int // of each data source
	}{
		"401": {
			key:     mockserver.Key{Secret: "outdated-key"},
			fault:   answer(401, `{"detail":{"status":"invalid_api_key","message":"Invalid API key: outdated-key"}}`),
			says:    "401 Unauthorized: Invalid API key: (the API key).",
			advises: "Check `api_key` in the provider block or the environment variable AUDIOPROJECTS_API_KEY.", requests: 1,
		},
		"403 scope": {
			key:     scopeless,
			says:    "403 Forbidden: The API key is missing the permission for",
			advises: "The API key's scope does not include this operation", requests: 1,
		},
		"403 access": {
			key:     stranger,
			says:    "403 Forbidden: Projects are available on request. Please contact sales.",
			advises: "or the account has not been granted access to projects, which the vendor gives on request.", requests: 1,
		},
		"404": {
			fault:   answer(404, `{"detail":{"status":"project_not_found","message":"Project audiobook was not found."}}`),
			says:    "404 Not Found: Project audiobook was not found.",
			advises: "Check the id, and that it belongs to the account of the API key.", requests: 1,
		},
		"422": {
			fault:   answer(422, `{"detail":[{"loc":["path","project_id"],"msg":"String should match pattern","type":"string"}]}`),
			says:    "422 Unprocessable Entity: path.project_id: String should match pattern.",
			advises: "The service does not accept the request as it is. Check the ids.", requests: 1,
		},
		"400": {
			fault:   answer(400, `{"message":"No such thing."}`),
			says:    "400 Bad Request: No such thing.",
			advises: "The service does not accept the request as it is. Check the ids.", requests: 1,
		},
		"429": {
			fault:   mockserver.RateLimited(0),
			says:    "429 Too Many Requests: Too many requests.",
			advises: "The service asks for fewer requests. Run again later, or with a smaller -parallelism.", requests: 2,
		},
		"500": {
			fault:   answer(500, "worker 7 has died"),
			says:    "500 Internal Server Error: worker 7 has died.",
			advises: "The service has a problem of its own. Run again later.", requests: 2,
		},
		"503 HTML": {
			fault:   answer(503, "<!DOCTYPE html><html><h1>Down</h1></html>"),
			says:    "503 Service Unavailable: (an HTML page).",
			advises: "The service has a problem of its own. Run again later.", requests: 2,
		},
		"connection closed": {
			fault:   mockserver.Fault{EOF: true},
			says:    ": EOF.",
			advises: "The connection ended before the whole answer had come. Run again.", requests: 2,
		},
		"redirect": {
			fault:   mockserver.Fault{Status: 307, Header: http.Header{"Location": {elsewhere + "/v1/secret"}}},
			says:    "307 Temporary Redirect: a redirect to " + elsewhere + " is not followed: the API key stays with the host of the base URL.",
			advises: "Check `base_url`: it should be the address that the service itself answers at.", requests: 1,
		},
		"200 HTML": {
			fault:   answer(200, "<!DOCTYPE html><html><h1>Welcome</h1></html>"),
			says:    "200 OK: the answer is an HTML page, not JSON.",
			advises: "Check that `base_url` is the address of the service, and not of a web page or a gateway in front of it.", requests: 1,
		},
		"200 empty": {
			fault: answer(200, ""),
			says:  "200 OK: the answer is empty.", requests: 1,
		},
		"200 JSON cut short": {
			fault: answer(200, `{"project_id": "audiobook", "chapters": [`),
			says:  `200 OK: the answer is not valid JSON: unexpected end of JSON input; it reads {"project_id": "audiobook", "chapters": [.`, requests: 1,
		},
		"200 answer cut short": {
			fault:   mockserver.Fault{Status: 200, Body: `{"project_id": "audiobook", "chapters": []}`, Truncate: 20},
			says:    "the answer broke off after 20 bytes: unexpected EOF.",
			advises: "The connection ended before the whole answer had come. Run again.", requests: 2,
		},
		"200 text": {
			fault: answer(200, `"audiobook"`),
			says:  `200 OK: the answer is a JSON string of an unexpected shape; it reads "audiobook".`, requests: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newFaultyService(t)
			service.AddKey(scopeless)
			service.AddKey(stranger)
			if test.fault.Status != 0 || test.fault.EOF {
				test.fault.Times = -1
				service.Inject(test.fault)
			}
			key := mockserver.Secret
			if test.key.Secret != "" {
				key = test.key.Secret
			}
			printed := screens(t, everyDataSource(service.Address, key))
			for _, source := range dataSources {
				clitest.WantScreen(t, printed, "Unable to read "+source.thing, source.request+":", test.says, test.advises)
				if name == "404" {
					clitest.WantScreen(t, printed, "Unable to read "+source.thing, source.fault)
				}
			}
			wantRequestsOfEach(service, test.requests)
			if strings.Contains(strings.Join(printed, ""), key) {
				t.Errorf("an error shows the API key:\n%s", strings.Join(printed, "\n"))
			}
		})
	}
}

func TestAccDataSourceAnswersWithoutWhatIsNeeded(t *testing.T) {
	t.Parallel()
	type answer struct{ body, want string }
	for name, answers := range map[string]map[mockserver.Operation]answer{
		"no identifier": {
			mockserver.GetProject:           {`{"name": "The Lamplighter"}`, `the answer has no project_id; it reads {"name": "The Lamplighter"}.`},
			mockserver.ListChapters:         {`{"chapters": [{"chapter_id": "a"}, {"name": "b"}]}`, "element 1 of the answer's chapters has no chapter_id;"},
			mockserver.ListChapterSnapshots: {`{"snapshots": [{"name": "a"}]}`, "element 0 of the answer's snapshots has no chapter_snapshot_id;"},
			mockserver.ListProjects:         {`[{"project_id": "a"}, {"id": "b"}]`, `element 1 of the answer's projects has no project_id; it reads {"id": "b"}.`},
			mockserver.ListProjectSnapshots: {`{"snapshots": [{"id": "a"}]}`, `element 0 of the answer's snapshots has no project_snapshot_id; it reads {"id": "a"}.`},
		},
		"null": {
			mockserver.GetProject:           {`null`, "the answer has no project_id; it reads null."},
			mockserver.ListChapters:         {`{"chapters": null}`, `the answer has no list under chapters; it reads {"chapters": null}.`},
			mockserver.ListChapterSnapshots: {`{}`, "the answer has no list under snapshots; it reads {}."},
			mockserver.ListProjects:         {`null`, "the answer has no list under projects; it reads null."},
			mockserver.ListProjectSnapshots: {`{"items": []}`, `the answer has no list under snapshots; it reads {"items": []}.`},
		},
		"wrong type": {
			mockserver.GetProject:           {`{"project_id": "audiobook", "volume_normalization": "loud"}`, "the answer's field volume_normalization holds a JSON string;"},
			mockserver.ListChapters:         {`{"chapters": [{"chapter_id": 7}]}`, "the answer's field chapters.chapter_id holds a JSON number;"},
			mockserver.ListChapterSnapshots: {`{"snapshots": {"a": 1}}`, "the answer's field snapshots holds a JSON object;"},
			mockserver.ListProjects:         {`[{"project_id": "a", "name": 7}]`, `element 0 of the answer's projects holds a JSON number under name; it reads {"project_id": "a", "name": 7}.`},
			mockserver.ListProjectSnapshots: {`{"snapshots": "none"}`, `the answer's field snapshots holds a JSON string; it reads {"snapshots": "none"}.`},
		},
		"wrong type in the depth": {
			mockserver.GetProject:           {`{"project_id": "audiobook", "chapters": [{"chapter_id": "a", "statistics": {"paragraphs_converted": "all"}}]}`, "paragraphs_converted holds a JSON string;"},
			mockserver.ListChapters:         {`{"chapters": [{"chapter_id": "a", "last_conversion_date_unix": 1e99}]}`, "holds a JSON number too big to be read exactly;"},
			mockserver.ListChapterSnapshots: {`{"snapshots": [{"chapter_snapshot_id": "a", "created_at_unix": true}]}`, "created_at_unix holds a JSON bool;"},
			mockserver.ListProjects:         {`{"projects": [["a"]]}`, `element 0 of the answer's projects is not an object; it reads ["a"].`},
			mockserver.ListProjectSnapshots: {`[{"project_snapshot_id": {}}]`, "element 0 of the answer's snapshots holds a JSON object under project_snapshot_id;"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newFaultyService(t)
			for operation, answer := range answers {
				service.Inject(mockserver.Fault{Operation: operation, Times: -1, Body: answer.body})
			}
			printed := screens(t, everyDataSource(service.Address, mockserver.Secret))
			for _, source := range dataSources {
				clitest.WantScreen(t, printed, "Unable to read "+source.thing, source.request+": 200 OK: ", answers[source.operation].want)
			}
			wantRequestsOfEach(service, 1)
		})
	}
}

// TestAnInterruptedReadIsNotAnErrorOfTheService: its message blames neither the service nor a setting.
func TestAnInterruptedReadIsNotAnErrorOfTheService(t *testing.T) {
	t.Parallel()
	inFakeTime(t, mockserver.Chapter{}, nil, func(c *core) {
		c.service.Inject(mockserver.Fault{Hang: time.Hour})
		p := c.begin()
		defer p.End()
		const name = "audioprojects_project"
		config := fakecore.ValueOf(schemas().DataSourceSchemas[name].ValueType(), map[string]any{"project_id": "book"})
		ctx, interrupt := context.WithCancel(c.Context())
		time.AfterFunc(5*time.Second, interrupt)
		read, err := p.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: c.Encode(config)})
		c.Must(err)
		if len(read.Diagnostics) != 1 {
			t.Fatalf("got %d diagnostics, want 1", len(read.Diagnostics))
		}
		if got := box(read.Diagnostics[0]); !strings.Contains(got, "Terraform has been interrupted. Run again.") || strings.Contains(got, "request_timeout") {
			t.Errorf("got %s", got)
		}
	})
}
