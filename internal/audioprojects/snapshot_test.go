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

func TestStreamProjectSnapshot_repeatsWhatBreaksOff(t *testing.T) {
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
		{"without retries", []mockserver.Fault{silent}, 0, []int{64}, "the audio broke off after 64 bytes: no byte arrived for 30s: i/o timeout"},
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

func TestStreamProjectSnapshot_receiverError(t *testing.T) {
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

func TestStreamProjectSnapshot_slowReceiver(t *testing.T) {
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

// answer is what the service answers in place of a stream, with no media type if that is empty.
func answer(status int, contentType, body string) mockserver.Fault {
	header := http.Header{"Content-Type": nil}
	if contentType != "" {
		header.Set("Content-Type", contentType)
	}
	return mockserver.Fault{Status: status, Body: body, Header: header, Times: -1}
}

// What is not audio is refused, and a part of the audio, which nobody has asked for.
func TestStreamProjectSnapshot_notAudio(t *testing.T) {
	t.Parallel()
	part := func(status int, contentRange string) mockserver.Fault {
		fault := answer(status, "audio/wav", "RIF\x00")
		fault.Header.Set("Content-Range", contentRange)
		return fault
	}
	const ok, refused, archive = "200 OK: ", ": the answer is not the complete audio", "the answer is an archive, not audio; it reads (binary data)"
	for _, test := range []struct {
		name     string
		fault    mockserver.Fault
		requests int
		want     string
	}{
		{"JSON", answer(200, "application/json", `{"detail":"later"}`), 1, ok + "the answer is JSON, not audio; it reads later"},
		{"JSON that is called audio", answer(200, "audio/mpeg", `{"detail":"later"}`), 1, ok + "the answer is JSON, not audio; it reads later"},
		{"long JSON", answer(200, "audio/basic", `{"detail":"`+strings.Repeat("l", 600)+`"}`), 1,
			ok + "the answer is JSON, not audio; it reads " + strings.Repeat("l", 500) + "…"},
		{"a list that is called audio", answer(200, "audio/mpeg", `["Not today."]`), 1, ok + `the answer is JSON, not audio; it reads Not today`},
		{"text", answer(200, "text/plain", "Not today."), 1, ok + "the answer is text/plain, not audio; it reads Not today."},
		{"text of no type", answer(200, "", "Not today."), 1, ok + "the answer is text/plain, not audio; it reads Not today."},
		{"long text that is called audio", answer(200, "audio/mpeg", "."+strings.Repeat("ü", 600)), 1,
			ok + "the answer is text/plain, not audio; it reads ." + strings.Repeat("ü", 499) + "…"},
		{"XML", answer(200, "audio/wav", `<?xml version="1.0"?><Error/>`), 1,
			ok + `the answer is text/xml, not audio; it reads <?xml version="1.0"?><Error/>`},
		{"HTML", answer(200, "text/html", "<html>"), 1, ok + "the answer is text/html, not audio; it reads (an HTML page)"},
		{"HTML that is called audio", answer(200, "audio/wav", "<!DOCTYPE html><html>\xff"), 1, ok + "the answer is text/html, not audio; it reads (an HTML page)"},
		{"a playlist", answer(200, "audio/mpegurl", "#EXTM3U\n#EXTINF:10,\nhttps://cdn.example/1.ts?sig=7f3a&n=1\n"), 1,
			ok + "the answer is application/vnd.apple.mpegurl, not audio; it reads #EXTM3U #EXTINF:10, https://cdn.example/1.ts?…"},
		{"a ZIP", answer(200, "application/zip", "PK\x03\x04\x14\x00\xff"), 1, ok + archive},
		{"a ZIP that is called audio", answer(200, "audio/mpeg", "PK\x03\x04\x14\x00\xff"), 1, ok + archive},
		{"a gzip of no type", answer(200, "", "\x1f\x8b\x08\x00\xff"), 1, ok + archive},
		{"a PDF", answer(200, "audio/ogg", "%PDF-1.7\n\xff\x00"), 1, ok + "the answer is application/pdf, not audio; it reads (binary data)"},
		{"text that is not UTF-8", answer(200, "audio/mpeg", "Der Dienst ist au\xdfer Betrieb."), 1,
			ok + "the answer is text/plain, not audio; it reads Der Dienst ist au\ufffder Betrieb."},
		{"samples that are called text", answer(200, "text/plain", "\xd5\x00\xd5"), 1,
			ok + "the answer has the media type text/plain, not one of audio; it reads (binary data)"},
		{"several parts", answer(200, `Multipart/Mixed; boundary="b"`, "\xff\xfb\x90\x00"), 1,
			ok + `the answer has the media type Multipart/Mixed; boundary="b", not one of audio; it reads (binary data)`},
		{"problem JSON", answer(200, "application/problem+json", "\xff\xfb\x90\x00"), 1,
			ok + "the answer has the media type application/problem+json, not one of audio; it reads (binary data)"},
		{"empty", answer(200, "audio/wav", ""), 1, ok + "the answer is empty"},

		{"its beginning", part(206, "bytes 0-3/5"), 5, "206 Partial Content" + refused + ", but bytes 0-3/5"},
		{"its end", part(206, "bytes 1-4/5"), 5, "206 Partial Content" + refused + ", but bytes 1-4/5"},
		{"a part of who knows how much", part(206, "bytes 0-3/*"), 5, "206 Partial Content" + refused + ", but bytes 0-3/*"},
		{"a part that is not named", answer(206, "audio/wav", "RIF\x00"), 5, "206 Partial Content" + refused},
		{"a part that passes for all", part(200, "bytes 0-3/5"), 1, ok + refused[2:] + ", but bytes 0-3/5"},
		{"accepted, with all of it", part(202, "bytes 0-3/4"), 5, "202 Accepted" + refused + ", but bytes 0-3/4"},
		{"created", answer(201, "audio/wav", "RIF\x00"), 5, "201 Created" + refused},
		{"accepted", answer(202, "audio/wav", "RIF\x00"), 5, "202 Accepted" + refused},
		{"no content", answer(204, "", ""), 5, "204 No Content: the answer is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service, client := startWith(t, test.fault)
				var got receiver
				wantError(t, client.StreamProjectSnapshot(t.Context(), "p", "s", false, got.receive), audioprojects.Ambiguous, streamFailed+test.want)
				got.wantAttempts(t)
				wantRequests(t, service, test.requests)
			})
		})
	}
	for _, all := range []mockserver.Fault{part(206, "bytes 0-3/4"), part(200, "bytes 0-3/4")} {
		service, client := startWith(t, all)
		if err := stream(t.Context(), client); err != nil {
			t.Errorf("all of it: %v", err)
		}
		wantRequests(t, service, 1)
	}
}

