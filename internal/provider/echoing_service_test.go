package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	// keyLetters are in every form of the key: no URL and no JSON escapes them.
	keyLetters = "Zq7xWvJt"
	// echoedKey is a key that every escape changes.
	echoedKey = `sk+a/b=c&d<e>"f\g%h` + keyLetters
)

// echoes are the forms in which a service may repeat the key.
func echoes(t *testing.T) []string {
	t.Helper()
	inJSON, err := json.Marshal(echoedKey)
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		echoedKey,
		url.QueryEscape(echoedKey),
		url.PathEscape(echoedKey),
		string(inJSON),
		fmt.Sprintf("%q", inJSON),
		base64.StdEncoding.EncodeToString([]byte(echoedKey)),
		base64.RawURLEncoding.EncodeToString([]byte(echoedKey)),
		base64.StdEncoding.EncodeToString([]byte("user:" + echoedKey)),
		base64.StdEncoding.EncodeToString([]byte("me:" + echoedKey)),
	}
}

// traces are texts of which one is in every form of the key.
func traces() []string {
	found := []string{keyLetters, strings.ToLower(keyLetters)}
	for before := range 3 {
		digits := base64.RawStdEncoding.EncodeToString([]byte("--"[:before] + keyLetters))
		found = append(found, digits[2:len(digits)-2])
	}
	return found
}

// wantNoKey checks that a text that comes from us does not hold the key in any form.
func wantNoKey(t *testing.T, where, text string) {
	t.Helper()
	for _, trace := range traces() {
		if at := strings.Index(text, trace); at >= 0 {
			t.Errorf("%s holds the key %d times: …%s…", where, strings.Count(text, trace), text[max(0, at-150):min(len(text), at+100)])
		}
	}
}

func newEchoingService(t *testing.T) *service {
	t.Helper()
	mock := mockserver.New()
	mock.AddKey(mockserver.Key{Secret: echoedKey})
	said := strings.Join(echoes(t), " ")
	chapter := func(id string, conversions ...mockserver.Conversion) mockserver.Chapter {
		return mockserver.Chapter{
			ID: id, Name: id + " " + said, Error: said, Conversions: conversions,
			Snapshots: []mockserver.ChapterSnapshot{{ID: "first", Name: said}},
		}
	}
	return &service{clitest.StartService(t, mock, echoing(t, mock), mockserver.Project{
		ID: "book", Name: said, Title: &said, Experimental: map[string]any{said: said},
		Chapters: []mockserver.Chapter{
			chapter("one", mockserver.Conversion{Takes: time.Second}),
			chapter("two", mockserver.Conversion{Fails: "First, " + said}, mockserver.Conversion{Fails: "Second, " + said}),
		},
		Snapshots: []mockserver.ProjectSnapshot{{ID: "new", Name: said, Length: time.Second}},
	}), t}
}

// echoing is a gateway that tells what it was sent: it repeats the key in the headers of
// every answer, in the media type of audio, and behind the end of an answer.
func echoing(t *testing.T, service http.Handler) http.Handler {
	said := echoes(t)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, r)
		answer := recorder.Result()
		defer answer.Body.Close()
		answer.Header["X-Debug"] = said
		if answer.Header.Get("Content-Type") == "audio/wav" {
			answer.Header.Set("Content-Type", fmt.Sprintf("audio/wav; keys=%q", said))
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		// The client may hang up before it has read to the end.
		_ = answer.Write(conn)
		if r.Method == http.MethodGet {
			_, _ = fmt.Fprintln(conn, said)
		}
	})
}
