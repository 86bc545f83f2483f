package provider_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// What a user sees of failed requests is in testdata/errors.txt: of every status and of every body at one request, and of a
// few statuses at one request of each kind.

var update = flag.Bool("update", false, "rewrite testdata/errors.txt")

// failingRequest is a kind of request that can show an error to a user.
type failingRequest struct {
	block, what string
	operation   mockserver.Operation
	// shows sends the request to a service with faulty answers, and returns what the user sees.
	shows func(*testing.T, mockserver.Fault) []*tfprotov6.Diagnostic
	// paragraphs is the least number of paragraphs in a detail: what happened, what to do, and what follows.
	paragraphs int
}

var (
	read   = failingRequest{"data audioprojects_project", "reading the data source audioprojects_project", mockserver.GetProject, shownByDataSource, 2}
	stream = failingRequest{"resource audioprojects_project_snapshot_audio", "creating an audioprojects_project_snapshot_audio: the request for the audio", mockserver.StreamSnapshot, shownByStream, 3}
)

var failingRequests = []failingRequest{
	read,
	{"resource audioprojects_chapter_conversion", "refreshing an audioprojects_chapter_conversion", mockserver.ListChapters, shownByRefresh, 2},
	{"resource audioprojects_chapter_conversion", "creating an audioprojects_chapter_conversion: the request for a conversion", mockserver.ConvertChapter, shownByConversion, 2},
	{"resource audioprojects_chapter_conversion", "waiting for the conversion of an audioprojects_chapter_conversion, for a minute at most", mockserver.ListChapters, shownByWait, 2},
	{"resource audioprojects_project_conversion", "refreshing an audioprojects_project_conversion", mockserver.ListChapters, shownByRefreshOfBook, 2},
	{"resource audioprojects_project_conversion", "creating an audioprojects_project_conversion of one chapter: the request for a conversion", mockserver.ConvertChapter, shownByBook, 2},
	stream,
	{"action audioprojects_convert_chapter", "invoking the action audioprojects_convert_chapter: the request for a conversion", mockserver.ConvertChapter, shownByAction, 2},
	{"action audioprojects_convert_project", "invoking the action audioprojects_convert_project for one chapter: the request for a conversion", mockserver.ConvertChapter, shownByActionOfBook, 2},
	{"list audioprojects_project_conversion", "listing audioprojects_project_conversion for a query", mockserver.ListProjects, shownByQueryOfBooks, 2},
	{"list audioprojects_chapter_conversion", "listing audioprojects_chapter_conversion for a query", mockserver.ListChapters, shownByQuery, 2},
}

// shape is a body of an answer. The document describes none for an error (section 7).
type shape struct{ name, body string }

var shapes = []shape{
	{"FastAPI object", `{"detail":{"status":"refused","message":"Not today."}}`},
	{"FastAPI text", `{"detail":"Not today."}`},
	{"message", `{"message":"Not today."}`},
	{"error", `{"error":"Not today."}`},
	{"error object", `{"error":{"code":7,"message":"Not today."}}`},
	{"text", "Not today.\n"},
	{"FastAPI list", `{"detail":[{"loc":["path","project_id"],"msg":"Not today.","type":"refused"},{"loc":["body",0],"msg":"Nor ever.","type":"refused"}]}`},
	{"about money", `{"detail":{"status":"quota_exceeded","message":"This request exceeds your quota."}}`},
	{"hostile", `{"message":"\u001b[2JNot\u001b]0;title\u0007 to\b\b\rday\u009b1m\u202e."}`},
	{"HTML", "<!DOCTYPE html><html><body><h1>Not today.</h1></body></html>"},
	{"binary", "\x89PNG\r\n\x1a\n\x00\x00\xff\xfe"},
	{"long", strings.Repeat("Not today. ", 1000)},
	{"empty", ""},
}

// statuses are the statuses of a service, or of a gateway in front of it.
var statuses = []mockserver.Fault{
	{Status: 200}, {Status: 204},
	{Status: 301, Header: http.Header{"Location": {"https://elsewhere/"}}}, {Status: 302, Header: http.Header{"Location": {"http://else\u009bwhere/"}}},
	{Status: 400}, {Status: 401}, {Status: 402}, {Status: 403}, {Status: 404}, {Status: 405}, {Status: 408}, {Status: 409},
	{Status: 413}, {Status: 418}, {Status: 422}, {Status: 429}, mockserver.RateLimited(90 * time.Second),
	{Status: 500}, {Status: 502}, {Status: 503}, {Status: 504}, {Status: 599},
}

