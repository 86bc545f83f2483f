//go:build unix

package provider_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLIAPIKey_staysHidden in all that is printed, logged or written to files, whatever gives the key and wherever the service repeats it.
func TestCLIAPIKey_staysHidden(t *testing.T) {
	t.Parallel()
	for given, test := range map[string]struct {
		needs       []clitest.Feature
		environment []string
		block       string
	}{
		"by the environment, logged on the screen": {nil, []string{"TF_LOG=TRACE", "AUDIOPROJECTS_API_KEY=" + echoedKey}, `
provider "audioprojects" {
  max_retries = 1
}
`},
		"by an ephemeral variable, logged in a file": {
			[]clitest.Feature{clitest.EphemeralValues},
			[]string{"TF_LOG=TRACE", "TF_LOG_PATH=log", "AUDIOPROJECTS_API_KEY=", "TF_VAR_api_key=" + echoedKey}, `
variable "api_key" {
  type      = string
  ephemeral = true
  sensitive = true
}

provider "audioprojects" {
  api_key     = var.api_key
  max_retries = 1
}
`,
		},
	} {
		t.Run(given, func(t *testing.T) {
			t.Parallel()
			clitest.Needs(t, test.needs...)
			service := newEchoingService(t)
			terraform := acctest.NewCLI(t, service)
			terraform.Environment = append(terraform.Environment, test.environment...)
			left := terraform.Files()
			screens := readsAndConverts(service, terraform, test.block)
			wantNoKey(t, "the screen", screens)
			for name, content := range terraform.Files() {
				_, before := left[name]
				if !before {
					wantNoKey(t, name, string(content))
				}
			}
			for _, name := range []string{"terraform.tfstate", "saved/tfplan", "saved/tfstate"} {
				if len(terraform.Files()[name]) == 0 {
					t.Errorf("%s is not there, or empty: the test looks in the wrong place", name)
				}
			}
			for _, line := range []string{"Request to the audio project service", "CLI args:"} {
				if !strings.Contains(screens+string(terraform.Files()["log"]), line) {
					t.Errorf("no log contains %q: the test looks in the wrong place", line)
				}
			}
		})
	}
}

func readsAndConverts(service *acctest.Service, terraform *acctest.CLI, keyBlock string) string {
	terraform.Write(keyBlock, everyDataSourceRead("read", "new"), acctest.ConversionBlock(``), audioBlock("book", `"new"`, ``), `
output "converted" {
  value = nonsensitive(jsonencode([audioprojects_chapter_conversion.chapter, audioprojects_project_snapshot_audio.book]))
}
`)
	var screens strings.Builder
	for _, arguments := range [][]string{
		{"plan", "-out=saved"}, {"show", "saved"}, {"show", "-json", "saved"}, {"apply", "-json", "saved"},
		{"apply", "-auto-approve"}, {"show"}, {"show", "-json"}, {"output", "-json"}, {"state", "pull"},
	} {
		screens.WriteString(terraform.Run(arguments...))
	}
	service.WantPaid("book", "one", 1)
	clitest.WantScreen(service.T, []string{screens.String()}, `"name":"one (the API key) (the API key) (the API key)`, `audio/wav; keys=(the API key) (the API key)`)
	return screens.String()
}

const (
	// keyLetters are in every form of the key, because neither URLs nor JSON escape them.
	keyLetters = "Zq7xWvJt"
	// echoedKey is a key that every escape changes.
	echoedKey = `sk+a/b=c&d<e>"f\g%h` + keyLetters
)

// repeatedKeys are the forms of the key in which a service may repeat it.
func repeatedKeys() []string {
	return []string{
		echoedKey,
		url.QueryEscape(echoedKey),
		url.PathEscape(echoedKey),
		inJSON(echoedKey),
		base64.StdEncoding.EncodeToString([]byte(echoedKey)),
		base64.RawURLEncoding.EncodeToString([]byte(echoedKey)),
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
		at := strings.Index(text, trace)
		if at >= 0 {
			t.Errorf("%s contains the key %d times: …%s…", where, strings.Count(text, trace), text[max(0, at-150):min(len(text), at+100)])
		}
	}
}

func newEchoingService(t *testing.T) *acctest.Service {
	t.Helper()
	mock := mockserver.New()
	mock.AddKey(mockserver.Key{Secret: echoedKey})
	said := strings.Join(repeatedKeys(), " ")
	chapter := func(id string, conversions ...mockserver.Conversion) mockserver.Chapter {
		return mockserver.Chapter{
			ID: id, Name: id + " " + said, Error: said, Conversions: conversions,
			Snapshots: []mockserver.ChapterSnapshot{{ID: "first", Name: said}},
		}
	}
	return acctest.StartService(t, mock, echoing(t, mock), mockserver.Project{
		ID: "book", Name: said, Title: &said, Experimental: map[string]any{said: said},
		Chapters: []mockserver.Chapter{
			chapter("one", mockserver.Conversion{Takes: time.Second}),
			chapter("two", mockserver.Conversion{Fails: "First, " + said}, mockserver.Conversion{Fails: "Second, " + said}),
		},
		Snapshots: []mockserver.ProjectSnapshot{{ID: "new", Name: said, Length: time.Second}},
	})
}

// echoing is a gateway that repeats what it received: the key is in the headers of
// every answer, in the media type of audio, and after the end of an answer.
func echoing(t *testing.T, service http.Handler) http.Handler {
	said := repeatedKeys()
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
