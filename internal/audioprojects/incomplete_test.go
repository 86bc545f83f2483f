package audioprojects_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestIncompleteList is refused if it says itself that it is not all: nobody is told that a part is all. The lists have one element.
func TestIncompleteList(t *testing.T) {
	t.Parallel()
	for fields, mark := range map[string]string{ // no mark: it is all
		`"has_more":true`: `"has_more": true`, `"hasMore":true`: `"hasMore": true`, `"meta":{"has_next_page":true}`: `"has_next_page": true in "meta"`,
		`"IsTruncated":true`: `"IsTruncated": true`, `"truncated":true`: `"truncated": true`, `"more":true`: `"more": true`, `"partial":true`: `"partial": true`,
		`"continuationToken":"hush"`: `it has "continuationToken"`, `"LastEvaluatedKey":{"id":"hush"}`: `it has "LastEvaluatedKey"`,
		`"has_more":1`: `"has_more": 1`, `"has_more":"true"`: `"has_more": "true"`, `"total":"5"`: `"total": "5", and it lists 1`,
		`"next_page_token":"hush"`: `it has "next_page_token"`, `"next":"/next?signature=hush"`: `it has "next"`,
		`"next_page":2`: `it has "next_page"`, `"nextPageToken":"mock-key"`: `it has "nextPageToken"`, `"next-mock-key":1`: `it has "next-(the API key)"`,
		`"NextToken":"hush"`: `it has "NextToken"`, `"nextLink":"hush"`: `it has "nextLink"`, `"Next":"hush"`: `it has "Next"`, `"@odata.nextLink":"hush"`: `it has "@odata.nextLink"`,
		`"links":{"next":"/next"}`: `it has "next" in "links"`, `"_links":{"self":{"href":"/"},"next":{"href":"/next"}}`: `it has "next" in "_links"`,
		`"links":[{"rel":"self","href":"/"},{"rel":"next","href":"/next"}]`: `it has "next" in "links"`,
		`"paging":{"cursors":{},"next":"/next"}`:                            `it has "next" in "paging"`, `"response_metadata":{"next_cursor":"hush"}`: `it has "next_cursor" in "response_metadata"`,
		`"meta":{"pagination":{"links":{"next":"/next"}}}`: `it has "next" in "links"`,
		`"meta":{"pagination":{"next_page":2}}`:            `it has "next_page" in "pagination"`, `"pageInfo":{"hasNextPage":true}`: `"hasNextPage": true in "pageInfo"`,
		`"total":5`: `"total": 5, and it lists 1`, `"total_count":2.0`: `"total_count": 2.0, and it lists 1`, `"count":2`: `"count": 2, and it lists 1`,
		`"totalCount":2`: `"totalCount": 2, and it lists 1`, `"total_items":2`: `"total_items": 2, and it lists 1`, `"page":{"totalElements":2}`: `"totalElements": 2 in "page", and it lists 1`,
		`"meta":{"total":2}`: `"total": 2 in "meta", and it lists 1`, `"pagination":{"count":2}`: `"count": 2 in "pagination", and it lists 1`,

		`"page":1,"total_pages":3`: `"total_pages": 3`, `"meta":{"currentPage":"1","lastPage":"3"}`: `"lastPage": "3" in "meta"`,
		`"page":{"page_number":3,"pageCount":3}`: `"pageCount": 3 in "page"`, `"pagination":{"page":0,"pages":2}`: `"pages": 2 in "pagination"`,
		`"total":{"value":2,"relation":"eq"}`: `"total": {"value":2,"relation":"eq"}, and it lists 1`, `"_meta":{"totalCount":2}`: `"totalCount": 2 in "_meta", and it lists 1`,
		`"total_entries":2`: `"total_entries": 2, and it lists 1`, `"HasMore":"True"`: `"HasMore": "True"`, `"last_page":"No"`: `"last_page": "No"`,
		`"is_last_page":false`: `"is_last_page": false`, `"offset":0,"limit":1,"total":57`: `"total": 57, and it lists 1`,

		`"page":1,"total_pages":1,"last_page":1,"is_last":true`:                                           "",
		`"page":0,"pages":1,"pageCount":0,"offset":0,"limit":50,"total":1`:                                "",
		`"page":{"pages":300},"last_page":300,"total_pages":300`:                                          "",
		`"has_more":0,"hasMore":"false","has_next":"","total":"1","count":"0"`:                            "",
		`"has_more":false,"next":null,"next_page_token":"","next_page":false`:                             "",
		`"next_cursor":0,"next_cursor_str":"0","NextToken": null`:                                         "",
		`"_links":{"next":{"href":null}},"links":[{"rel":"next","href":null}]`:                            "",
		`"_links":{"next":{}},"paging":{"next":[]},"meta":null,"page":1`:                                  "",
		`"links":[{"rel":"self","href":"/"},"next"],"pagination":"next"`:                                  "",
		`"total":1,"count":0,"total_count":null,"totalCount":"","meta":{}`:                                "",
		`"total":"many","count":{"characters":12000},"total_items":[2]`:                                   "",
		`"total_characters":12000,"character_count":12000,"characterCount":2`:                             "",
		`"total":{"value":1},"count":{"value":"2 hours"},"total_items":{}`:                                "",
		`"total_size":12000,"total_duration":12000,"total_credits":2`:                                     "",
		`"page_count":300,"total_pages":300,"pages":300,"size":50,"limit":50`:                             "",
		`"statistics":{"total":12000,"count":12000,"next":2},"more_info":"x"`:                             "",
		`"previous":"/before","prev":"/before","links":{"prev":"/before"}`:                                "",
		`"voice_count":2,"snapshots_count":2,"has_voice":true,"more_info":true,"continuation_token":null`: "",
	} {
		_, client := startWith(t, mockserver.Fault{Times: -1, Body: `{"projects":[{"project_id":"p"}],"chapters":[{"chapter_id":"c"}],` + fields + `}`}, noRetries)
		projects, failed := client.ListProjects(t.Context())
		chapters, err := client.ListChapters(t.Context(), "p")
		if mark == "" {
			if err != nil || failed != nil {
				t.Errorf("%s: got %v and %v", fields, err, failed)
			}
			continue
		}
		wantIncomplete(t, err, "GET /v1/projects/p/chapters: 200 OK: the answer says that it is incomplete ("+mark+")")
		wantIncomplete(t, failed, "GET /v1/projects: 200 OK: the answer says that it is incomplete ("+mark+")")
		if len(chapters)+len(projects) > 0 {
			t.Errorf("%s: got %v and %v; want neither", fields, chapters, projects)
		}
	}
}

