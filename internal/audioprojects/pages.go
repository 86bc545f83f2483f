package audioprojects

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
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

// The name of a field or a header tells whether it is about pages, and not, say, about the next invoice: it consists of one of the first
// line, and of what such names have beside it. A total is also one of credits, so the object in which it stands must have such a name, too.
var (
	pageMark = regexp.MustCompile(`more|next|truncated|continuation|total`)
	pageName = regexp.MustCompile(`^(more|next|truncated|continuation|total` +
		`|x|ms|amz|odata|is|are|has|there|of|num|number|count|size|start|after|offset|position|available|exists?` +
		`|page|pages|paging|pagination|pager|(page|paging)info|meta|metadata|data|response|list|links?|url|uri|href|cursors?|tokens?|marker|key|id` +
		`|items?|results?|records?|elements?|entries|rows|hits|chapters|projects|snapshots)+$`)
	separators = strings.NewReplacer("_", "", "-", "", ".", "", "@", "", ":", "", " ", "")
	// nextLink is in a Link header (RFC 8288).
	nextLink = regexp.MustCompile(`(?i);\s*rel\s*=\s*("([^"]*\s)?next(\s[^"]*)?"|'([^']*\s)?next(\s[^']*)?'|next\s*([,;]|$))`)
)

// incomplete is the error of an answer that has been read, and that says that it is not all; nil if it does not say so.
func (s sanitizer) incomplete(answer any, text []byte, header http.Header) error {
	if slices.ContainsFunc(header.Values("Link"), nextLink.MatchString) {
		return &IncompleteError{"a Link header to the next page"}
	}
	came, isList := lengthOf(answer)
	marks := pageMarks{came, isList}
	_, total, _ := strings.Cut(header.Get("Content-Range"), "/")
	headers, body := map[string]part{}, map[string]part{}
	for name := range header {
		value := header.Get(name)
		headers[name] = part(value) // as a field; a service may put an object into one
		if !strings.HasPrefix(value, "{") {
			headers[name], _ = json.Marshal(value) // A text is always encoded.
		}
	}
	_ = json.Unmarshal(text, &body) // Or it is a list without an object around it.
	mark := cmp.Or(marks.ofTotal("Content-Range", total), marks.in("", headers), marks.in("", body))
	if mark != "" {
		return &IncompleteError{s.excerpt(mark)}
	}
	return nil
}

// pageMarks finds what says that more is there than what came.
type pageMarks struct {
	came   int  // elements of the list
	isList bool // not if the answer has no list whose elements can be counted
}

// in finds the first field of an object, or of an object in it, that says so; empty if none does. A token or a link is not shown, because
// it may be signed.
func (m pageMarks) in(path string, fields map[string]part) (mark string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var inner map[string]part
		short := spelledShort(name)
		isMark := pageMark.MatchString(short) && pageName.MatchString(short)
		value := fields[name]
		switch {
		case isMark && strings.Contains(short, "total"):
			if pageName.MatchString(path + short) {
				mark = m.ofTotal(name, strings.Trim(string(value), `"`))
			}
		case isMark && string(value) == "true":
			mark = fmt.Sprintf("%q: true", name)
		case isMark && !saysNoNext(value):
			mark = fmt.Sprintf("it has %q", name)
		case bytes.HasPrefix(value, []byte("{")) && json.Unmarshal(value, &inner) == nil:
			mark = m.in(path+short, inner)
		}
		if mark != "" {
			return mark
		}
	}
	return ""
}

// ofTotal is the mark of a total that is larger than what came; empty if it is not. One page came of a total of pages.
func (m pageMarks) ofTotal(name, value string) string {
	total, err := strconv.Atoi(value)
	ofPages := strings.HasSuffix(strings.ToLower(name), "pages")
	if err != nil || !m.isList || total <= m.came && !ofPages || total <= 1 && ofPages {
		return ""
	}
	return fmt.Sprintf("%q: %d, but %d arrived", name, total, m.came)
}

// saysNoNext reports whether a field of a next page says that there is none: it is empty, also as a link without an address.
func saysNoNext(raw []byte) bool {
	return slices.Contains([]string{`"0"`, `"false"`}, strings.ToLower(string(raw))) || saysNothing(decoded(bytes.NewReader(raw)))
}

// lengthOf is how many elements the list of an answer has; isList is false if it has none.
func lengthOf(answer any) (length int, isList bool) {
	for field, value := range reflect.ValueOf(answer).Elem().Fields() {
		if field.Tag.Get("list") != "" && !value.IsNil() {
			return value.Len(), true
		}
	}
	return 0, false
}
