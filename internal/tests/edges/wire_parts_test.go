package edges_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// wireParts are the ways to say that an answer is not all.
func wireParts() (all []wireChange) {
	for _, field := range []string{
		`"has_more":true`, `"hasMore":true`, `"HasMore":"True"`, `"has_more":1`, `"has_next":true`, `"hasNextPage":true`, `"is_truncated":true`, `"IsTruncated":true`, `"incomplete_results":true`,
		`"truncated":true`, `"more":true`, `"partial":true`, `"continuation_token":"t"`, `"continuationToken":"t"`, `"LastEvaluatedKey":{"id":"t"}`,
		`"next":"/next"`, `"next_page":2`, `"nextPageToken":"t"`, `"next_cursor":"t"`, `"NextToken":"t"`, `"nextLink":"/n"`, `"@odata.nextLink":"/n"`, `"next-page":"2"`, `"next_url":"/n"`, `"nextOffset":5`,
		`"links":{"next":"/next"}`, `"_links":{"next":{"href":"/n"}}`, `"links":[{"rel":"next","href":"/n"}]`, `"paging":{"next":"/n"}`, `"response_metadata":{"next_cursor":"t"}`,
		`"meta":{"pagination":{"links":{"next":"/n"}}}`, `"pageInfo":{"hasNextPage":true}`, `"pagination":{"has_more":true}`, `"metadata":{"nextToken":"t"}`,
		`"total":57`, `"total":"57"`, `"total":{"value":57}`, `"total_count":57`, `"totalCount":57`, `"count":57`, `"total_items":57`, `"meta":{"total":57}`, `"pagination":{"count":57}`, `"totalElements":57`,
		`"page":1,"total_pages":3`, `"meta":{"currentPage":1,"lastPage":3}`, `"is_last_page":false`, `"last":false,"is_last":false`,
	} {
		all = append(all, wireChange{name: "says " + field, kind: "not all", operations: wireLists, do: func(a *wireAnswer, _ *http.Request, _ *wireServer) {
			a.body = wireSaying(a.body, field)
		}})
	}
	for _, field := range []string{`"has_more":true`, `"chapters_total":57`, `"chapter_count":57`, `"next_page_token":"t"`, `"pagination":{"next":"/n"}`} {
		all = append(all, wireChange{name: "the project says " + field, kind: "not all", operations: []mockserver.Operation{mockserver.GetProject},
			do: func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.body = wireSaying(a.body, field) }})
	}
	for _, header := range []string{
		"Link: </n>; rel=\"next\"", "Link: </n>;rel=next", "X-Total-Count: 57", "X-Total: 57", "X-Total-Pages: 3", "X-Next-Page: 2", "X-Next-Cursor: t", "X-Has-More: true", "X-Ms-Continuationtoken: t",
		`X-Pagination: {"TotalCount":57}`, "X-Pagination-Total-Count: 57", "Pagination-Count: 57", "Content-Range: chapters 0-1/57", "Content-Range: items 0-0/57",
	} {
		name, value, _ := strings.Cut(header, ": ")
		all = append(all, wireChange{name: "says " + header, kind: "not all", operations: wireLists,
			do: func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.header.Set(name, value) }})
	}
	return all
}

// wireRanges are the ways to say that audio is a part of what there is.
func wireRanges() (all []wireChange) {
	for _, status := range []int{200, 206} {
		kind := "status 206"
		if status == http.StatusOK {
			kind = "not all"
		}
		for _, given := range []string{"bytes 0-%d/999999", "bytes 1-%d/999999", "bytes 0-%d/*", "items 0-%d/1", "nonsense"} {
			all = append(all, wireChange{name: fmt.Sprintf("status %d, Content-Range: %s", status, given), kind: kind,
				operations: []mockserver.Operation{mockserver.StreamSnapshot}, do: func(a *wireAnswer, _ *http.Request, _ *wireServer) {
					a.status = status
					a.header.Set("Content-Range", strings.Replace(given, "%d", fmt.Sprint(len(a.body)-1), 1))
				}})
		}
	}
	return all
}

// wireFailures are the ways in which a list says that it is none, with a status of success.
func wireFailures() (all []wireChange) {
	add := func(name string, do func(a *wireAnswer)) {
		all = append(all, wireChange{name: name, kind: "not all", operations: wireLists, do: func(a *wireAnswer, _ *http.Request, _ *wireServer) { do(a) }})
	}
	for _, field := range []string{
		`"success":false`, `"Success":"False"`, `"is_success":0`, `"ok":false`, `"error":"no database"`, `"errors":["no database"]`, `"isError":true`, `"error":{"code":7}`, `"error":7`,
	} {
		add("says "+field, func(a *wireAnswer) { a.body = wireSaying(a.body, field) })
	}
	for _, field := range []string{`"status":"failed"`, `"Status":"error"`, `"status":500`} {
		add("has nothing, and says "+field, func(a *wireAnswer) {
			whole := wireParse(string(a.body))
			for i := range whole.fields {
				if whole.fields[i].value.kind == '[' {
					whole.fields[i].value = wireRaw("[]")
				}
			}
			a.body = wireSaying([]byte(wireStyle{}.text(whole)), field)
		})
	}
	return all
}

// wireSaying adds fields to an object, as they are written.
func wireSaying(object []byte, fields string) []byte {
	return []byte(strings.TrimSuffix(string(object), "}") + "," + fields + "}")
}
