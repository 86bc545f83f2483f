package audioprojects_test

import (
	"bytes"
	"errors"
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

const streamFailed = "POST /v1/projects/p/snapshots/s/stream: "

// receiver keeps the audio of each attempt.
type receiver struct {
	attempts [][]byte
}

func (r *receiver) receive(audio audioprojects.Audio) error {
	sound, err := io.ReadAll(audio)
	r.attempts = append(r.attempts, sound)
	return err
}

// wantAttempts checks how many bytes came in each attempt, and that they are the beginning of the last one's.
func (r *receiver) wantAttempts(t *testing.T, want ...int) {
	t.Helper()
	if len(r.attempts) != len(want) {
		t.Fatalf("received %d times, want %d", len(r.attempts), len(want))
	}
	for i, sound := range r.attempts {
		if len(sound) != want[i] || !bytes.HasPrefix(r.attempts[len(want)-1], sound) {
			t.Errorf("attempt %d: got %d bytes, want the first %d", i+1, len(sound), want[i])
		}
	}
}

const wavLength = 44 + 2*22050

func TestAudioMayTakeLongerThanTheTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := start(t)
		service.Inject(mockserver.Fault{SlowBytes: 3 * time.Second})
		began := time.Now()
		if err := stream(t.Context(), client); err != nil {
			t.Error(err)
		}
		if got := time.Since(began); got < 10*time.Minute {
			t.Errorf("took %s: too quick to test anything", got)
		}
	})
}

func TestAudioThatBreaksOffIsAskedForAgain(t *testing.T) {
	t.Parallel()
	const short = "the audio broke off after 3000 bytes: unexpected EOF"
	silent := mockserver.Fault{SlowBytes: time.Hour}
	cut := mockserver.Fault{Truncate: 3000}
	for _, test := range []struct {
		name    string
		faults  []mockserver.Fault
		retries int
		want    []int
		problem string // empty: success
	}{
		{"once", []mockserver.Fault{cut}, 4, []int{3000, wavLength}, ""},
		{"in the beginning", []mockserver.Fault{{Truncate: 5}}, 4, []int{5, wavLength}, ""},
		{"after falling silent", []mockserver.Fault{silent}, 4, []int{64, wavLength}, ""},
		{"between other failures", []mockserver.Fault{{Status: 503}, cut, {Reset: true}, cut}, 4, []int{3000, 3000, wavLength}, ""},
		{"too often", []mockserver.Fault{cut, cut, {Status: 503}, cut, cut}, 4, []int{3000, 3000, 3000, 3000}, short},
		{"without retries", []mockserver.Fault{silent}, 0, []int{64}, "the audio broke off after 64 bytes: no byte came for 30s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service, client := start(t, func(config *audioprojects.Config) { config.MaxRetries = test.retries })
				for _, fault := range test.faults {
					service.Inject(fault)
				}
				var got receiver
				err := client.StreamProjectSnapshot(t.Context(), "p", "s", false, got.receive)
				got.wantAttempts(t, test.want...)
				if test.problem != "" {
					wantError(t, err, audioprojects.Ambiguous, streamFailed+test.problem)
					wantRequests(t, service, test.retries+1)
					return
				}
				if err != nil {
					t.Error(err)
				}
				wantRequests(t, service, len(test.faults)+1)
			})
		})
	}
}

func TestAnErrorOfTheReceiverIsNotRepeated(t *testing.T) {
	t.Parallel()
	service, client := start(t)
	full := errors.New("disk full")
	err := client.StreamProjectSnapshot(t.Context(), "p", "s", false, func(audio audioprojects.Audio) error {
		_, _ = io.CopyN(io.Discard, audio, 1000)
		return full
	})
	if !errors.Is(err, full) || err.Error() != full.Error() {
		t.Errorf("got %v, want %v as it is", err, full)
	}
	wantRequests(t, service, 1)
}

func TestASlowReceiverCausesNoTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := start(t)
		err := client.StreamProjectSnapshot(t.Context(), "p", "s", false, func(audio audioprojects.Audio) error {
			time.Sleep(time.Minute)
			_, first := io.CopyN(io.Discard, audio, 1000)
			time.Sleep(time.Minute)
			_, rest := io.Copy(io.Discard, audio)
			return errors.Join(first, rest)
		})
		if err != nil {
			t.Error(err)
		}
		wantRequests(t, service, 1)
	})
}

func TestAnswersThatAreNotAudio(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, contentType, body, want string }{
		{"JSON", "application/json", `{"detail":"later"}`, "200 OK: the answer is application/json, not audio; it reads later"},
		{"problem", "application/problem+json", `{"message":"no"}`, "200 OK: the answer is JSON, not audio; it reads no"},
		{"JSON, not named so", "audio/mpeg", `{"detail":"later"}`, "200 OK: the answer is JSON, not audio; it reads later"},
		{"long JSON, not named so", "audio/basic", `{"detail":"` + strings.Repeat("l", 600) + `"}`, "200 OK: the answer is JSON, not audio; it reads " + strings.Repeat("l", 500) + "…"},
		{"text", "text/plain", "Not today.", "200 OK: the answer is text/plain, not audio; it reads Not today."},
		{"text of no type", "", "Not today.", "200 OK: the answer is text/plain, not audio; it reads Not today."},
		{"XML, not named so", "audio/wav", `<?xml version="1.0"?><Error/>`, "200 OK: the answer is text/xml, not audio; it reads <?xml version=\"1.0\"?><Error/>"},
		{"HTML", "text/html", "<html>", "200 OK: the answer is text/html, not audio; it reads (an HTML page)"},
		{"HTML, not named so", "audio/wav", "<!DOCTYPE html><html>", "200 OK: the answer is text/html, not audio; it reads (an HTML page)"},
		{"empty", "audio/wav", "", "200 OK: the answer is empty"},
		{"empty JSON", "application/json", "", "200 OK: the answer is application/json, not audio"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			service, client := start(t)
			header := http.Header{"Content-Type": {test.contentType}}
			if test.contentType == "" {
				header["Content-Type"] = nil
			}
			service.Inject(mockserver.Fault{Status: 200, Body: test.body, Header: header})
			wantError(t, stream(t.Context(), client), audioprojects.Ambiguous, streamFailed+test.want)
			wantRequests(t, service, 1)
		})
	}
}