// TestIncompleteList_header: public services say so in headers as well. The lists have one element.
func TestIncompleteList_header(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, value, mark string }{ // no mark: it is all
		{"Link", `</?page=2&key=hush>; rel="next", </?page=9>; rel="last"`, `it has a link to the next page`},
		{"Link", `</?page=0>; rel=prev, </?page=2>; title="2; more"; rel=Next`, `it has a link to the next page`},
		{"Link", `</?page=2>;rel="last next"`, `it has a link to the next page`},
		{"X-Total-Count", "57", "X-Total-Count: 57, and it lists 1"},
		{"X-Total", "2", "X-Total: 2, and it lists 1"},
		{"X-WP-Total", "2", "X-Wp-Total: 2, and it lists 1"},
		{"X-Wp-Totalpages", "2", "X-Wp-Totalpages: 2"},
		{"X-Total-Pages", "3", "X-Total-Pages: 3"},
		{"X-Next-Page", "2", "it has X-Next-Page"},
		{"X-Next-Cursor", "hush", "it has X-Next-Cursor"},
		{"X-Has-More", "true", "X-Has-More: true"},
		{"X-Ms-Continuationtoken", "hush", "it has X-Ms-Continuationtoken"},
		{"X-Pagination", `{"TotalCount":57,"PageSize":1}`, `"TotalCount": 57 in "X-Pagination", and it lists 1`},
		{"X-Pagination-Total-Count", "57", "X-Pagination-Total-Count: 57, and it lists 1"},
		{"X-Pagination-Page-Count", "3", "X-Pagination-Page-Count: 3"},
		{"X-Pagination-Next", "/?page=2&key=hush", "it has X-Pagination-Next"},
		{"Pagination-Count", "2", "Pagination-Count: 2, and it lists 1"},
		{"X-Paging-PageCount", "2", "X-Paging-Pagecount: 2"},
		{"Paging-Has-More", "True", "Paging-Has-More: True"},
		{"Content-Range", "chapters 0-0/57", "Content-Range: chapters 0-0/57"},
		{"Content-Range", "0-0/57", "Content-Range: 0-0/57"},

		{"Link", `</style.css>; rel="preload next-page", </?rel=next>; rel="self"; title="; rel=next"`, ""},
		{"Link", `next`, ""},
		{"X-Total-Count", "1", ""},
		{"X-Total-Count", "many", ""},
		{"X-Total-Pages", "1", ""},
		{"X-Next-Page", "", ""},
		{"X-Next-Page", "0", ""},
		{"X-Nextjs-Cache", "HIT", ""},
		{"X-Has-More", "false", ""},
		{"X-Pagination", `{"TotalCount":1}`, ""},
		{"X-Pagination", "1 of 2", ""},
		{"X-Total-Time", "57", ""},
		{"X-Pagination-Total-Count", "1", ""},
		{"X-Pagination-Page-Count", "1", ""},
		{"X-Pagination-Current-Page", "1", ""},
		{"X-Pagination-Per-Page", "20", ""},
		{"X-Pagination-Next", "null", ""},
		{"Pagination-Limit", "50", ""},
		{"X-Next", "/style.css", ""},
		{"X-RateLimit-Remaining", "57", ""},
		{"Content-Range", "chapters 0-0/1", ""},
		{"Content-Range", "chapters 0-0/*", ""},
		{"Content-Range", "bytes 0-99/100", ""},
	} {
		client := connect(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()[http.CanonicalHeaderKey(test.name)] = []string{test.value}
			_, _ = io.WriteString(w, `{"project_id":"p","chapters":[{"chapter_id":"c"}]}`)
		}), noRetries)
		_, err := client.ListChapters(t.Context(), "p")
		if test.mark != "" {
			wantIncomplete(t, err, "GET /v1/projects/p/chapters: 200 OK: the answer says that it is incomplete ("+test.mark+")")
		} else if err != nil {
			t.Errorf("%s: %s: got %v", test.name, test.value, err)
		}
		if err := getProject(t.Context(), client); err != nil {
			t.Errorf("%s: %s: got %v for the project", test.name, test.value, err)
		}
	}
	_, client := startWith(t, mockserver.Fault{Status: http.StatusPartialContent, Body: `{"chapters":[{"chapter_id":"c"}]}`}, noRetries)
	_, err := client.ListChapters(t.Context(), "p")
	wantIncomplete(t, err, "GET /v1/projects/p/chapters: 206 Partial Content: the answer says that it is incomplete (206 Partial Content)")
}

