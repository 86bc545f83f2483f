package mockserver_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// played runs a command, such as "fail chapter=one", and returns the status and what is said.
func played(service *mockserver.Server, command string) (status int, said string) {
	name, arguments, _ := strings.Cut(command, " ")
	request := httptest.NewRequest(http.MethodPost, "/play/"+name, strings.NewReader(strings.ReplaceAll(arguments, " ", "&")))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer := httptest.NewRecorder()
	service.Controls().ServeHTTP(answer, request)
	return answer.Code, strings.TrimSpace(answer.Body.String())
}

func TestControls(t *testing.T) {
	t.Parallel()
	const convert = "POST one/convert"
	for name, test := range map[string]struct {
		commands []string
		request  string
		status   int
		lists    string // after ten seconds
		lacks    string
	}{
		"edit":               {commands: []string{"edit chapter=one"}, lists: `"paragraphs_unconverted":2`},
		"edit to a text":     {commands: []string{"edit chapter=one text=Short."}, lists: `"characters_unconverted":6,`},
		"fail":               {commands: []string{"fail chapter=one words=No+voice"}, request: convert, status: 200, lists: `"last_conversion_error":"No voice"`},
		"fail once":          {commands: []string{"fail chapter=one", "convert chapter=one", "cancel chapter=one"}, request: convert, status: 200, lists: `"characters_unconverted":0`},
		"cancel":             {commands: []string{"convert chapter=one", "cancel chapter=one"}, lists: `"state":"default"`, lacks: `"characters_unconverted":0`},
		"convert":            {commands: []string{"convert chapter=one"}, lists: `"characters_unconverted":0`},
		"add":                {commands: []string{"add chapter=two"}, lists: `"chapter_id":"two"`},
		"remove":             {commands: []string{"remove chapter=one"}, lists: `{"chapters":[]}`},
		"slow":               {commands: []string{"slow takes=1m"}, request: convert, status: 200, lists: `"state":"in_queue"`},
		"quota":              {commands: []string{"quota characters=3"}, request: convert, status: 402},
		"quota without end":  {commands: []string{"quota characters=3", "quota"}, request: convert, status: 200},
		"refuse":             {commands: []string{"refuse status=503"}, request: convert, status: 503},
		"refuse for a while": {commands: []string{"refuse status=429 times=2"}, request: convert, status: 429},
		"refuse no longer":   {commands: []string{"refuse status=429 times=2", "refuse status=503", "refuse"}, request: convert, status: 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := mockserver.New()
				service.AddProject(mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{{
					ID: "one", Text: "Once upon a time.", Conversions: []mockserver.Conversion{{Takes: 5 * time.Second}},
				}}})
				for _, command := range test.commands {
					status, said := played(service, command)
					if status != http.StatusOK {
						t.Fatalf("%s: %d %s", command, status, said)
					}
				}
				if test.request != "" {
					got, _ := asked(service, http.MethodPost, "/v1/projects/book/chapters/one/convert")
					if got != test.status {
						t.Errorf("the request: got %d, want %d", got, test.status)
					}
				}
				time.Sleep(10 * time.Second)
				if test.lists == "" {
					return
				}
				_, list := asked(service, http.MethodGet, "/v1/projects/book/chapters")
				if !strings.Contains(list, test.lists) || test.lacks != "" && strings.Contains(list, test.lacks) {
					t.Errorf("got %s, want %s, and not %s", list, test.lists, test.lacks)
				}
			})
		})
	}
}

// TestControls_saysWhatWasPaidFor: who plays sees at once whether an apply has cost anything.
func TestControls_saysWhatWasPaidFor(t *testing.T) {
	t.Parallel()
	service := mockserver.New()
	service.AddProject(mockserver.Audiobook(0))
	shown := func() string {
		page := httptest.NewRecorder()
		service.Controls().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/play", nil))
		return page.Body.String()
	}
	page := shown()
	if !strings.Contains(page, "\n0 conversions paid for\n") {
		t.Errorf("before any request:\n%s", page)
	}
	for _, chapter := range []string{"chapter-1", "chapter-2", "chapter-2"} {
		asked(service, http.MethodPost, "/v1/projects/audiobook/chapters/"+chapter+"/convert")
	}
	played(service, "remove chapter=chapter-1")
	page = shown()
	if !strings.Contains(page, "\n3 conversions paid for\n") {
		t.Errorf("after three requests:\n%s", page)
	}
}

func asked(service *mockserver.Server, method, path string) (status int, body string) {
	request := httptest.NewRequest(method, path, nil)
	request.Header.Set("xi-api-key", mockserver.Secret)
	answer := httptest.NewRecorder()
	service.ServeHTTP(answer, request)
	return answer.Code, answer.Body.String()
}

func TestControls_saysWhatIsWrong(t *testing.T) {
	t.Parallel()
	service := mockserver.New()
	service.AddProject(mockserver.Audiobook(0))
	for command, want := range map[string]string{
		"burn":                      `there is no command "burn": GET /play lists them`,
		"edit":                      "edit needs a chapter: chapter=chapter-2 [text=…]",
		"edit chapter=chapter-9":    `project "audiobook" has no chapter "chapter-9"`,
		"add chapter=chapter-2":     `project "audiobook" has a chapter "chapter-2"`,
		"edit project=x chapter=a":  `there is no project "x"`,
		"cancel chapter=chapter-2":  "chapter-2 is not converting",
		"project project=audiobook": "project needs an id that no project has: project=second",
		"project":                   "project needs an id that no project has: project=second",
		"slow takes=long":           "slow needs a time such as takes=2m",
		"slow takes=-1s":            "slow needs a time such as takes=2m",
		"quota characters=-1":       "quota needs a number of characters=300",
		"refuse status=200":         "refuse needs a status of 400 to 599, and how many times; without both, it ends",
		"refuse status=429 times=0": "refuse needs a status of 400 to 599, and how many times; without both, it ends",
		"refuse times=3":            "refuse needs a status of 400 to 599, and how many times; without both, it ends",
		"convert chapter=%zz":       `invalid URL escape "%zz"`,
	} {
		status, said := played(service, command)
		if status != http.StatusBadRequest || said != want {
			t.Errorf("%s: got %d %q, want %q", command, status, said, want)
		}
	}
}
