package audioprojects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// IncompleteError means that an answer says itself that it is not all that the service has. The document describes no
// pages, so none are followed. What the answer has comes with the error.
type IncompleteError struct {
	// Mark is what says so, such as "has_more": true.
	Mark string
}

func (e *IncompleteError) Error() string {
	return "the answer says that it is incomplete (" + e.Mark + ")"
}

// marks are the fields by which services commonly say that an answer is a page. They stand beside the list, or in an
// object of their own there.
type marks struct {
	HasMore     json.RawMessage `json:"has_more"`
	HasMoreJS   json.RawMessage `json:"hasMore"`
	HasNext     json.RawMessage `json:"has_next"`
	HasNextPage json.RawMessage `json:"hasNextPage"`
	Truncated   json.RawMessage `json:"is_truncated"`

	Next          json.RawMessage `json:"next"`
	NextPage      json.RawMessage `json:"next_page"`
	NextCursor    json.RawMessage `json:"next_cursor"`
	NextToken     json.RawMessage `json:"next_token"`
	NextPageToken json.RawMessage `json:"next_page_token"`
	NextPageJS    json.RawMessage `json:"nextPageToken"`
	NextURL       json.RawMessage `json:"next_url"`
	Continuation  json.RawMessage `json:"continuation_token"`
	NextLink      json.RawMessage `json:"@odata.nextLink"`

	Total      json.RawMessage `json:"total"`
	TotalCount json.RawMessage `json:"total_count"`
	TotalJS    json.RawMessage `json:"totalCount"`
	TotalItems json.RawMessage `json:"total_items"`
}

// page is an answer, as far as it may say that it is a page.
type page struct {
	marks
	Pagination json.RawMessage `json:"pagination"`
	Paging     json.RawMessage `json:"paging"`
	PageInfo   json.RawMessage `json:"page_info"`
	PageInfoJS json.RawMessage `json:"pageInfo"`
	Meta       json.RawMessage `json:"meta"`
	Links      json.RawMessage `json:"links"`
	HALLinks   json.RawMessage `json:"_links"`
}

// nextLink is in a Link header (RFC 8288).
var nextLink = regexp.MustCompile(`;\s*rel="?next\b`)

// incomplete is the error of an answer that has been read, and that says that it is not all; nil if it does not say so.
func incomplete(answer any, text []byte, header http.Header) error {
	came, isList := lengthOf(answer)
	for _, link := range header.Values("Link") {
		if nextLink.MatchString(link) {
			return &IncompleteError{"a Link header to the next page"}
		}
	}
	total, err := strconv.Atoi(header.Get("X-Total-Count"))
	if err == nil && isList && total > came {
		return &IncompleteError{fmt.Sprintf("X-Total-Count: %d, but %d arrived", total, came)}
	}
	var whole page
	if json.Unmarshal(text, &whole) != nil {
		return nil // It is a list without an object around it.
	}
	beside := []marks{whole.marks}
	objects := []json.RawMessage{
		whole.Pagination, whole.Paging, whole.PageInfo, whole.PageInfoJS, whole.Meta, whole.Links, whole.HALLinks,
	}
	for _, inside := range objects {
		var inner marks
		if json.Unmarshal(inside, &inner) == nil {
			beside = append(beside, inner)
		}
	}
	for _, given := range beside {
		mark := given.mark(came, isList)
		if mark != "" {
			return &IncompleteError{mark}
		}
	}
	return nil
}

// mark is the first field that says that more than so many elements are there; empty if none does. A token or a link
// is not shown, because it may be signed.
func (m marks) mark(came int, isList bool) string {
	for field, value := range reflect.ValueOf(m).Fields() {
		name, raw := field.Tag.Get("json"), value.Bytes()
		var number int
		switch {
		case string(raw) == "true":
			return fmt.Sprintf("%q: true", name)
		case strings.HasPrefix(name, "total"):
			if json.Unmarshal(raw, &number) == nil && isList && number > came {
				return fmt.Sprintf("%q: %d, but %d arrived", name, number, came)
			}
		case len(raw) > 0 && !saysNoNext(raw):
			return fmt.Sprintf("it has %q", name)
		}
	}
	return ""
}

// saysNoNext reports whether a field of a next page says that there is none: it is empty, also as a link without an address.
func saysNoNext(raw json.RawMessage) bool {
	return slices.Contains([]string{`"0"`, `"false"`}, string(raw)) || saysNothing(decoded(bytes.NewReader(raw)))
}

// lengthOf is how many elements the list of an answer has; isList is false for the record of one thing.
func lengthOf(answer any) (length int, isList bool) {
	for field, value := range reflect.ValueOf(answer).Elem().Fields() {
		if field.Tag.Get("list") == "required" {
			return value.Len(), true
		}
	}
	return 0, false
}
