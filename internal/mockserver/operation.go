package mockserver

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Operation is one of the operations of section 4.
type Operation string

// The operations, named after sections 4.1 to 4.6.
const (
	GetProject           Operation = "GetProject"
	ListChapters         Operation = "ListChapters"
	ListChapterSnapshots Operation = "ListChapterSnapshots"
	ConvertChapter       Operation = "ConvertChapter"
	StreamSnapshot       Operation = "StreamSnapshot"
	ListProjects         Operation = "ListProjects"
	ListProjectSnapshots Operation = "ListProjectSnapshots"
)

// routes have their paths without what all begin with.
var routes = []struct {
	operation Operation
	method    string
	path      string
	perform   func(s *Server, c *call, now time.Time) answer
}{
	{GetProject, http.MethodGet, "/projects/{project_id}", (*Server).getProject},
	{ListChapters, http.MethodGet, "/projects/{project_id}/chapters", (*Server).listChapters},
	{ListChapterSnapshots, http.MethodGet, "/projects/{project_id}/chapters/{chapter_id}/snapshots", (*Server).listChapterSnapshots},
	{ConvertChapter, http.MethodPost, "/projects/{project_id}/chapters/{chapter_id}/convert", (*Server).convertChapter},
	{StreamSnapshot, http.MethodPost, "/projects/{project_id}/snapshots/{project_snapshot_id}/stream", (*Server).streamSnapshot},
	{ListProjects, http.MethodGet, "/projects", (*Server).listProjects},
	{ListProjectSnapshots, http.MethodGet, "/projects/{project_id}/snapshots", (*Server).listProjectSnapshots},
}

// Operations are all operations that the server knows.
func Operations() (all []Operation) {
	for _, route := range routes {
		all = append(all, route.operation)
	}
	return all
}

// call is one request, with its operation and the identifiers in its path.
type call struct {
	operation  Operation
	projectID  string
	chapterID  string
	snapshotID string
	header     http.Header
	body       []byte
	refusal    *answer
	perform    func(s *Server, c *call, now time.Time) answer
	key        *Key
	entry      *Entry
}

// newCall routes a request to a service whose operations begin at a path. The document gives no error codes. This
// refusal and all others have the form of a FastAPI service.
func newCall(r *http.Request, body []byte, apiPath string) *call {
	c := &call{header: r.Header, body: body}
	c.refusal = new(errorAnswer(http.StatusNotFound, "Not Found"))
	path, found := strings.CutPrefix(r.URL.EscapedPath(), apiPath)
	if !found {
		return c
	}
	elements := strings.Split(path, "/")
	for _, route := range routes {
		ids, ok := match(route.path, elements)
		if !ok {
			continue
		}
		if r.Method != route.method {
			c.refusal = new(errorAnswer(http.StatusMethodNotAllowed, "Method Not Allowed"))
			c.refusal.header.Set("Allow", route.method)
			continue
		}
		c.operation, c.perform, c.refusal = route.operation, route.perform, nil
		c.projectID = ids["{project_id}"]
		c.chapterID = ids["{chapter_id}"]
		c.snapshotID = ids["{project_snapshot_id}"]
		break
	}
	return c
}

// match splits the path before it removes the escapes, because an identifier may contain a slash.
func match(path string, elements []string) (ids map[string]string, ok bool) {
	names := strings.Split(path, "/")
	if len(names) != len(elements) {
		return nil, false
	}
	ids = map[string]string{}
	for i, name := range names {
		element, err := url.PathUnescape(elements[i])
		switch {
		case err != nil:
			return nil, false
		case !strings.HasPrefix(name, "{"):
			if element != name {
				return nil, false
			}
		case element == "":
			return nil, false
		default:
			ids[name] = element
		}
	}
	return ids, true
}