func TestErrors_shown(t *testing.T) {
	t.Parallel()
	page := "What a person is shown when a request fails. Rewritten by go test ./internal/provider -run TestErrors_shown -update.\n"
	for _, answer := range statuses {
		page += "\n# " + statusLine(answer) + "\n" + read.said(t, answer, shapes[0])
	}
	for _, request := range []failingRequest{read, stream} {
		for _, answer := range []mockserver.Fault{{Status: 200}, {Status: 403}} {
			page += "\n## Bodies that come with " + statusLine(answer) + ", " + request.what + "\n"
			for _, shape := range shapes {
				page += "\n# " + shape.name + "\n" + request.said(t, answer, shape)
			}
		}
	}
	for _, request := range failingRequests {
		page += "\n## When " + request.what + "\n"
		for _, answer := range []mockserver.Fault{{Status: 404}, mockserver.RateLimited(90 * time.Second), {Status: 503}} {
			page += "\n# " + statusLine(answer) + "\n" + request.screen(t, answer, shapes[0])
		}
	}
	wantPage(t, page)
}

func statusLine(answer mockserver.Fault) string {
	line := strings.TrimSpace(fmt.Sprint(answer.Status, " ", http.StatusText(answer.Status)))
	wait := answer.Header.Get("Retry-After")
	if wait != "" {
		line += ", Retry-After: " + wait
	}
	return line
}

// ask returns what is shown for an answer, which fits the rules.
func (m failingRequest) ask(t *testing.T, answer mockserver.Fault, shape shape) []*tfprotov6.Diagnostic {
	t.Helper()
	answer.Operation, answer.Times = m.operation, -1
	if answer.Status != http.StatusNoContent {
		answer.Body = shape.body
	}
	shown := m.shows(t, answer)
	for _, diagnostic := range shown {
		m.wantFit(t, diagnostic)
	}
	return shown
}

// said is what happened and what to do, without what is the same for all.
func (m failingRequest) said(t *testing.T, answer mockserver.Fault, shape shape) string {
	t.Helper()
	shown := m.ask(t, answer, shape)
	paragraphs := strings.Split(shown[0].Detail, "\n\n")
	return strings.ReplaceAll(paragraphs[0], "\n  │ ", " ") + "\n" + paragraphs[1] + "\n"
}

// screen is all that is shown.
func (m failingRequest) screen(t *testing.T, answer mockserver.Fault, shape shape) string {
	t.Helper()
	var boxes []string
	for _, diagnostic := range m.ask(t, answer, shape) {
		boxes = append(boxes, box(diagnostic))
	}
	return strings.Join(boxes, "\n")
}

// wantFit checks the rules for every diagnostic.
func (m failingRequest) wantFit(t *testing.T, diagnostic *tfprotov6.Diagnostic) {
	t.Helper()
	text := diagnostic.Summary + "\n\n" + diagnostic.Detail
	strange := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
	paragraphs := strings.Split(diagnostic.Detail, "\n\n")
	switch {
	case strings.ContainsFunc(text, strange), strings.Contains(diagnostic.Summary, "\n"):
		t.Errorf("has control characters: %q", text)
	case regexp.MustCompile(`rules? \d`).MatchString(text):
		t.Errorf("names rules of the engine, which only the log has: %s", text)
	case strings.Contains(text, "<"):
		t.Errorf("has markup: %s", text)
	case utf8.RuneCountInString(text) > 1200:
		t.Errorf("too long: %s", text)
	case len(paragraphs) < m.paragraphs, slices.Contains(paragraphs, ""):
		t.Errorf("does not say what to do: %s", text)
	}
}

// box is a diagnostic in the form of the file.
func box(diagnostic *tfprotov6.Diagnostic) string {
	text := fmt.Sprintf("%s: %s\n", diagnostic.Severity, diagnostic.Summary)
	if diagnostic.Attribute != nil {
		text += "at " + strings.NewReplacer(`AttributeName("`, "", `")`, "").Replace(diagnostic.Attribute.String()) + "\n"
	}
	return text + diagnostic.Detail + "\n"
}

