package edges_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// wireChange is one change of an answer.
type wireChange struct {
	name, kind  string // kind is the change's row in the table
	secure, two bool   // the connection has TLS; it has HTTP/2
	operations  []mockserver.Operation
	do          func(a *wireAnswer, r *http.Request, s *wireServer)
	field       *wireDocumented // that is changed; nil: none
}

var (
	wireGets = []mockserver.Operation{
		mockserver.GetProject, mockserver.ListChapters, mockserver.ListChapterSnapshots, mockserver.ListProjects, mockserver.ListProjectSnapshots,
	}
	wireLists = wireGets[1:]
	wireJSON  = append(slices.Clone(wireGets), mockserver.ConvertChapter)
)

// wireSame are the changes after which an answer means the same.
func wireSame() (all []wireChange) {
	add := func(name string, operations []mockserver.Operation, do func(a *wireAnswer, r *http.Request, s *wireServer)) {
		all = append(all, wireChange{name: name, kind: "the same", operations: operations, do: do})
	}
	for name, rewrite := range sorted(wireRewritings) {
		add(name, wireJSON, func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.body = []byte(rewrite(string(a.body))) })
	}
	for _, operation := range wireGets {
		one := []mockserver.Operation{operation}
		for _, place := range wirePlaces(operation) {
			for _, value := range []string{"null", "true", "7", `"x"`, "[7]", `{"x":7}`} {
				add(fmt.Sprintf("%s has %q: %s", placeName(place), "unheard_of", value), one, wireAdding(place, "unheard_of", value))
			}
		}
		for _, f := range wireFields(operation) {
			for _, name := range otherStyles(f.name) {
				add(fmt.Sprintf("%s has %q", placeName(f.place), name), one, wireAdding(f.place, name, `["other"]`))
			}
		}
	}
	for _, fields := range []string{
		`"has_more":false,"hasMore":"false","has_next":0`, `"next":null,"next_page_token":"","nextCursor":0`, `"_links":{"next":{"href":null}}`, `"links":[{"rel":"prev","href":"/p"}]`,
		`"total":1,"count":0,"total_items":{"value":1}`, `"page":1,"total_pages":1`, `"is_last_page":true`, `"pages":300`, `"total_characters":12000,"total_size":12000`,
		`"success":true,"error":null,"errors":[],"isError":false`, `"error":{"code":0,"message":"OK"},"status":"failed"`,
	} {
		add("says "+fields, wireLists, func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.body = wireSaying(a.body, fields) })
	}
	ofItself := `"next":"other","total":57,"count":57,"meta":{"total":57},"links":{"next":"/n"},"success":false,"error":"hoarse"`
	add("says of itself "+ofItself, []mockserver.Operation{mockserver.GetProject}, func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.body = wireSaying(a.body, ofItself) })
	for _, header := range []string{
		"Link: </p>; rel=prev", "X-Total-Count: 1", "X-Total-Pages: 1", "X-Next-Page: ", "X-Has-More: false", "X-Nextjs-Cache: HIT", `X-Pagination: {"TotalCount":1}`, "Content-Range: bytes 0-99/100",
	} {
		name, value, _ := strings.Cut(header, ": ")
		add("says "+header, wireLists, func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.header.Set(name, value) })
	}
	for _, status := range []int{200, 206} {
		add(fmt.Sprintf("status %d, and the Content-Range of all", status), []mockserver.Operation{mockserver.StreamSnapshot}, func(a *wireAnswer, _ *http.Request, _ *wireServer) {
			a.status = status
			a.header.Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(a.body)-1, len(a.body)))
		})
	}
	add("a charset", wireJSON, func(a *wireAnswer, _ *http.Request, _ *wireServer) {
		a.header.Set("Content-Type", a.header.Get("Content-Type")+"; charset=utf-8")
	})
	for name, form := range sorted(wireForms) {
		add(name, mockserver.Operations(), func(a *wireAnswer, _ *http.Request, _ *wireServer) { form(a) })
	}
	for _, secure := range []wireChange{{name: "TLS", secure: true}, {name: "HTTP/2", two: true}} {
		secure.kind, secure.operations = "the same", mockserver.Operations()
		chunked := secure
		chunked.name += ", chunks"
		secure.do = func(*wireAnswer, *http.Request, *wireServer) {}
		chunked.do = func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.framing = wireChunks }
		all = append(all, chunked)
		all = append(all, secure)
	}
	for _, status := range []int{301, 302, 307, 308} {
		add(fmt.Sprintf("redirect %d to the same host with its port", status), wireGets, func(a *wireAnswer, r *http.Request, s *wireServer) {
			if r.URL.RawQuery == "" {
				*a = wireAnswer{status: status, header: http.Header{"Location": {s.portWrittenOut(r.URL.Path + "?again")}}}
			}
		})
		add(fmt.Sprintf("redirect %d to another path", status), wireGets, func(a *wireAnswer, r *http.Request, s *wireServer) {
			if r.URL.RawQuery == "" {
				*a = wireAnswer{status: status, header: http.Header{"Location": {r.URL.Path + "?again"}}}
			}
		})
	}
	return all
}

