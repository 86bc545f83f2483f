package audioprojects

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// IncompleteError means that a list says itself that it is not all that the service has. The document describes no
// pages, so none are followed, and what the list has is not returned.
type IncompleteError struct {
	// Mark is what says so, such as "has_more": true.
	Mark string
}

func (e *IncompleteError) Error() string {
	return "the answer says that it is incomplete (" + e.Mark + ")"
}

// incompleteness finds what says that a list is not all. A mistake refuses a list that is whole, and so everything that needs it. So it
// looks only at the object around the list, and at objects in it that public services have for pages; never at the elements.
type incompleteness struct {
	name   string // of the list, in plural
	listed int    // its elements
	// isRecord: the object is that of a project, and says other things about itself. Its `next` may be the next project, its `meta` tells of
	// the book, and its `total` is a price. So only names count that say that they are about pages, or about the list.
	isRecord bool
	level    int // how many objects are around this one
}

// mostLevels is enough for meta.pagination.links. Each level is decoded again.
const mostLevels = 3

// mark is what says that the list is not all; empty if nothing does. A token or a link is not shown, because it may be signed. The place
// names an object in the answer: ` in "links"`.
func (i incompleteness) mark(object map[string]json.RawMessage, place string) string {
	for _, name := range slices.Sorted(maps.Keys(object)) { // The same answer has the same error.
		plain, value := normalizedName(name), object[name]
		isFirstPage := i.isPageCount(plain) && exceeds(value, 1) && hasPageNumber(object)
		switch {
		case i.isMoreFlag(plain) && isTrue(value):
			return fmt.Sprintf("%q: %s%s", name, value, place)
		case i.isNextPage(plain) && !saysNothing(value):
			return fmt.Sprintf("it has %q%s", name, place)
		case i.isTotal(plain) && exceeds(value, i.listed):
			return fmt.Sprintf("%q: %s%s, and it lists %d", name, value, place, i.listed)
		case isFirstPage, i.isEndFlag(plain) && isFalse(value):
			return fmt.Sprintf("%q: %s%s", name, value, place)
		case i.isPagination(plain) && i.level < mostLevels:
			mark := i.markIn(name, value)
			if mark != "" {
				return mark
			}
		}
	}
	return ""
}

// markIn looks at an object about pages, or at a list of links: [{"rel": "next", "href": "…"}].
func (i incompleteness) markIn(name string, value []byte) string {
	place := fmt.Sprintf(" in %q", name)
	var links []json.RawMessage
	_ = json.Unmarshal(value, &links) // What is no list has no links.
	for _, element := range links {
		var link struct {
			Rel  string          `json:"rel"`
			HRef json.RawMessage `json:"href"`
		}
		err := unmarshal(element, &link)
		if err == nil && link.Rel == "next" && !saysNothing(link.HRef) {
			return fmt.Sprintf("it has %q%s", link.Rel, place)
		}
	}
	var inner map[string]json.RawMessage
	_ = json.Unmarshal(value, &inner) // What is no object says nothing.
	i.isRecord = false
	i.level++
	return i.mark(inner, place)
}