func wantPage(t *testing.T, page string) {
	t.Helper()
	file := filepath.Join("testdata", "errors.txt")
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if page == string(want) {
		return
	}
	got, wanted := strings.SplitAfter(page, "\n"), strings.SplitAfter(string(want), "\n")
	line := 0
	for line < min(len(got), len(wanted)) && got[line] == wanted[line] {
		line++
	}
	t.Errorf("%s:%d differs: got\n%swant\n%sIf that is intended, run the test with -update and read what has changed.", file, line+1,
		strings.Join(got[line:min(line+8, len(got))], ""), strings.Join(wanted[line:min(line+8, len(wanted))], ""))
}

func shownByDataSource(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	inFakeTime(t, mockserver.Chapter{}, nil, func(c *core) {
		c.service.Inject(fault)
		p := c.begin()
		defer p.End()
		const name = "audioprojects_project"
		config := fakecore.ValueOf(schemas().DataSourceSchemas[name].ValueType(), map[string]any{"project_id": "book"})
		read, err := p.ReadDataSource(c.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: c.Encode(config)})
		c.Must(err)
		shown = read.Diagnostics
	})
	return shown
}

func shownByRefresh(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	inFakeTime(t, mockserver.Chapter{Converted: true}, nil, func(c *core) {
		c.Import("book/one")
		c.service.Inject(fault)
		shown = c.Plan().Diagnostics
	})
	return shown
}

func shownByRefreshOfBook(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	withBook(t, []mockserver.Chapter{{ID: "one", Converted: true}}, func(c *core) {
		c.Import("book")
		c.service.Inject(fault)
		shown = c.Plan().Diagnostics
	})
	return shown
}

// shownByBook leaves the estimate out, which is a warning.
func shownByBook(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	withBook(t, manyChapters(1), func(c *core) {
		c.service.Inject(fault)
		shown = slices.DeleteFunc(c.Apply().Diagnostics, func(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityWarning })
	})
	return shown
}

func shownByActionOfBook(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	withBook(t, manyChapters(1), func(c *core) {
		p := c.begin()
		defer p.End()
		c.service.Inject(fault)
		shown = c.Invoke(p, convertProject, c.ActionConfig(convertProject, map[string]any{"project_id": "book"})).Diagnostics
	})
	return shown
}

func shownByQueryOfBooks(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	withBook(t, manyChapters(1), func(c *core) {
		p := c.begin()
		defer p.End()
		c.service.Inject(fault)
		_, screen := c.List(p, tfprotov6.ListResourceRequest{Limit: 1}, map[string]any{}, 1)
		shown = screen.Diagnostics
	})
	return shown
}

func shownByConversion(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	inFakeTime(t, mockserver.Chapter{}, nil, func(c *core) {
		c.service.Inject(fault)
		shown = c.Apply().Diagnostics
	})
	return shown
}

func shownByWait(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	arguments := map[string]any{"timeouts": map[string]any{"create": "1m"}}
	inFakeTime(t, chapterWithConversions(mockserver.Conversion{Takes: time.Hour}), arguments, func(c *core) {
		time.AfterFunc(10*time.Second, func() { c.service.Inject(fault) })
		shown = c.Apply().Diagnostics
	})
	return shown
}

func shownByStream(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		service := mockserver.New()
		service.AddProject(recordings)
		service.Inject(fault)
		c := newCore(t, projectSnapshotAudio, service, map[string]any{"filename": filepath.Join(folder, "book.wav")})
		shown = c.Apply().Diagnostics
	})
	for _, diagnostic := range shown {
		diagnostic.Detail = strings.ReplaceAll(diagnostic.Detail, folder+string(filepath.Separator), "")
	}
	return shown
}

func shownByAction(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		c.service.Inject(fault)
		shown = c.invoke(p, nil).Diagnostics
	})
	return shown
}

func shownByQuery(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		c.service.Inject(fault)
		_, screen := c.list(p, tfprotov6.ListResourceRequest{Limit: 1}, "book", 1)
		shown = screen.Diagnostics
	})
	return shown
}
