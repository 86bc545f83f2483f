package audioprojects_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const streamFailed = "POST /v1/projects/p/snapshots/s/stream: "

func TestAudioStreams(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		convertToMPEG bool
		contentType   string
		announced     int64
		begins        string
	}{
		{"as it is", false, "audio/wav", 44 + 2*22050, "RIFF"},
		{"converted, of unknown length", true, "audio/mpeg", -1, "\xff\xfb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, client := start(t)
			audio, err := client.StreamProjectSnapshot(t.Context(), "p", "s", test.convertToMPEG)
			if err != nil {
				t.Fatal(err)
			}
			defer audio.Close()
			if audio.ContentType != test.contentType || audio.Size != test.announced {
				t.Errorf("got %s, %d bytes; want %s, %d", audio.ContentType, audio.Size, test.contentType, test.announced)
			}
			sound, err := io.ReadAll(audio)
			if err != nil {
				t.Error(err)
			}
			if !bytes.HasPrefix(sound, []byte(test.begins)) {
				t.Errorf("got audio that begins %q, want %q", sound[:min(4, len(sound))], test.begins)
			}
			if test.announced >= 0 && int64(len(sound)) != test.announced {
				t.Errorf("got %d bytes, want %d", len(sound), test.announced)
			}
		})
	}
}

func TestAudioMayTakeLongerThanOneAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := start(t)
		service.Inject(mockserver.Fault{SlowBytes: 29 * time.Second})
		began := time.Now()
		if err := stream(t.Context(), client); err != nil {
			t.Error(err)
		}
		if got := time.Since(began); got < time.Hour {
			t.Errorf("took %s: too quick to test anything", got)
		}
	})
}

func TestAudioThatFallsSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := start(t)
		service.Inject(mockserver.Fault{SlowBytes: time.Hour})
		audio, err := client.StreamProjectSnapshot(t.Context(), "p", "s", false)
		if err != nil {
			t.Fatal(err)
		}
		defer audio.Close()
		began := time.Now()
		sound, err := io.ReadAll(audio)
		if got, want := text(err), "no byte came for 30s"; got != want {
			t.Errorf("got error %q, want %q", got, want)
		}
		if len(sound) != 64 {
			t.Errorf("got %d bytes, want the 64 that came", len(sound))
		}
		wantTook(t, began, 30*time.Second)
	})
}

func TestAnErrorInPlaceOfAudioThatFallsSilent(t *testing.T) {
	t.Parallel()
	const said = "The first 64 bytes come at once, and are what is shown of this ||; the rest takes an hour."
	for _, test := range []struct {
		status   int
		attempts int
		kind     audioprojects.Kind
		text     string
	}{
		{http.StatusNotFound, 1, audioprojects.NotFound, "404 Not Found: "},
		{http.StatusBadGateway, 2, audioprojects.Ambiguous, "502 Bad Gateway: "},
	} {
		synctest.Test(t, func(t *testing.T) {
			service, client := start(t, func(config *audioprojects.Config) { config.MaxRetries = 1 })
			service.Inject(mockserver.Fault{Times: -1, SlowBytes: time.Hour, Status: test.status, Body: said})
			began := time.Now()
			wantError(t, stream(t.Context(), client), test.kind, streamFailed+test.text+said[:64])
			wantRequests(t, service, test.attempts)
			if got := time.Since(began); got > 65*time.Second {
				t.Errorf("took %s, want no more than the request timeout an attempt", got)
			}
		})
	}
}

func TestAudioThatIsNotConnected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, client := start(t, once, func(config *audioprojects.Config) {
			config.Transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		})
		began := time.Now()
		wantError(t, stream(t.Context(), client), audioprojects.NotSent, streamFailed+"no byte came for 30s")
		wantTook(t, began, 30*time.Second)
	})
}

func TestASlowReaderIsNotSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, client := start(t)
		audio, err := client.StreamProjectSnapshot(t.Context(), "p", "s", false)
		if err != nil {
			t.Fatal(err)
		}
		defer audio.Close()
		time.Sleep(time.Minute)
		if _, err := io.CopyN(io.Discard, audio, 1000); err != nil {
			t.Errorf("after a pause before the first byte: %v", err)
		}
		time.Sleep(time.Minute)
		if _, err := io.Copy(io.Discard, audio); err != nil {
			t.Errorf("after a pause on the way: %v", err)
		}
	})
}

func TestAudioThatBreaksOff(t *testing.T) {
	t.Parallel()
	for name, convertToMPEG := range map[string]bool{"announced length": false, "unknown length": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, client := start(t)
			service.Inject(mockserver.Fault{Truncate: 3000})
			audio, err := client.StreamProjectSnapshot(t.Context(), "p", "s", convertToMPEG)
			if err != nil {
				t.Fatal(err)
			}
			defer audio.Close()
			sound, err := io.ReadAll(audio)
			if len(sound) != 3000 || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("got %d bytes, %v; want 3000, %v", len(sound), err, io.ErrUnexpectedEOF)
			}
			wantRequests(t, service, 1)
		})
	}
}

func TestWhatIsNotAudio(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, contentType, body, want string }{
		{"JSON", "application/json", `{"detail":"later"}`, "200 OK: the answer is application/json, not audio"},
		{"JSON in UTF-8", "application/json; charset=utf-8", `{}`, "200 OK: the answer is application/json, not audio"},
		{"HTML", "text/html", "<html>", "200 OK: the answer is text/html, not audio"},
		{"HTML, not named so", "", "<!DOCTYPE html><html>", "200 OK: the answer is text/html, not audio"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			service, client := start(t)
			fault := mockserver.Fault{Body: test.body}
			if test.contentType != "" {
				fault.Header = http.Header{"Content-Type": {test.contentType}}
			}
			service.Inject(fault)
			wantError(t, stream(t.Context(), client), audioprojects.Ambiguous, streamFailed+test.want)
		})
	}
}

func TestClosingTheAudioReleasesTheConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := start(t)
		service.Inject(mockserver.Fault{SlowBytes: time.Second})
		ended := time.Time{}
		service.Watch(func(mockserver.Entry) { ended = time.Now() })
		audio, err := client.StreamProjectSnapshot(t.Context(), "p", "s", false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, audio, 640); err != nil {
			t.Error(err)
		}
		if !ended.IsZero() {
			t.Error("the service has done with the request before it is closed")
		}
		if err := audio.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if !ended.Equal(time.Now()) {
			t.Errorf("the service noticed at %v, want at once", ended)
		}
	})
}

func TestInterruptedAudio(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := start(t)
		service.Inject(mockserver.Fault{SlowBytes: time.Second})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Second, cancel)
		if err := stream(ctx, client); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
}
