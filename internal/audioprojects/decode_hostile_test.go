package audioprojects_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func listChapters(t *testing.T, body string) ([]audioprojects.Chapter, error) {
	t.Helper()
	service, client := start(t, longTimeout)
	// With a media type given, the mock does not parse the long text to find one.
	service.Inject(mockserver.Fault{Body: body, Header: http.Header{"Content-Type": {"application/json"}}})
	return client.ListChapters(t.Context(), "p")
}

func TestInteger_exactOrRefused(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]audioprojects.Integer{
		"-0": 0, "-0.9": 0, "12.0": 12, "1e3": 1000, "9007199254740993": 9007199254740993, "9007199254740991.0": 9007199254740991,
		"9223372036854775807": 9223372036854775807, "1e-400": 0, "1e15": 1e15,
	} {
		got, err := listChapters(t, `{"chapters":[{"chapter_id":"c","statistics":{"characters_converted":`+number+`}}]}`)
		if err != nil || *got[0].Statistics.CharactersConverted != want {
			t.Errorf("%s: got %+v, %v; want %d", number, got, err, want)
		}
	}
	for _, number := range []string{
		"9007199254740993.0", "9223372036854775808", "-9223372036854775809", "9007199254740993e0", "1e400", "1e1000000", `"a dozen"`, "true", "[]",
	} {
		_, err := listChapters(t, `{"chapters":[{"chapter_id":"c","last_conversion_date_unix":`+number+`}]}`)
		wantError(t, err, audioprojects.Ambiguous,
			`GET /v1/projects/p/chapters: 200 OK: the field last_conversion_date_unix of chapter_id "c" has another type than documented: `+number)
	}
	for _, number := range []string{"NaN", "Infinity", "-Infinity", "01", "+1", "0x10", "1_000"} {
		_, err := listChapters(t, `{"chapters":[{"chapter_id":"c","conversion_progress":`+number+`}]}`)
		if !strings.Contains(text(err), "the answer is not valid JSON") {
			t.Errorf("%s: got %v, want no JSON", number, err)
		}
	}
}

// wantShortError checks the beginning of an error, and that it is short, however much came.
func wantShortError(t *testing.T, err error, want string) {
	t.Helper()
	got := text(err)
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %.300q\nwant %q…", got, want)
	}
	length := utf8.RuneCountInString(text(err))
	if length > 1500 {
		t.Errorf("shows %d characters", length)
	}
}

// chaptersOf is an answer with so many chapters, each of which has also what is given.
func chaptersOf(count int, also string) string {
	var body strings.Builder
	for i := range count {
		fmt.Fprintf(&body, `,{"chapter_id":"c%d"%s}`, i, also)
	}
	return `{"chapters":[` + body.String()[1:] + `]}`
}

func TestClient_mostThatIsRead(t *testing.T) {
	t.Parallel()
	const failed, values = "GET /v1/projects/p/chapters: 200 OK: ", "the answer contains more than 1 million values"
	levels := func(name, innermost string) string {
		return strings.Repeat(`{"`+name+`":`, 9000) + innermost + strings.Repeat("}", 9000)
	}
	million := func(element string) string { return strings.Repeat(element+",", 1_500_000) + element }
	for _, test := range []struct {
		name, body string
		chapters   int
		want       string // the beginning of the error, if there is one
	}{
		{"records", chaptersOf(25_000, ""), 25_000, ""},
		{"a record more", chaptersOf(25_001, ""), 0, "the answer has 25001 records, and the provider reads at most 25000"},
		{"texts", chaptersOf(3, `,"last_conversion_error":"`+strings.Repeat("x", 5<<20)+`"`), 3, ""},
		{"numbers in place of chapters", `{"chapters":[` + million(`0`) + `]}`, 0, values},
		{"empty arrays in an unknown field", `{"chapters":[],"x":` + strings.Repeat("[", 9000) + million(`[[]]`) + strings.Repeat("]", 9000) + `}`, 0, values},
		{"levels for a next page", `{"chapters":[],"next":` + levels("next", "null") + `}`, 0, `the answer says that it is incomplete (it has "next")`},
		{"levels about pages", `{"chapters":[],"meta":` + levels("meta", `{"has_more":true}`) + `}`, 0, ""},
		{"a million levels", strings.Repeat("[", 1_000_000), 0, "the answer is not valid JSON: "},
		{"15 million levels", strings.Repeat("[", 15_000_000), 0, values},
		{"a number of 8 MB", `{"chapters":[{"chapter_id":` + strings.Repeat("9", 8_000_000) + `}]}`, 0,
			`element 0 of the answer's chapters has no chapter_id; it reads {"chapter_id":999`},
		{"odd chapters", chaptersOf(25_000, `,"name":7`), 25_000, ""},
		{"17 MiB without a line break", strings.Repeat("x", 17<<20), 0, "the answer is longer than 16 MiB"},
	} {
		t.Run(test.name, func(t *testing.T) {
			chapters, err := listChapters(t, test.body)
			if test.want != "" {
				wantShortError(t, err, failed+test.want)
			} else if err != nil || len(chapters) != test.chapters {
				t.Errorf("got %d chapters, %v; want %d", len(chapters), err, test.chapters)
			}
		})
	}
}

// TestProject_longestListOfAField: a project has other lists than its chapters.
func TestProject_longestListOfAField(t *testing.T) {
	t.Parallel()
	for count, want := range map[int]string{24_990: "", 25_001: getProjectFailed + "200 OK: the answer has more than 25000 values beside its chapters"} {
		_, client := startWith(t, mockserver.Fault{Body: `{"project_id":"p","genres":["x"` + strings.Repeat(`,"x"`, count-1) + `]}`}, longTimeout)
		err := getProject(t.Context(), client)
		if text(err) != want {
			t.Errorf("%d: got %v, want %s", count, err, want)
		}
	}
}