// A service that fails in the middle may end its answer with an error message, as if that were the end of the audio.
func TestStreamProjectSnapshot_endsInErrorMessage(t *testing.T) {
	t.Parallel()
	sound := strings.Repeat("\xff\xfb\x90\x00{", 2000)
	for name, test := range map[string]struct {
		end, says string // nothing: it is audio
	}{
		"a message":               {`{"message":"out of memory"}`, "out of memory"},
		"detail, and a line feed": {`{"detail":{"status":"internal_error","message":"out of memory"}}` + "\r\n", "internal_error: out of memory"},
		"an error":                {`{"error":{"message":"out of memory"}}`, "out of memory"},
		"a page":                  {"<html><body>502</body></HTML>\n", "(an HTML page)"},
		"braces":                  {"{}", ""},
		"a tag":                   {`{"title":"The Dark Lantern"}`, ""},
		"an error before sound":   {`{"message":"out of memory"}` + "\x00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service, client := startWith(t, answer(200, "audio/mpeg", sound+test.end))
				var got receiver
				err := client.StreamProjectSnapshot(t.Context(), "p", "s", false, got.receive)
				if test.says == "" {
					got.wantAttempts(t, len(sound)+len(test.end))
					if err != nil {
						t.Error(err)
					}
					return
				}
				wantError(t, err, audioprojects.Ambiguous, streamFailed+"the audio ends in an error message after 10000 bytes: "+test.says)
				wantRequests(t, service, 5)
			})
		})
	}
}