// TestFailedList: an answer with a status of success may say that it failed. Its list is none.
func TestFailedList(t *testing.T) {
	t.Parallel()
	for fields, says := range map[string]string{ // nothing: it is a list
		`"success":false`:                                       `"success": false`,
		`"ok":false,"error":"missing_scope"`:                    `"error": "missing_scope"`,
		`"Success":"false","message":"Not today."`:              `"Success": "false"; Not today.`,
		`"success":0,"detail":{"code":"E7","message":"Gone."}`:  `"success": 0; E7: Gone.`,
		`"error":{"code":"no_database","message":"Try again."}`: `"error": {"code":"no_database","message":"Try again."}`,
		`"errors":[{"message":"No database."}],"data":null`:     `"errors": [{"message":"No database."}]`,
		`"errors":[{"message":"mock-key\u001b[2J\n::error::"}]`: `"errors": [{"message":"(the API key)[2J\n::error::"}]`,
		`"success":"no"`:     `"success": "no"`,
		`"Success":"False"`:  `"Success": "False"`,
		`"is_success":false`: `"is_success": false`,
		`"isError":true`:     `"isError": true`,
		`"error":{"code":0,"message":"No database."}`: `"error": {"code":0,"message":"No database."}`,
		`"error":true,"message":"Not today."`:         `"error": true; Not today.`,
		`"error":7`:                                   `"error": 7`,

		`"success":true,"ok":1,"error":null,"errors":[]`:              "",
		`"error":"","errors":{},"message":"All is well."`:             "",
		`"error":false,"errors":0`:                                    "",
		`"error":{"code":0,"message":""},"errors":[]`:                 "",
		`"error":"none","errors":" "`:                                 "",
		`"error":"False","is_error":false,"has_errors":0`:             "",
		`"error":{"code":0,"message":"OK"},"errors":{"db":"None"}`:    "",
		`"success":null,"ok":"","error_count":2,"last_error":"Then."`: "",
	} {
		_, client := startWith(t, mockserver.Fault{Times: -1, Body: `{"chapters":[{"chapter_id":"c","error":"hoarse","success":false}],"projects":[],` + fields + `}`}, noRetries)
		chapters, err := client.ListChapters(t.Context(), "p")
		_, failed := client.ListProjects(t.Context())
		if says == "" {
			if err != nil || failed != nil || len(chapters) != 1 {
				t.Errorf("%s: got %v, %v", fields, err, failed)
			}
			continue
		}
		wantError(t, err, audioprojects.Ambiguous, "GET /v1/projects/p/chapters: 200 OK: the answer says that it failed ("+says+")")
		wantError(t, failed, audioprojects.Ambiguous, "GET /v1/projects: 200 OK: the answer says that it failed ("+says+")")
		if !audioprojects.Unreadable(err) || !errors.As(err, new(*audioprojects.FailedAnswerError)) {
			t.Errorf("%s: got %v, want a failure that is no list", fields, err)
		}
	}
	_, client := startWith(t, mockserver.Fault{Body: `{"project_id":"p","success":false,"error":"hoarse","errors":["E7"],"chapters":[]}`}, noRetries)
	if err := getProject(t.Context(), client); err != nil {
		t.Errorf("a project that is about its own failure: got %v", err)
	}
}