// A part of the audio that nobody has asked for passed for all of it.
func TestOnlyAWholeAnswerIsAudio(t *testing.T) {
	t.Parallel()
	part := func(status int, contentRange, body string) mockserver.Fault {
		return mockserver.Fault{Status: status, Body: body, Times: -1, Header: http.Header{"Content-Range": {contentRange}, "Content-Type": {"audio/wav"}}}
	}
	const refused = ": the answer is not the whole audio"
	for _, test := range []struct {
		fault mockserver.Fault
		want  string
	}{
		{part(200, "", "RIFF"), ""},
		{part(206, "bytes 0-3/4", "RIFF"), ""},
		{part(206, "bytes 0-3/5", "RIFF"), "206 Partial Content" + refused + ", but bytes 0-3/5"},
		{part(206, "bytes 1-4/5", "RIFF"), "206 Partial Content" + refused + ", but bytes 1-4/5"},
		{part(206, "bytes 0-3/*", "RIFF"), "206 Partial Content" + refused + ", but bytes 0-3/*"},
		{part(206, "", "RIFF"), "206 Partial Content" + refused},
		{part(201, "", "RIFF"), "201 Created" + refused},
		{part(202, "", "RIFF"), "202 Accepted" + refused},
		{mockserver.Fault{Status: 204, Times: -1}, "204 No Content" + refused},
	} {
		synctest.Test(t, func(t *testing.T) {
			service, client := start(t)
			service.Inject(test.fault)
			received := ""
			err := client.StreamProjectSnapshot(t.Context(), "p", "s", false, func(audio audioprojects.Audio) error {
				whole, err := io.ReadAll(audio)
				received = string(whole)
				return err
			})
			if test.want == "" {
				if err != nil || received != "RIFF" {
					t.Errorf("%v: got %q, %v", test.fault.Header, received, err)
				}
				return
			}
			wantError(t, err, audioprojects.Ambiguous, streamFailed+test.want)
			if received != "" {
				t.Errorf("%v: received %q", test.fault.Header, received)
			}
			wantRequests(t, service, 5)
		})
	}
}

// Audio has no beginning that it must have: silence of G.711 is a run of 0xff or 0xd5, which looks like text.
func TestAudioThatLooksLikeText(t *testing.T) {
	t.Parallel()
	for _, contentType := range []string{"audio/basic", "audio/L16;rate=24000", "application/octet-stream", ""} {
		for name, silence := range map[string]string{
			"zero": "\x00", "mu-law": "\xff", "A-law": "\xd5", "brackets": "[[", "braces": "{{", "quotes": "{ \" \"", "bytes that follow a bracket": "[\xff",
		} {
			if contentType == "" && utf8.ValidString(silence) && silence != "\x00" {
				continue // What nobody calls audio may be text.
			}
			t.Run(contentType+" "+name, func(t *testing.T) {
				t.Parallel()
				service, client := start(t)
				body := strings.Repeat(silence, 1000)
				header := http.Header{"Content-Type": {contentType}}
				if contentType == "" {
					header["Content-Type"] = nil
				}
				service.Inject(mockserver.Fault{Status: 200, Body: body, Header: header})
				var got receiver
				if err := client.StreamProjectSnapshot(t.Context(), "p", "s", false, got.receive); err != nil {
					t.Error(err)
				}
				got.wantAttempts(t, len(body))
			})
		}
	}
}

// An HTTP/1.0 server, or one with Connection: close, may end a body by its connection's end, which a broken one has as well.
func TestAudioWhoseEndIsNotProvable(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		header string
		body   string
		length int64
		proven bool
	}{
		"a length":     {"Content-Length: 4\r\n", "\x00\x01\x02\x03", 4, true},
		"chunks":       {"Transfer-Encoding: chunked\r\n", "4\r\n\x00\x01\x02\x03\r\n0\r\n\r\n", -1, true},
		"a connection": {"Connection: close\r\n", "\x00\x01\x02\x03", -1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := raw(t, "HTTP/1.1 200 OK\r\nContent-Type: audio/wav\r\n"+test.header+"\r\n"+test.body, strings.NewReader(""))
			err := client.StreamProjectSnapshot(t.Context(), "p", "s", false, func(audio audioprojects.Audio) error {
				if audio.Length != test.length || audio.EndProven != test.proven {
					t.Errorf("got length %d, proven %t; want %d, %t", audio.Length, audio.EndProven, test.length, test.proven)
				}
				_, err := io.Copy(io.Discard, audio)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
