package audioprojects

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// partialContent says that an answer is a part. Nobody has asked for one.
const partialContent = "206 Partial Content"

// markOfResponse is what says, in the status or in the header, that the list is not all: headers of GitHub, GitLab, WordPress, ASP.NET, Yii
// and PostgREST, and those that are like them.
func (i incompleteness) markOfResponse(response *http.Response) string {
	if response.StatusCode == http.StatusPartialContent {
		return partialContent
	}
	for _, name := range slices.Sorted(maps.Keys(response.Header)) { // The same answer has the same error.
		value := response.Header.Get(name)
		plain, isAboutPages := plainHeader(name)
		next := i
		next.isRecord = !isAboutPages // X-Nextjs-Cache says nothing of a page.
		isOfPart := name == "Content-Range" && i.isPartOf(value)
		saysMore := i.isMoreFlag(plain) && isTrue([]byte(value)) || i.isPageCount(plain) && exceeds([]byte(value), 1)
		switch {
		case name == "Link" && slices.ContainsFunc(response.Header.Values(name), hasNextLink):
			return "it has a link to the next page"
		case isOfPart, saysMore:
			return name + ": " + value
		case next.isNextPage(plain) && !saysNothing([]byte(value)):
			return "it has " + name
		case i.isTotal(plain) && exceeds([]byte(value), i.listed):
			return fmt.Sprintf("%s: %s, and it lists %d", name, value, i.listed)
		case i.isPagination(plain):
			var object map[string]json.RawMessage
			_ = unmarshal([]byte(value), &object) // What is no object says nothing.
			mark := i.mark(object, fmt.Sprintf(" in %q", name))
			if mark != "" {
				return mark
			}
		}
	}
	return ""
}

// plainHeader is a header's name in the spelling of no service, without what frameworks put before it:
// X-Pagination-Total-Count is totalcount.
func plainHeader(name string) (plain string, isAboutPages bool) {
	plain = strings.TrimPrefix(strings.TrimPrefix(normalizedName(name), "x"), "wp")
	for _, prefix := range []string{"pagination", "paging"} {
		rest, isPrefix := strings.CutPrefix(plain, prefix)
		if isPrefix && rest != "" { // X-Pagination itself has an object.
			return rest, true
		}
	}
	return plain, false
}

var (
	quotedTarget = regexp.MustCompile(`<[^>]*>|title\*?="[^"]*"`)
	linkRelation = regexp.MustCompile(`(?i);\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))`)
)

// hasNextLink reports whether a Link header names the next page: <…>; rel="next".
func hasNextLink(links string) bool {
	for _, relation := range linkRelation.FindAllStringSubmatch(quotedTarget.ReplaceAllString(links, ""), -1) {
		if slices.Contains(strings.Fields(strings.ToLower(relation[1]+relation[2])), "next") {
			return true
		}
	}
	return false
}

// isPartOf reports whether a Content-Range counts more elements than are listed. One in bytes is about the text.
func (i incompleteness) isPartOf(contentRange string) bool {
	_, size, _ := strings.Cut(contentRange, "/")
	return !strings.HasPrefix(contentRange, "bytes") && exceeds([]byte(size), i.listed)
}