func placeName(place string) string {
	if place == "" {
		return "the answer"
	}
	return place
}

// wireAdding adds a field that nobody named to the first object at a place: before its fields, and after them.
func wireAdding(place, name, value string) func(a *wireAnswer, _ *http.Request, _ *wireServer) {
	return func(a *wireAnswer, _ *http.Request, _ *wireServer) {
		whole := wireParse(string(a.body))
		for _, object := range whole.at(place)[:min(1, len(whole.at(place)))] {
			if object.kind == '{' {
				other := wireField{name, wireParse(value)}
				object.fields = append(append([]wireField{other}, object.fields...), other)
			}
		}
		a.body = []byte(wireStyle{}.text(whole))
	}
}

// wireRewritings are other texts of the same JSON.
var wireRewritings = map[string]func(string) string{
	"fields in another order": func(text string) string {
		whole := wireParse(text)
		for _, object := range whole.objects() {
			slices.Reverse(object.fields)
		}
		return wireStyle{}.text(whole)
	},
	"spaces":          func(text string) string { return wireStyle{space: " \t"}.text(wireParse(text)) },
	"ends of lines":   func(text string) string { return "\r\n" + wireStyle{space: "\r\n"}.text(wireParse(text)) + "\n\n" },
	"escapes":         func(text string) string { return wireStyle{escapes: true}.text(wireParse(text)) },
	"byte order mark": func(text string) string { return "\ufeff" + text },
	"numbers as 7.0": func(text string) string {
		return wireStyle{number: func(n string) string { return n + ".0" }}.text(wireParse(text))
	},
	"numbers as 70e-1": func(text string) string {
		return wireStyle{number: func(n string) string { return strings.TrimPrefix(n+"0e-1", "0") }}.text(wireParse(text))
	},
	"null is absent": func(text string) string {
		whole := wireParse(text)
		for _, object := range whole.objects() {
			object.fields = slices.DeleteFunc(object.fields, func(f wireField) bool { return f.value.kind == 'n' })
		}
		return wireStyle{}.text(whole)
	},
}

// wireForms are other forms of the same answer.
var wireForms = map[string]func(a *wireAnswer){
	"chunks":                   func(a *wireAnswer) { a.framing = wireChunks },
	"one byte a packet":        func(a *wireAnswer) { a.packet = 1 },
	"chunks, byte by byte":     func(a *wireAnswer) { a.framing, a.packet = wireChunks, 1 },
	"100 before it":            func(a *wireAnswer) { a.interim = "HTTP/1.1 100 Continue\r\n\r\n" },
	"102 before it":            func(a *wireAnswer) { a.interim = "HTTP/1.1 102 Processing\r\n\r\n" },
	"103 before it":            func(a *wireAnswer) { a.interim = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n" },
	"HTTP/1.0":                 func(a *wireAnswer) { a.version = "1.0" },
	"the connection closes":    func(a *wireAnswer) { a.closes = true },
	"Age: 0":                   func(a *wireAnswer) { a.header.Set("Age", "0") },
	"headers in small letters": func(a *wireAnswer) { a.headerName = strings.ToLower },
	"headers in capitals":      func(a *wireAnswer) { a.headerName = strings.ToUpper },
	"no date":                  func(a *wireAnswer) { a.header.Del("Date") },
	"a cookie":                 func(a *wireAnswer) { a.header.Set("Set-Cookie", "a=b; Path=/") },
}

// wireGzip compresses a body.
func wireGzip(body []byte) []byte {
	var b bytes.Buffer
	writer := gzip.NewWriter(&b)
	_, _ = writer.Write(body)
	_ = writer.Close()
	return b.Bytes()
}

// wirePlaces are those of the objects in an answer.
func wirePlaces(operation mockserver.Operation) (places []string) {
	for _, f := range wireFields(operation) {
		places = append(places, f.place)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// otherStyles are other spellings of a name: CHAPTER_ID, chapterId, chapter-id.
func otherStyles(name string) []string {
	camel := ""
	for i, word := range strings.Split(name, "_") {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		camel += word
	}
	styles := []string{strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:], camel, strings.ReplaceAll(name, "_", "-")}
	slices.Sort(styles)
	return slices.DeleteFunc(slices.Compact(styles), func(style string) bool { return style == name })
}