// normalizedName is a name in the spelling of no service: next_page, NextPage, next-page and @odata.nextPage are nextpage.
func normalizedName(name string) string {
	name = name[strings.LastIndex(name, ".")+1:]
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

func (i incompleteness) isMoreFlag(plain string) bool {
	if i.isRecord {
		return slices.Contains([]string{"hasmore", "hasmore" + i.name, "hasnextpage"}, plain)
	}
	isFlag := slices.Contains([]string{"more", "truncated", "istruncated", "partial", "ispartial", "incompleteresults"}, plain)
	return strings.HasPrefix(plain, "hasmore") || strings.HasPrefix(plain, "hasnext") || isFlag
}

func (i incompleteness) isNextPage(plain string) bool {
	isToken := strings.HasSuffix(plain, "continuationtoken") || strings.HasPrefix(plain, "lastevaluated")
	if isToken {
		return true
	}
	if i.isRecord {
		ofPages := []string{"nextpage", "nextpagetoken", "nexttoken", "nextcursor", "nextlink", "nextoffset"}
		return slices.Contains(ofPages, plain) || strings.HasPrefix(plain, i.name+"next")
	}
	return strings.HasPrefix(plain, "next")
}

// isTotal reports whether a number of this name is that of all elements. Other numbers stand beside lists as well: of characters, bytes,
// seconds or credits (total_characters, total_size), of the pages of a book (page_count), or how many elements a page may have (size, limit).
func (i incompleteness) isTotal(plain string) bool {
	ofList := []string{"total" + i.name, i.name + "total", i.name + "count", strings.TrimSuffix(i.name, "s") + "count", "num" + i.name}
	ofAny := []string{"total", "count", "totalcount", "totalitems", "totalresults", "totalrecords", "totalelements", "totalentries", "totalrows"}
	return slices.Contains(ofList, plain) || !i.isRecord && slices.Contains(ofAny, plain)
}

// isPageCount reports whether a number of this name is that of the pages, beside that of one page. The first page of
// several is not all, and no other page is.
func (i incompleteness) isPageCount(plain string) bool {
	return !i.isRecord && slices.Contains([]string{"totalpages", "lastpage", "pagecount", "numpages", "pages"}, plain)
}

func hasPageNumber(object map[string]json.RawMessage) bool {
	for name, value := range object {
		isName := slices.Contains([]string{"page", "currentpage", "pagenumber", "pageindex"}, normalizedName(name))
		if isName && exceeds(value, -1) {
			return true
		}
	}
	return false
}

func (i incompleteness) isEndFlag(plain string) bool {
	return !i.isRecord && slices.Contains([]string{"islastpage", "islast", "lastpage"}, plain)
}

func (i incompleteness) isPagination(plain string) bool {
	if i.isRecord {
		return slices.Contains([]string{"pagination", "paging", "pageinfo"}, plain)
	}
	// Of JSON:API and HAL, Slack, GraphQL and Spring.
	return slices.Contains([]string{"pagination", "paging", "pageinfo", "page", "meta", "metadata", "responsemetadata", "links"}, plain)
}

// isTrue reports whether a value says yes. Databases write 1 for that, and some services write text for all that is not text.
func isTrue(value []byte) bool {
	return slices.Contains([]string{"true", "1", "yes"}, wordOf(value))
}

// isFalse reports whether a value says no.
func isFalse(value []byte) bool {
	return slices.Contains([]string{"false", "0", "no"}, wordOf(value))
}

// wordOf is a value, or what a text says, in lower case.
func wordOf(value []byte) string { return strings.ToLower(strings.Trim(string(value), `" `)) }

// exceeds reads a number also from a text, because services write those of 64 bits so, and from an object as
// Elasticsearch has: {"value": 2}.
func exceeds(value []byte, least int) bool {
	var object struct {
		Value json.RawMessage `json:"value"`
	}
	err := unmarshal(value, &object)
	if err == nil {
		value = object.Value
	}
	number, err := strconv.ParseFloat(strings.Trim(string(value), `"`), 64)
	return err == nil && number > float64(least)
}

// saysNothing reports whether a value is what services send where there is no next page, such as {"href": null} of HAL.
func saysNothing(value []byte) bool {
	isNothing := func(value []byte) bool { return len(value) == 0 || isEmptyValue(value) || string(value) == `"0"` }
	return isNothing(value) || hasOnly(value, isNothing)
}

// hasOnly reports whether a value is an object, and all its values are such.
func hasOnly(value []byte, such func([]byte) bool) bool {
	var parts map[string]json.RawMessage
	err := json.Unmarshal(value, &parts)
	isOther := func(part json.RawMessage) bool { return !such(part) }
	return err == nil && !slices.ContainsFunc(slices.Collect(maps.Values(parts)), isOther)
}

// isEmptyValue reports whether a value is what services send in place of none.
func isEmptyValue(value []byte) bool {
	return slices.Contains([]string{"null", "false", "0", `""`, "[]", "{}"}, string(value))
}