// TestFailedList_withoutElements: a status beside elements may be about them. Without any, it is the answer's.
func TestFailedList_withoutElements(t *testing.T) {
	t.Parallel()
	for fields, says := range map[string]string{ // nothing: it is a list
		`"status":"error","message":"Not today."`: `"status": "error"; Not today.`,
		`"Status":"Failed"`:                       `"Status": "Failed"`,
		`"status":"failure"`:                      `"status": "failure"`,
		`"status":"fail"`:                         `"status": "fail"`,
		`"status":500`:                            `"status": 500`,

		`"status":"success"`: "", `"status":"ok"`: "", `"status":200`: "", `"status":null`: "", `"status":{"error":1}`: "", `"error":"none"`: "",
	} {
		_, err := listChapters(t, `{"chapters":[],`+fields+`}`)
		_, absent := listChapters(t, `{`+fields+`}`)
		_, besideElements := listChapters(t, `{"chapters":[{"chapter_id":"c"}],`+fields+`}`)
		want := "the answer says that it failed (" + says + ")"
		isFailed := func(err error) bool { return err != nil && strings.HasSuffix(err.Error(), want) }
		isRight := isFailed(err) && isFailed(absent)
		if says == "" {
			isRight = err == nil && absent != nil && !errors.As(absent, new(*audioprojects.FailedAnswerError))
		}
		if !isRight || besideElements != nil {
			t.Errorf("%s: got %v, without a list %v, and beside elements %v; want %q", fields, err, absent, besideElements, says)
		}
	}
}

