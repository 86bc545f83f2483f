package audioprojects_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestAnAnswerThatSaysThatItIsNotAll has the ways in which services do. What came is there all the same.
func TestAnAnswerThatSaysThatItIsNotAll(t *testing.T) {
	t.Parallel()
	const chapter = `"chapters":[{"chapter_id":"c"}]`
	header := func(name, value string) http.Header { return http.Header{name: {value}} }
	for _, test := range []struct {
		body   string
		header http.Header
		mark   string // empty: it is all
	}{
		{`{` + chapter + `,"has_more":true}`, nil, `"has_more": true`},
		{"\ufeff{" + chapter + `,"has_more":true}`, nil, `"has_more": true`},
		{`{` + chapter + `,"has_more":false,"next_page_token":null,"next":"","total":1}`, nil, ""},
		{`{` + chapter + `,"next_page_token":"hush"}`, nil, `it has "next_page_token"`},
		{`{` + chapter + `,"nextPageToken":"hush"}`, nil, `it has "nextPageToken"`},
		{`{` + chapter + `,"next_cursor":"hush"}`, nil, `it has "next_cursor"`},
		{`{` + chapter + `,"next":"https://service/next?signature=hush"}`, nil, `it has "next"`},
		{`{` + chapter + `,"next_page":2}`, nil, `it has "next_page"`},
		{`{` + chapter + `,"@odata.nextLink":"https://service/next"}`, nil, `it has "@odata.nextLink"`},
		{`{` + chapter + `,"links":{"next":{"href":"/next"}}}`, nil, `it has "next"`},
		{`{` + chapter + `,"links":{"self":"/here","next":null}}`, nil, ""},
		{`{` + chapter + `,"_links":{"next":{"href":null,"templated":false}}}`, nil, ""},
		{`{` + chapter + `,"has_more":"false","next_cursor":" ","next_page":0.0}`, nil, ""},
		{`{` + chapter + `,"has_more":"true"}`, nil, `it has "has_more"`},
		{`{` + chapter + `,"_links":{"next":{"href":"/next"}}}`, nil, `it has "next"`},
		{`{` + chapter + `,"pagination":{"has_next":true}}`, nil, `"has_next": true`},
		{`{` + chapter + `,"pageInfo":{"hasNextPage":true}}`, nil, `"hasNextPage": true`},
		{`{` + chapter + `,"meta":{"total":3}}`, nil, `"total": 3, but 1 arrived`},
		{`{` + chapter + `,"total_count":2}`, nil, `"total_count": 2, but 1 arrived`},
		{`{` + chapter + `,"total":0}`, nil, ""},
		{`{` + chapter + `,"total":"many"}`, nil, ""},
		{`{` + chapter + `}`, header("Link", `</next>; rel="next"`), "a Link header to the next page"},
		{`{` + chapter + `}`, header("Link", `</next>; rel=prev`), ""},
		{`{` + chapter + `}`, header("X-Total-Count", "2"), `"X-Total-Count": 2, but 1 arrived`},
		{`[{"chapter_id":"c"}]`, header("X-Total-Count", "1"), ""},
		{`[{"chapter_id":"c"}]`, header("Link", `</next>; rel="next"`), "a Link header to the next page"},
		{`{` + chapter + `}`, header("Link", `</last>; rel=last, </next>; Rel = 'last next'`), "a Link header to the next page"},
		{`{` + chapter + `}`, header("Link", `</archive>; rel="next-archive"`), ""},
		{`{` + chapter + `}`, header("X-Next-Page", "2"), `it has "X-Next-Page"`},
		{`{` + chapter + `}`, header("X-Next-Page", ""), ""},
		{`{` + chapter + `}`, header("X-Ms-Continuation", "hush"), `it has "X-Ms-Continuation"`},
		{`{` + chapter + `}`, header("X-Pagination", `{"HasNext":true}`), `"HasNext": true`},
		{`{` + chapter + `}`, header("Content-Range", "chapters 0-0/5"), `"Content-Range": 5, but 1 arrived`},
		{`{` + chapter + `}`, header("Content-Range", "chapters 0-0/*"), ""},
		{`{` + chapter + `,"nextLink":"hush"}`, nil, `it has "nextLink"`},
		{`{` + chapter + `,"NextToken":"hush"}`, nil, `it has "NextToken"`},
		{`{` + chapter + `,"HASMORE":true}`, nil, `"HASMORE": true`},
		{`{` + chapter + `,"response_metadata":{"next-cursor":"hush"}}`, nil, `it has "next-cursor"`},
		{`{` + chapter + `,"meta":{"pagination":{"pageCount":3,"total":3}}}`, nil, `"total": 3, but 1 arrived`},
		{`{` + chapter + `,"total":"3","total_characters":5000}`, nil, `"total": 3, but 1 arrived`},
		{`{` + chapter + `,"total_pages":2,"total_chapters":1}`, nil, `"total_pages": 2, but 1 arrived`},
		{`{"chapters":[],"total_pages":1,"total_results":0}`, nil, ""},
		// What is about something else than the list.
		{`{` + chapter + `,"next_invoice_unix":1,"learn_more":"https://service","more_info":"https://service","more_voices":true,"context":"x"}`, nil, ""},
		{`{` + chapter + `,"quota":{"total":100000,"next_reset":7},"total_characters":5000}`, nil, ""},
		{`{"chapters":[{"chapter_id":"c","next":"d","has_more":true}]}`, nil, ""},
	} {
		_, client := startWith(t, mockserver.Fault{Body: test.body, Header: test.header}, noRetries)
		chapters, err := client.ListChapters(t.Context(), "p")
		mark := ""
		var incomplete *audioprojects.IncompleteError
		if errors.As(err, &incomplete) {
			mark = incomplete.Mark
		}
		if mark != test.mark || test.mark == "" && err != nil || len(chapters) != strings.Count(test.body, "chapter_id") {
			t.Errorf("%s %v: got %d chapters, %v; want the mark %s", test.body, test.header, len(chapters), err, test.mark)
		}
	}
}

func TestEveryListMaySayThatItIsNotAll(t *testing.T) {
	t.Parallel()
	_, client := startWith(t, mockserver.Fault{Times: -1, Body: `{"projects":[],"snapshots":[],"project_id":"p","has_more":true}`}, noRetries)
	_, projects := client.ListProjects(t.Context())
	_, ofProject := client.ListProjectSnapshots(t.Context(), "p")
	_, ofChapter := client.ListChapterSnapshots(t.Context(), "p", "c")
	record, err := client.GetProject(t.Context(), "p")
	for _, err := range []error{projects, ofProject, ofChapter, err} {
		if !errors.As(err, new(*audioprojects.IncompleteError)) {
			t.Errorf("got %v, want an incomplete answer", err)
		}
	}
	if record.ProjectID != "p" {
		t.Errorf("got %+v, want what the record has", record)
	}
	for body, isAll := range map[string]bool{
		`{"project_id":"p","chapters":[{"chapter_id":"c"}],"total":5}`:                                 false,
		`{"project_id":"p","chapters":[{"chapter_id":"c"}],"total":1,"experimental":{"total":9}}`:      true,
		`{"project_id":"p","total":5}`:                                                                 true, // of what?
		`{"project_id":"p","chapters":[{"chapter_id":"c"}],"creation_meta":{"total":5,"next_in":"q"}}`: true,
	} {
		_, client := startWith(t, mockserver.Fault{Body: body}, noRetries)
		err := getProject(t.Context(), client)
		if (err == nil) != isAll {
			t.Errorf("%s: got %v, want all: %t", body, err, isAll)
		}
	}
}
