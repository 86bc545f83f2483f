package audioprojects_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	const (
		plain       = "Plain http would show the API key to everyone between this machine and "
		remedy      = ": use https, or set `allow_http` in your own network"
		scheme      = "The URL must start with https://"
		noHost      = "The URL names no host"
		query       = "The URL must not have a query (`?…`) or a fragment (`#…`)"
		notURL      = "The text is not a valid URL"
		credentials = "The URL must not contain credentials: the service knows only the API key"
	)
	for address, want := range map[string]string{ // the error; empty: accepted
		"https://audio.example": "", "https://audio.example/api/": "", "https://[2001:db8::1]:8443/api": "", "http://[::1]:8080/a%2Fb/": "",
		"http://localhost:8787": "", "http://LOCALHOST:8787": "", "http://127.0.0.1:8787": "", "http://[::1]:8787": "",
		"http://mock:8787": plain + "mock" + remedy, "http://127.1": plain + "127.1" + remedy,
		"http://127.0.0.1.example": plain + "127.0.0.1.example" + remedy, "http://localhost.example": plain + "localhost.example" + remedy,
		"": scheme, "audio.example": scheme, "localhost:8787": scheme, "ftp://audio.example": scheme,
		"https://": noHost, "https:audio.example": noHost, "https://audio.example:port": notURL,
		"https://audio example": notURL, `https://audio.example\@hush`: notURL, "https://hush%40audio.example": notURL, "https://audio.example\n": notURL,
		"https://audio.example?a=b": query, "https://audio.example/?": query, "https://audio.example/#top": query,
		"https://me:hush@audio.example": credentials, "https://hush@audio.example": credentials, "https://me:hush@audio.example:port": notURL,
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			read, err := audioprojects.ParseBaseURL(address, false)
			got := text(err)
			if got != want {
				t.Errorf("got error %q, want %q", got, want)
			}
			if want == "" && read.String() != address {
				t.Errorf("became %q", read)
			}
		})
	}
	_, err := audioprojects.ParseBaseURL("http://mock:8787", true)
	if err != nil {
		t.Errorf("http anywhere, allowed: %v", err)
	}
}

func TestCheckAPIPath(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1", "/v1/", "/v1/studio", "/", "/api.v2/~me/a_b-C", "/v1."} {
		if err := audioprojects.CheckAPIPath(path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, path := range []string{
		"", "v1", "https://audio.example.com/v1", " /v1", `\v1`, "/v1?a=b", "/v1#top", "/v1/..", "/../v1", "/v1/./studio", "/..", "/.", "/v1/../", "/...",
		"//v1", "/v1//", "//", "/v1 ", "/v1\n", "/v 1", "/%2e%2e", "/v1%2F", `/v1\..`, "/stüdio", "/v1;a=b", "/v1\x1b[2J", "/{project_id}", "/me@host",
	} {
		if audioprojects.CheckAPIPath(path) == nil {
			t.Errorf("%q is accepted", path)
		}
	}
}

func TestCheckAPIKey(t *testing.T) {
	t.Parallel()
	const unsendable = "The API key contains a space, a line break or another character that an HTTP header cannot carry; was it read from a file with a line break at the end?"
	for key, want := range map[string]string{
		"sk_0123456789abcdef": "", `!"#$%&'()*+,-./:;<=>?@[\]^_{|}~` + "`": "",
		"hush\n": unsendable, "hush\r\nX-More: 1": unsendable, "hu sh": unsendable, "hüsh": unsendable,
	} {
		got := text(audioprojects.CheckAPIKey(key))
		if got != want {
			t.Errorf("%q: got %q, want %q", key, got, want)
		}
	}
}

// text is the text of an error; empty for nil.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