// TestIncompleteList_numberOfItsElements: a number with the name of the list is one of its elements, and one with another name is not.
// Nothing that a chapter says of itself is about the list.
func TestIncompleteList_numberOfItsElements(t *testing.T) {
	t.Parallel()
	for body, isAll := range map[string]bool{
		`{"chapters":[{"chapter_id":"c"}],"total_chapters":2}`:                                                   false,
		`{"chapters":[{"chapter_id":"c"}],"chapter_count":2}`:                                                    false,
		`{"chapters":[{"chapter_id":"c"}],"chaptersTotal":2}`:                                                    false,
		`{"chapters":[{"chapter_id":"c"}],"numChapters":1}`:                                                      true,
		`{"chapters":[{"chapter_id":"c"}],"total_projects":2}`:                                                   true,
		`{"chapters":[{"chapter_id":"c","total":2,"count":2,"next":"d","has_more":true,"links":{"next":"/d"}}]}`: true,
		`{"chapters":[{"chapter_id":"c"},{"chapter_id":"c"}],"total":2}`:                                         true, // where pages overlap
		`{"chapters":[],"total":0}`:                                                                              true,
		`{"chapters":[],"total":1}`:                                                                              false,
	} {
		_, err := listChapters(t, body)
		isIncomplete := errors.As(err, new(*audioprojects.IncompleteError))
		if isAll && err != nil || isIncomplete == isAll {
			t.Errorf("%s: got error %v; want all: %t", body, err, isAll)
		}
	}
}

// TestIncompleteProject: the record of a project has its chapters, too. Its other fields are its own: the next project, its metadata, and
// what it counts.
func TestIncompleteProject(t *testing.T) {
	t.Parallel()
	for fields, mark := range map[string]string{
		`"has_more_chapters":true`: `"has_more_chapters": true`, `"next_page_token":"hush"`: `it has "next_page_token"`,
		`"chapters_next_page":2`: `it has "chapters_next_page"`, `"pagination":{"total":2}`: `"total": 2 in "pagination", and it lists 1`,
		`"total_chapters":3`: `"total_chapters": 3, and it lists 1`, `"chapter_count":2`: `"chapter_count": 2, and it lists 1`,

		`"total_chapters":1,"chapters_count":1,"has_more":false,"next_page":null`:   "",
		`"next":"another-project","next_conversion_unix":1700000000,"total":12000`:  "",
		`"count":12000,"meta":{"total":5,"next":"x"},"metadata":{"count":3}`:        "",
		`"links":{"next":"/v1/projects/q"},"_links":{"next":{"href":"/q"}}`:         "",
		`"creation_meta":{"creation_progress":1},"experimental":{"next_page":2}`:    "",
		`"has_more_credits":true,"statistics":{"total_chapters":7},"page":{"no":1}`: "",
	} {
		_, client := startWith(t, mockserver.Fault{Body: `{"project_id":"p","chapters":[{"chapter_id":"c"}],` + fields + `}`}, noRetries)
		err := getProject(t.Context(), client)
		if mark == "" {
			if err != nil {
				t.Errorf("%s: got %v", fields, err)
			}
			continue
		}
		wantIncomplete(t, err, getProjectFailed+"200 OK: the answer says that it is incomplete ("+mark+")")
	}
	_, client := startWith(t, mockserver.Fault{Body: `{"project_id":"p","chapters":null,"chapter_count":2}`}, noRetries)
	if err := getProject(t.Context(), client); err != nil {
		t.Errorf("a record without chapters: got %v", err)
	}
}

func wantIncomplete(t *testing.T, err error, want string) {
	t.Helper()
	wantError(t, err, audioprojects.Ambiguous, want)
	if !errors.As(err, new(*audioprojects.IncompleteError)) || !audioprojects.Unreadable(err) || strings.Contains(err.Error(), "hush") {
		t.Errorf("got %v, want that it is incomplete", err)
	}
}