func TestSanitizer_cutsLongTexts(t *testing.T) {
	t.Parallel()
	for _, long := range []string{strings.Repeat("x", 100_000), strings.Repeat("ü", 100_000)} {
		chapters, err := listChapters(t, `{"chapters":[{"chapter_id":"c","name":"`+long+`","state":"`+long+`","last_conversion_error":"`+long+`"}]}`)
		if err != nil {
			t.Fatal(err)
		}
		for at, got := range []string{string(*chapters[0].Name.Value), string(*chapters[0].State), string(*chapters[0].LastConversionError.Value), chapters[0].Name.Value.Line()} {
			want := string([]rune(long)[:[]int{16384, 16384, 16384, 500}[at]]) + "…"
			if got != want {
				t.Errorf("%d: got %d bytes, want %d", at, len(got), len(want))
			}
		}
	}
}

// endless reads the same text again and again.
type endless string

func (e endless) Read(p []byte) (int, error) {
	whole := len(p) / len(e)
	return copy(p, strings.Repeat(string(e), whole)), nil
}

func TestClient_compressedAnswersThatExpand(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		status int
		ask    func(context.Context, *audioprojects.Client) error
		want   string
	}{
		{"JSON", 200, getProject, getProjectFailed + "200 OK: the answer is longer than 16 MiB"},
		{"error", 403, getProject, getProjectFailed + "403 Forbidden: xxx"},
		{"audio", 200, stream, streamFailed + "200 OK: the audio is encoded as gzip, which the provider did not request"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := connect(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				w.Header().Set("Content-Type", "audio/wav")
				w.WriteHeader(test.status)
				bomb, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
				_, _ = io.Copy(bomb, io.LimitReader(endless("x"), 4<<30)) // Ends when the client hangs up.
			}), noRetries, longTimeout)
			wantShortError(t, test.ask(t.Context(), client), test.want)
		})
	}
}

// raw is a client of a service that answers with the given bytes, status line and headers included: first
// beginning, then rest, which may never end.
func raw(t *testing.T, beginning string, rest io.Reader, change ...func(*audioprojects.Config)) *audioprojects.Client {
	return connect(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		_, _ = io.Copy(conn, io.MultiReader(strings.NewReader(beginning), rest)) // Ends when the client hangs up.
	}), append(change, noRetries)...)
}

func TestClient_slowBytesWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		beginning string
		ask       func(context.Context, *audioprojects.Client) error
		within    time.Duration
		want      string
	}{
		{"JSON", "HTTP/1.1 200 OK\r\n\r\n", getProject, 30 * time.Second, getProjectFailed + "the answer broke off after "},
		{"error", "HTTP/1.1 403 Forbidden\r\n\r\n", getProject, 30 * time.Second, getProjectFailed + "403 Forbidden: xxx"},
		{"headers of audio", "HTTP/1.1 200 OK\r\nX-More: ", stream, 30 * time.Second, streamFailed + "no byte arrived for 30s"},
		{"error in place of audio", "HTTP/1.1 404 Not Found\r\n\r\n", stream, 30 * time.Second, streamFailed + "404 Not Found: xxx"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := test.ask(t.Context(), raw(t, test.beginning, dripping{}))
				wantShortError(t, err, test.want)
				got := time.Since(began)
				if got > test.within {
					t.Errorf("took %s, want at most %s", got, test.within)
				}
				time.Sleep(2 * time.Second) // The service notices at its next byte that the client has gone.
			})
		})
	}
}

// dripping reads one byte a second, without end.
type dripping struct{}

func (dripping) Read(p []byte) (int, error) {
	time.Sleep(time.Second)
	p[0] = 'x'
	return 1, nil
}

// TestClient_compressedAnswer is read if a header says so. The client asks for no other compression.
func TestClient_compressedAnswer(t *testing.T) {
	t.Parallel()
	var compressed strings.Builder
	writer := gzip.NewWriter(&compressed)
	_, _ = writer.Write([]byte(`{"chapters":[{"chapter_id":"c"}]}`))
	_ = writer.Close()
	for encoding, want := range map[string]string{"gzip": "", "": "200 OK: the answer is binary data, not JSON", "br": "200 OK: the answer is binary data, not JSON"} {
		_, client := startWith(t, mockserver.Fault{Body: compressed.String(), Header: http.Header{"Content-Encoding": {encoding}}})
		chapters, err := client.ListChapters(t.Context(), "p")
		if want != "" {
			wantError(t, err, audioprojects.Ambiguous, "GET /v1/projects/p/chapters: "+want)
		} else if err != nil || len(chapters) != 1 {
			t.Errorf("got %v, %v; want a chapter", chapters, err)
		}
	}
}

func TestClient_answerOfWrongLength(t *testing.T) {
	t.Parallel()
	const chapters = `{"chapters":[{"chapter_id":"c"}]}`
	for length, want := range map[int]string{
		len(chapters) + 1: "the answer broke off after 33 bytes: unexpected EOF",
		len(chapters) - 1: `200 OK: the answer is not valid JSON: unexpected end of JSON input; it reads {"chapters":[{"chapter_id":"c"}]`,
		0:                 "200 OK: the answer is empty",
	} {
		client := raw(t, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", length), strings.NewReader(chapters))
		_, err := client.ListChapters(t.Context(), "p")
		wantError(t, err, audioprojects.Ambiguous, "GET /v1/projects/p/chapters: "+want)
	}
}
