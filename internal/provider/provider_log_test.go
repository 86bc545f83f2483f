package provider_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestLog_holdsStringsAndNoKey makes the provider write every message that it can log. All values must be
// texts, because the log hides the key only in texts.
func TestLog_holdsStringsAndNoKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		logEverything(t, &log)
		if strings.Contains(log.String(), mockserver.Secret) {
			t.Errorf("the log contains the key:\n%s", &log)
		}
		entries, err := tflogtest.MultilineJSONDecode(&log)
		if err != nil {
			t.Fatal(err)
		}
		unseen := messages(t)
		for _, entry := range entries {
			for field, value := range entry {
				_, isText := value.(string)
				if !isText {
					t.Errorf("%s: %s is a %T: %[3]v", entry["@message"], field, value)
				}
			}
			unseen = slices.DeleteFunc(unseen, func(message string) bool { return message == entry["@message"] })
		}
		if len(unseen) > 0 {
			t.Errorf("the provider can log %q, but this test does not make it do so", unseen)
		}
		t.Logf("%d entries", len(entries))
	})
}

// logEverything makes the provider do everything that it can, with and without errors, with a service that repeats the key.
func logEverything(t *testing.T, log *bytes.Buffer) {
	t.Helper()
	const said = "You said mock-key."
	logged := tflogtest.RootLogger(t.Context(), log)
	service := mockserver.New()
	service.SetHabits(mockserver.Habits{Progress: mockserver.Fractional})
	service.AddProject(mockserver.Project{
		ID: "book", Name: said,
		Chapters: []mockserver.Chapter{{
			ID: "one", Name: said, Conversions: []mockserver.Conversion{{Takes: time.Minute}, {Takes: time.Minute, Fails: said}},
		}},
		Snapshots: []mockserver.ProjectSnapshot{{ID: "new", Name: said, Length: time.Second}},
	})
	fail := func(operation mockserver.Operation, status, skip, times int) {
		service.Inject(mockserver.Fault{
			Operation: operation, Skip: skip, Times: times,
			Status: status, Body: said, Header: http.Header{"Location": {"//mock-key.example"}},
		})
	}

	chapter := newCore(t, chapterConversion, service, map[string]any{"triggers": map[string]any{"edition": "1"}})
	chapter.ctx = logged
	chapter.Apply().Want(chapter, "create", nil, nil)
	chapter.Plan().Want(chapter, "no-op", nil, nil)
	chapter.Arguments["triggers"] = map[string]any{"edition": "2"}
	// The refresh finds the chapter, but the apply does not, with all its retries.
	fail(mockserver.ListChapters, http.StatusBadGateway, 1, 5)
	chapter.Apply().Want(chapter, "update", nil, []string{"502 Bad Gateway: You said (the API key)."})
	chapter.Import("book/one")

	process := chapter.begin()
	defer process.End()
	fail(mockserver.ListChapters, http.StatusBadGateway, 0, 5)
	chapter.planAction(process, nil)
	time.Sleep(time.Minute)
	chapter.invoke(process, nil)
	time.Sleep(time.Minute)
	chapter.list(process, tfprotov6.ListResourceRequest{Limit: 5, IncludeResource: true}, "book", 5)
	for name, schema := range schemas().DataSourceSchemas {
		for _, status := range []int{0, http.StatusFound, http.StatusForbidden} {
			time.Sleep(time.Minute) // An estimate goes by a list that is not older, and the fault is for its own request.
			if status != 0 {
				fail("", status, 0, 1)
			}
			config := map[string]any{}
			for _, attribute := range schema.Block.Attributes {
				if attribute.Required {
					config[attribute.Name] = map[string]string{"project_id": "book", "chapter_id": "one"}[attribute.Name]
				}
			}
			_, err := process.ReadDataSource(logged, &tfprotov6.ReadDataSourceRequest{
				TypeName: name, Config: chapter.Encode(fakecore.ValueOf(schema.ValueType(), config)),
			})
			chapter.Must(err)
		}
	}

	book := newCore(t, projectConversion, service, map[string]any{})
	book.ctx = logged
	book.Apply()
	audio := newCore(t, projectSnapshotAudio, service, map[string]any{"filename": filepath.Join(t.TempDir(), "book.wav")})
	audio.ctx = logged
	fail(mockserver.StreamSnapshot, http.StatusUnprocessableEntity, 0, 1)
	audio.Apply()
	audio.Apply().Want(audio, "create", nil, nil)
}

// TestLog_hasEveryRequest: each request that may have cost credits is one line of it, with what it may have cost at most.
func TestLog_hasEveryRequest(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		var log bytes.Buffer
		c.ctx = tflogtest.RootLogger(c.Context(), &log)
		c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Reset: true, Process: true})
		c.Apply()
		entries, err := tflogtest.MultilineJSONDecode(&log)
		c.Must(err)
		outcomes := map[any]int{}
		for _, entry := range entries {
			if entry["@message"] != "Conversion requested" {
				continue
			}
			outcomes[entry["outcome"]]++
			id, _ := entry["chapter_id"].(string)
			if entry["@level"] != "info" || entry["project_id"] != "book" || !strings.HasPrefix(id, "chapter-") || entry["characters"] != "38" {
				t.Errorf("got %v", entry)
			}
		}
		if outcomes["accepted"] != 1 || outcomes["answer lost"] != 1 {
			t.Errorf("got %v, want a line for each of the two requests", outcomes)
		}
	})
}

// TestLog_saysWhyConversionIsRequested: each look at a chapter is a line of it, with what it shows and what follows.
func TestLog_saysWhyConversionIsRequested(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), kept(), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "one", acctest.LongerText)
		var log bytes.Buffer
		c.ctx = tflogtest.RootLogger(c.Context(), &log)
		c.Apply()
		entries, err := tflogtest.MultilineJSONDecode(&log)
		c.Must(err)
		var decisions []string
		for _, entry := range entries {
			if entry["@message"] != "Looked at a chapter" || entry["may_request"] != "true" {
				continue
			}
			if entry["@level"] != "trace" || entry["project_id"] != "book" || entry["chapter_id"] != "one" {
				t.Errorf("got %v", entry)
			}
			follows := fmt.Sprint(entry["decided"], " ", entry["reason"], ", ", entry["concluded"], " ", entry["because"])
			decisions = append(decisions, fmt.Sprint(entry["rules"], " ", entry["facts"], ": ", follows))
		}
		got, want := slices.Compact(decisions), []string{
			// The edit is confirmed by a second look.
			"10/130 textLeft convertedBefore followsText: wait confirming, request unconverted text",
			"10/130 textLeft convertedBefore followsText: request unconverted text, request unconverted text",
		}
		if !slices.Equal(got[:min(2, len(got))], want) || !strings.Contains(got[len(got)-1], ": done ") {
			t.Errorf("got %q, want it to begin with %q, and to end with done", got, want)
		}
	})
}

// messages are the messages of all log calls.
func messages(t *testing.T) (found []string) {
	t.Helper()
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			call, isCall := node.(*ast.CallExpr)
			if !isCall {
				return true
			}
			function, isSelector := call.Fun.(*ast.SelectorExpr)
			if !isSelector {
				return true
			}
			name, isName := function.X.(*ast.Ident)
			if !isName || name.Name != "tflog" {
				return true
			}
			message, err := strconv.Unquote(call.Args[1].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, message)
			return true
		})
	}
	if len(found) == 0 {
		t.Error("nothing is logged at all: the test looks in the wrong place")
	}
	return found
}
