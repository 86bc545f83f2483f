package audioprojects_test

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// FuzzPath sends requests with odd identifiers, and splits the path as a server does: element by element.
func FuzzPath(f *testing.F) {
	for _, ids := range [][2]string{
		{"p", "c"}, {"a/b", "/"}, {"..", "c"}, {"p", "."}, {"", "c"}, {"../..", "..%2f.."}, {"a%2Fb", "%"}, {"%2e%2e", "%00"},
		{"?", "a?b=c"}, {"#", "a#b"}, {"🎧", "é"}, {"\xff\xfe", "\x00"}, {"a\r\nb: c", "\x7f"}, {`\`, `..\..`}, {"//host", ":"}, {" ", "+"},
		{";a=b", "*"}, {strings.Repeat("x", 5000), strings.Repeat("/", 5000)},
	} {
		f.Add(ids[0], ids[1])
	}
	var asked []string
	client := connect(f, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.RequestURI)
	}), noRetries, func(config *audioprojects.Config) { config.BaseURL = baseURL(f, "http://localhost/a%2Fb/") })

	f.Fuzz(func(t *testing.T, projectID, chapterID string) {
		const most = 50_000 // A server refuses a line of a megabyte.
		projectID, chapterID = projectID[:min(len(projectID), most)], chapterID[:min(len(chapterID), most)]
		asked = nil
		err := client.ConvertChapter(t.Context(), projectID, chapterID, time.Time{})
		refused := map[string]bool{"": true, ".": true, "..": true}
		if refused[projectID] || refused[chapterID] {
			if !errors.Is(err, audioprojects.NotSent) || asked != nil {
				t.Fatalf("got %v, and requests %q; want NotSent and none", err, asked)
			}
			return
		}
		if err != nil || len(asked) != 1 {
			t.Fatalf("got %v, and requests %q; want one", err, asked)
		}
		path, found := strings.CutPrefix(asked[0], "/a%2Fb/")
		if !found || strings.ContainsAny(path, "?#") {
			t.Fatalf("asked for %q, want the prefix and neither query nor fragment", asked[0])
		}
		elements := strings.Split(path, "/")
		for i, element := range elements {
			if elements[i], err = url.PathUnescape(element); err != nil {
				t.Fatalf("asked for %q: %v", asked[0], err)
			}
		}
		if want := []string{"v1", "projects", projectID, "chapters", chapterID, "convert"}; !reflect.DeepEqual(elements, want) {
			t.Errorf("asked for %q, want %q", elements, want)
		}
	})
}

// FuzzBaseURL checks what every accepted address must be, and that no error quotes credentials.
func FuzzBaseURL(f *testing.F) {
	for _, text := range []string{
		"https://audio.example/api/", "http://localhost:8787", "http://[::1]:8080/a%2Fb/", "http://127.1", "http://me:hush@mock", "https:foo",
		"https://hush@h:port", "https://[fe80::1%25eth0]", "https://h?", "https://h#", "https://h:0", "https://h:", "http://%C2%85", "https://h/a b",
		`https://h\@hush`, "//h", "https://h//", "http://192.0.2.1", "http://[2001:db8::1]", "https://h/%2e%2e/..", "http://LOCALHOST.evil.com", "http://me:hush%40mock", "http:///", "https://ex ample",
	} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, allowHTTP bool) {
		address, err := audioprojects.ParseBaseURL(text, allowHTTP)
		if err != nil {
			wantSafeToShow(t, err.Error(), "")
			if before, _, held := strings.Cut(text, "@"); held {
				if _, credentials, held := strings.Cut(before, "//"); held && len(credentials) > 8 && strings.Contains(err.Error(), credentials) {
					t.Errorf("%q: the error quotes the credentials: %v", text, err)
				}
			}
			return
		}
		secure := address.Scheme == "https" || address.Scheme == "http" && (allowHTTP || isLoopbackHost(address.Hostname()))
		if !secure || address.Hostname() == "" || address.User != nil || address.RawQuery != "" || address.ForceQuery || address.Fragment != "" {
			t.Errorf("accepted %q", text)
		}
		again, err := audioprojects.ParseBaseURL(address.String(), allowHTTP)
		if err != nil || again.String() != address.String() || again.EscapedPath() != address.EscapedPath() || again.Host != address.Host {
			t.Errorf("%q reads %q, and that %v (%v)", text, address, again, err)
		}
	})
}

// isLoopbackHost checks a host in another way than the code: with net/netip.
func isLoopbackHost(host string) bool {
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && address.Unmap().IsLoopback()
}

// wantSafeToShow checks that a text is short, is UTF-8, and has no control characters and no key.
func wantSafeToShow(t *testing.T, text, secret string) {
	t.Helper()
	const longest = 1500
	switch {
	case utf8.RuneCountInString(text) > longest:
		t.Errorf("shows %d characters, want at most %d: %.100q…", utf8.RuneCountInString(text), longest, text)
	case !utf8.ValidString(text):
		t.Errorf("shows what is no UTF-8: %q", text)
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\x7f' || r >= '\x80' && r < '\xa0' }):
		t.Errorf("shows control characters: %q", text)
	case secret != "" && strings.Contains(text, secret):
		t.Errorf("shows the key: %q", text)
	}
}
