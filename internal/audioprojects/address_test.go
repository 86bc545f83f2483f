package audioprojects_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestBaseURLs(t *testing.T) {
	t.Parallel()
	const (
		plain       = "plain http would show the API key to everyone between here and "
		remedy      = ": use https, or set `allow_http` in a network of your own"
		scheme      = "the URL must start with https://"
		noHost      = "the URL names no host"
		query       = "the URL must not have a query (`?…`)"
		fragment    = "the URL must not have a fragment (`#…`)"
		port        = "the URL's port must be a number from 1 to 65535"
		notURL      = "the text is not a valid URL"
		credentials = "the URL must not contain credentials: the API key is the only one the service knows"
	)
	for _, test := range []struct {
		name, text string
		allowHTTP  bool
		want       string // the error; empty: accepted
	}{
		{name: "https", text: "https://audio.example"},
		{name: "path prefix", text: "https://audio.example/api/"},
		{name: "IPv6", text: "https://[2001:db8::1]:8443/api"},
		{name: "IPv6 loopback with an escaped prefix", text: "http://[::1]:8080/a%2Fb/"},
		{name: "http on localhost", text: "http://localhost:8787"},
		{name: "http on LOCALHOST", text: "http://LOCALHOST:8787"},
		{name: "http on IPv4 loopback", text: "http://127.0.0.1:8787"},
		{name: "http on IPv6 loopback", text: "http://[::1]:8787"},
		{name: "http anywhere, allowed", text: "http://mock:8787", allowHTTP: true},
		{name: "http anywhere", text: "http://mock:8787", want: plain + "mock" + remedy},
		{name: "http on a host that begins like loopback", text: "http://127.0.0.1.example", want: plain + "127.0.0.1.example" + remedy},
		{name: "http on a host that begins like localhost", text: "http://localhost.example", want: plain + "localhost.example" + remedy},
		{name: "http on a short form of loopback", text: "http://127.1", want: plain + "127.1" + remedy},
		{name: "empty", text: "", want: scheme},
		{name: "host alone", text: "audio.example", want: scheme},
		{name: "host and port", text: "localhost:8787", want: scheme},
		{name: "other scheme", text: "ftp://audio.example", want: scheme},
		{name: "no host", text: "https://", want: noHost},
		{name: "no slashes", text: "https:audio.example", want: noHost},
		{name: "port that is no number", text: "https://audio.example:port", want: notURL},
		{name: "port 0", text: "https://audio.example:0", want: port},
		{name: "port beyond the highest", text: "https://audio.example:99999", want: port},
		{name: "space in the host", text: "https://audio example", want: notURL},
		{name: "backslash", text: `https://audio.example\@hush`, want: notURL},
		{name: "escaped @ in the host", text: "https://hush%40audio.example", want: notURL},
		{name: "line break after", text: "https://audio.example\n", want: notURL},
		{name: "query", text: "https://audio.example?a=b", want: query},
		{name: "empty query", text: "https://audio.example/?", want: query},
		{name: "fragment", text: "https://audio.example/#top", want: fragment},
		{name: "name and password", text: "https://me:hush@audio.example", want: credentials},
		{name: "name", text: "https://hush@audio.example", want: credentials},
		{name: "password in what is no URL", text: "https://me:hush@audio.example:port", want: notURL},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			address, err := audioprojects.ParseBaseURL(test.text, test.allowHTTP)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("%q: got %q, want it accepted", test.text, err)
			case test.want == "" && address.String() != test.text:
				t.Errorf("%q: became %q", test.text, address)
			case test.want != "" && err == nil:
				t.Errorf("%q: accepted, want %q", test.text, test.want)
			case test.want != "" && err.Error() != test.want:
				t.Errorf("%q: got %q, want %q", test.text, err, test.want)
			}
		})
	}
}

func TestAPIPaths(t *testing.T) {
	t.Parallel()
	const (
		begin = "the path must begin with /"
		query = "the path must have no query (`?…`) and no fragment (`#…`)"
		dots  = "the path must not have . or .. between its slashes"
		signs = "the path must be made of letters from a to z, digits and the signs - . _ ~ between single slashes"
	)
	for path, want := range map[string]string{
		"/v1": "", "/v1/": "", "/v1/studio": "", "/": "", "/api.v2/~me/a_b-C": "", "/v1.": "", "/...": "",
		"": begin, "v1": begin, "https://audio.example.com/v1": begin, " /v1": begin, `\v1`: begin,
		"/v1?a=b": query, "/v1#top": query,
		"/v1/..": dots, "/../v1": dots, "/v1/./studio": dots, "/..": dots, "/.": dots, "/v1/../": dots,
		"//v1": signs, "/v1//": signs, "//": signs, "/v1 ": signs, "/v1\n": signs, "/v 1": signs, "/%2e%2e": signs, "/v1%2F": signs,
		`/v1\..`: signs, "/stüdio": signs, "/v1;a=b": signs, "/v1\x1b[2J": signs, "/{project_id}": signs, "/me@host": signs,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			read, err := audioprojects.ParseAPIPath(path)
			if got := text(err); got != want {
				t.Errorf("got error %q, want %q", got, want)
			}
			if want == "" && read != path {
				t.Errorf("became %q", read)
			}
		})
	}
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	const unsendable = "the API key holds a space, a line break or another character that no HTTP header may carry; was it read from a file with a line break at its end?"
	for _, test := range []struct {
		name, key string
		want      string // empty: accepted
	}{
		{name: "letters and digits", key: "sk_0123456789abcdef"},
		{name: "every visible character", key: `!"#$%&'()*+,-./:;<=>?@[\]^_{|}~` + "`"},
		{name: "empty", key: "", want: "the API key is empty"},
		{name: "line break at its end", key: "hush\n", want: unsendable},
		{name: "a header more", key: "hush\r\nX-More: 1", want: unsendable},
		{name: "space", key: "hu sh", want: unsendable},
		{name: "umlaut", key: "hüsh", want: unsendable},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for name, err := range map[string]error{
				"CheckAPIKey": audioprojects.CheckAPIKey(test.key),
				"New":         newWithKey(test.key),
			} {
				if got := text(err); got != test.want {
					t.Errorf("%s: got %q, want %q", name, got, test.want)
				}
			}
		})
	}
}

func newWithKey(key string) error {
	_, err := audioprojects.New(audioprojects.Config{APIKey: key})
	return err
}

// text is the text of an error; empty for nil.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
