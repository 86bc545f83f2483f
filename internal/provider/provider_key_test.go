//go:build unix

package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// requestLine is in the log entry of every request.
const requestLine = "Request to the audio project service"

// logs are settings that log everything, and texts that the log must then contain.
var logs = map[string]struct {
	environment []string
	holds       []string
}{
	"everything on the screen": {[]string{"TF_LOG=TRACE"}, []string{requestLine, "CLI args:"}},
	"everything in a file":     {[]string{"TF_LOG=TRACE", "TF_LOG_PATH=log"}, []string{requestLine, "CLI args:"}},
	"the provider alone":       {[]string{"TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH=log"}, []string{requestLine}},
	"core alone":               {[]string{"TF_LOG_CORE=TRACE", "TF_LOG_PATH=log"}, []string{"CLI args:"}},
}

// keySources are all ways to set the key.
var keySources = map[string]struct {
	needs       []clitest.Feature
	environment []string
	block       string
}{
	"by the environment": {nil, []string{"AUDIOPROJECTS_API_KEY=" + echoedKey}, `
provider "audioprojects" {
  max_retries = 1
}
`},
	"by an ephemeral variable": {[]clitest.Feature{clitest.EphemeralValues}, []string{"AUDIOPROJECTS_API_KEY=", "TF_VAR_api_key=" + echoedKey}, `
variable "api_key" {
  type      = string
  ephemeral = true
  sensitive = true
}

provider "audioprojects" {
  api_key     = var.api_key
  max_retries = 1
}
`},
}

const everythingConverted = `
output "converted" {
  value = [audioprojects_chapter_conversion.chapter, audioprojects_project_snapshot_audio.book]
}
`

// forEveryLog runs a test with every log setting and every way to set the key. It searches for the key in all that
// the test prints or writes to files.
func forEveryLog(t *testing.T, test func(t *testing.T, service *service, terraform *cli, keyBlock string) (screens string)) {
	t.Helper()
	for logged, log := range logs {
		for given, keySource := range keySources {
			t.Run(logged+", key given "+given, func(t *testing.T) {
				t.Parallel()
				clitest.Needs(t, keySource.needs...)
				service := newEchoingService(t)
				terraform := newCLI(t, service)
				terraform.Environment = append(append(terraform.Environment, log.environment...), keySource.environment...)
				left := terraform.Files()
				screens := test(t, service, terraform, keySource.block)
				wantNoKey(t, "the screen", screens)
				searched := len(screens)
				for name, content := range terraform.Files() {
					if _, before := left[name]; !before {
						wantNoKey(t, name, string(content))
						searched += len(content)
					}
				}
				t.Logf("searched %d bytes", searched)
				for _, line := range log.holds {
					if !strings.Contains(screens+string(terraform.Files()["log"]), line) {
						t.Errorf("no log contains %q: the test looks in the wrong place", line)
					}
				}
			})
		}
	}
}

func TestAccTheKeyStaysHidden(t *testing.T) {
	t.Parallel()
	forEveryLog(t, func(t *testing.T, service *service, terraform *cli, keyBlock string) string {
		terraform.Write(keyBlock, everyDataSourceRead("read", "new"), everythingConverted, conversionBlock(``), audioBlock("book", `"new"`, ``))
		var screens strings.Builder
		for _, arguments := range [][]string{
			{"plan", "-out=saved"}, {"show", "saved"}, {"show", "-json", "saved"}, {"apply", "-json", "saved"},
			{"apply", "-auto-approve"}, {"plan", "-json", "-out=again"}, {"show"}, {"show", "-json"}, {"output", "-json"}, {"state", "pull"},
		} {
			screens.WriteString(terraform.Run(arguments...))
		}
		service.WantPaid("book", "one", 1)
		clitest.WantScreen(t, []string{screens.String()}, `"name":"one (the API key) (the API key) (the API key)`, `audio/wav; keys=(the API key) (the API key)`)
		return screens.String()
	})
}

func TestAccTheKeyStaysHiddenInErrors(t *testing.T) {
	t.Parallel()
	forEveryLog(t, func(t *testing.T, service *service, terraform *cli, keyBlock string) string {
		said := strings.Join(repeatedKeys(t), " ")
		service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, ChapterID: "one", Times: -1, Status: http.StatusForbidden, Body: said})
		terraform.Write(keyBlock, conversionBlock(``), `
resource "audioprojects_chapter_conversion" "two" {
  project_id = "book"
  chapter_id = "two"
}

resource "audioprojects_project_snapshot_audio" "book" {
  count               = 4
  project_id          = "book"
  project_snapshot_id = "new"
  filename            = "${count.index}.wav"
}
`)
		var screens string
		for number, option := range []string{"-no-color", "-json"} {
			for _, fault := range []mockserver.Fault{
				{Status: http.StatusFound, Header: http.Header{"Location": {"http://elsewhere.example/?" + repeatedKeys(t)[1]}}},
				{Status: http.StatusFound, Header: http.Header{"Location": {"http://%zz/" + echoedKey}}, Times: 2},
				{Body: said, Header: http.Header{"Content-Type": {"application/" + keyLetters + "+json"}}},
				{Status: http.StatusUnprocessableEntity, Body: fmt.Sprintf(`{"detail":[{"loc":[%q],"msg":%[1]q}]}`, echoedKey)},
			} {
				fault.Operation = mockserver.StreamSnapshot
				service.Inject(fault)
			}
			screen := terraform.RunFailing("apply", "-auto-approve", "-parallelism=1", option)
			for _, message := range []string{
				`403 Forbidden: (the API key) (the API key)`, `The service says: ` + []string{"First", "Second"}[number] + `, (the API key) (the API key)`,
				`a redirect to http://elsewhere.example is not followed: the API key stays with the host of the base URL`,
				`failed to parse Location header`, `the answer is JSON, not audio`, `422 Unprocessable Entity: (the API key): (the API key)`,
			} {
				clitest.WantScreen(t, []string{screen}, message)
			}
			screens += screen
		}
		return screens
	})
}

func TestAccTheKeyStaysHiddenInAPanic(t *testing.T) {
	t.Parallel()
	for _, traceback := range []string{"single", "all", "system"} {
		t.Run(traceback, func(t *testing.T) {
			t.Parallel()
			service := newEchoingService(t)
			terraform := newCLI(t, service)
			terraform.defect("panics in a request")
			terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_API_KEY="+echoedKey,
				"TF_LOG=TRACE", "TF_LOG_PATH=log", "GOTRACEBACK="+traceback)
			terraform.Write(conversionBlock(``))
			screen := terraform.RunFailing("apply", "-auto-approve")
			log := string(terraform.Files()["log"])
			// Terraform shows the stack trace on the screen, too; OpenTofu does not.
			clitest.WantScreen(t, []string{log}, "panic: with a key of 27 bytes, the way to /v1/projects/book/chapters is lost", "provider_test.panicInRequest({0x", "net/http.(*Client).do")
			wantNoKey(t, "the log", log)
			wantNoKey(t, "the screen", screen)
			t.Logf("searched %d bytes", len(screen)+len(log))
			service.WantCount(mockserver.ListChapters, 0)
		})
	}
}

const (
	// keyLetters are in every form of the key, because neither URLs nor JSON escape them.
	keyLetters = "Zq7xWvJt"
	// echoedKey is a key that every escape changes.
	echoedKey = `sk+a/b=c&d<e>"f\g%h` + keyLetters
)

// repeatedKeys are the forms of the key in which a service may repeat it.
func repeatedKeys(t *testing.T) []string {
	t.Helper()
	inJSON, err := json.Marshal(echoedKey)
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		echoedKey,
		url.QueryEscape(echoedKey),
		url.PathEscape(echoedKey),
		string(inJSON),
		html.EscapeString(echoedKey),
		base64.StdEncoding.EncodeToString([]byte(echoedKey)),
		base64.RawURLEncoding.EncodeToString([]byte(echoedKey)),
		base64.StdEncoding.EncodeToString([]byte("user:" + echoedKey)),
		base64.StdEncoding.EncodeToString([]byte("me:" + echoedKey)),
	}
}

// traces are texts; every form of the key contains one of them.
func traces() []string {
	found := []string{keyLetters, strings.ToLower(keyLetters)}
	for before := range 3 {
		digits := base64.RawStdEncoding.EncodeToString([]byte("--"[:before] + keyLetters))
		found = append(found, digits[2:len(digits)-2])
	}
	return found
}

// wantNoKey checks that a text of ours does not contain the key in any form.
func wantNoKey(t *testing.T, where, text string) {
	t.Helper()
	for _, trace := range traces() {
		if at := strings.Index(text, trace); at >= 0 {
			t.Errorf("%s contains the key %d times: …%s…", where, strings.Count(text, trace), text[max(0, at-150):min(len(text), at+100)])
		}
	}
}

func newEchoingService(t *testing.T) *service {
	t.Helper()
	mock := mockserver.New()
	mock.AddKey(mockserver.Key{Secret: echoedKey})
	said := strings.Join(repeatedKeys(t), " ")
	chapter := func(id string, conversions ...mockserver.Conversion) mockserver.Chapter {
		return mockserver.Chapter{
			ID: id, Name: id + " " + said, Error: said, Conversions: conversions,
			Snapshots: []mockserver.ChapterSnapshot{{ID: "first", Name: said}},
		}
	}
	return &service{clitest.StartService(t, mock, echoing(t, mock), mockserver.Project{
		ID: "book", Name: said, Title: &said, Experimental: map[string]any{said: said},
		Chapters: []mockserver.Chapter{
			chapter("one", mockserver.Conversion{Takes: time.Second}),
			chapter("two", mockserver.Conversion{Fails: "First, " + said}, mockserver.Conversion{Fails: "Second, " + said}),
		},
		Snapshots: []mockserver.ProjectSnapshot{{ID: "new", Name: said, Length: time.Second}},
	}), t}
}

// echoing is a gateway that repeats what it received: the key is in the headers of
// every answer, in the media type of audio, and after the end of an answer.
func echoing(t *testing.T, service http.Handler) http.Handler {
	said := repeatedKeys(t)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, r)
		answer := recorder.Result()
		defer answer.Body.Close()
		answer.Header["X-Debug"] = said
		if answer.Header.Get("Content-Type") == "audio/wav" {
			answer.Header.Set("Content-Type", "audio/wav; keys="+strings.Join(said, " "))
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		// The client may close the connection before it has read everything.
		_ = answer.Write(conn)
		if r.Method == http.MethodGet {
			_, _ = fmt.Fprintln(conn, said)
		}
	})
}
