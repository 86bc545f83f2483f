package provider_test

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

func TestProjectSnapshotAudio_doesNotArrive(t *testing.T) {
	t.Parallel()
	const nothing = `Nothing was written to`
	inPlace := func(contentType, body string) mockserver.Fault {
		return mockserver.Fault{Status: 200, Header: http.Header{"Content-Type": {contentType}}, Body: body}
	}
	for _, test := range []struct {
		name     string
		fault    mockserver.Fault
		mpeg     bool
		says     string
		requests int
	}{
		{"reset", mockserver.Fault{Reset: true}, false, "connection reset by peer", 5},
		{"closed", mockserver.Fault{EOF: true}, false, "EOF", 5},
		{"no answer", mockserver.Fault{Hang: time.Hour}, false, "no byte arrived for 30s", 5},
		{"stall", mockserver.Fault{SlowBytes: 31 * time.Second}, false, "the audio broke off after 64 bytes: no byte arrived for 30s", 5},
		{"short Content-Length", mockserver.Fault{Truncate: 50000}, false, "the audio broke off after 50000 bytes: unexpected EOF", 5},
		{"chunks cut off", mockserver.Fault{Truncate: 20000}, true, "the audio broke off after 20000 bytes: unexpected EOF", 5},
		{"JSON", inPlace("application/json", `{"message":"still converting"}`), false, "200 OK: the answer is JSON, not audio; it reads still converting.", 1},
		{"HTML", inPlace("text/html", "<html>Welcome</html>"), false, "200 OK: the answer is text/html, not audio; it reads (an HTML page).", 1},
		{"picture", inPlace("audio/wav", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), false, "200 OK: the answer is image/png, not audio", 1},
		{"several parts", inPlace("multipart/mixed; boundary=b", "\xff\xfb\x90\x00"), false, "200 OK: the answer has the media type multipart/mixed; boundary=b, not one of audio", 1},
		{"empty", inPlace("audio/wav", ""), false, "200 OK: the answer is empty", 1},
		{"401", mockserver.Fault{Status: 401, Body: `{"detail":"No."}`}, false, "401 Unauthorized: No.\nHost: localhost.\n\nThe service does not accept the API key.", 1},
		{"404", mockserver.Fault{Status: 404, Body: `{"detail":"No snapshot."}`}, false, "404 Not Found: No snapshot.\nHost: localhost.\n\nCheck `base_url` and `api_path` first: ", 1},
		{"503", mockserver.Fault{Status: 503}, false, "503 Service Unavailable.\nHost: localhost.\n\nThe problem is on the service's side.", 5},
		{"redirect", mockserver.Fault{Status: 307, Header: http.Header{"Location": {"https://elsewhere/"}}}, false, "the provider does not follow a redirect to https://elsewhere", 1},
	} {
		for before, content := range map[string][]byte{"nothing there": nil, "old file": []byte("old")} {
			t.Run(test.name+", "+before, func(t *testing.T) {
				t.Parallel()
				withAudio(t, map[string]any{"convert_to_mpeg": test.mpeg}, func(c *audioCore) {
					if content != nil {
						c.leave(content)
						c.Arguments["overwrite"] = true
					}
					fault := test.fault
					fault.Times = -1
					c.service.Inject(fault)
					shown := c.Apply()
					shown.Want(c, "create", nil, []string{"Unable to stream audio of snapshot \"new\" of project \"book\""})
					if !shown.Says(test.says) || !shown.Says(nothing) {
						t.Errorf("got %q, want it to say %q and %q", shown.Errors, test.says, nothing)
					}
					c.wantRequests(test.requests)
					c.wantFolder(content)
					if c.Object != nil {
						t.Error("there is an object in the state")
					}
				})
			})
		}
	}
}

func TestProjectSnapshotAudio_arrivesAfterRetries(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 5))
	whole := sound(t, "new", false)
	faults := []mockserver.Fault{{Reset: true}, {EOF: true}, {Hang: time.Hour}, {SlowBytes: time.Hour}, {Status: 502}, mockserver.RateLimited(time.Second)}
	for range 6 {
		faults = append(faults, mockserver.Fault{Truncate: 1 + random.IntN(len(whole)-1)})
	}
	for _, fault := range faults {
		t.Run(fmt.Sprintf("%+v", fault), func(t *testing.T) {
			t.Parallel()
			withAudio(t, map[string]any{}, func(c *audioCore) {
				c.service.Inject(fault)
				c.Apply().Want(c, "create", nil, nil)
				c.wantRequests(2)
				c.wantFolder(whole)
				shown := c.Apply()
				if shown.Action != "no-op" {
					t.Errorf("the next plan has an %s", shown.Action)
				}
				c.wantRequests(2)
			})
		})
	}
}

func TestProjectSnapshotAudio_interrupted(t *testing.T) {
	t.Parallel()
	// The audio comes in pieces of 64 bytes, one a second.
	random := rand.New(rand.NewPCG(6, 7))
	old, whole := sound(t, "old", false), sound(t, "new", false)
	length := time.Duration(len(whole)/64) * time.Second
	for _, isNew := range []bool{true, false} {
		for range 8 {
			after := time.Duration(random.Int64N(int64(length)))
			t.Run(fmt.Sprintf("a new file: %t, after %s", isNew, after), func(t *testing.T) {
				withAudio(t, map[string]any{}, func(c *audioCore) {
					action, left := "create", []byte(nil)
					if !isNew {
						c.Arguments["project_snapshot_id"] = "old"
						c.Apply().Want(c, "create", nil, nil)
						c.Arguments["project_snapshot_id"] = "new"
						action, left = "update", old
					}
					c.service.Inject(mockserver.Fault{Times: -1, SlowBytes: time.Second})
					began := time.Now()
					shown := c.Apply(fakecore.InterruptedAfter(after))
					took := time.Since(began)
					if took > after+time.Second {
						t.Errorf("came back after %s", took)
					}
					shown.Want(c, action, nil, []string{"Interrupted before the audio arrived"})
					c.wantFolder(left)
					if (c.Object == nil) != isNew {
						t.Errorf("there is no object in the state: %t", c.Object == nil)
					}
					c.Plan().Want(c, action, nil, nil)
				})
			})
		}
	}
}

func TestProjectSnapshotAudio_outOfTime(t *testing.T) {
	t.Parallel()
	withAudio(t, map[string]any{"timeouts": map[string]any{"create": "10m", "update": "5m"}}, func(c *audioCore) {
		c.service.Inject(mockserver.Fault{Times: 2, SlowBytes: 29e9})
		c.Apply().Want(c, "create", nil, []string{"Timed out before the audio arrived\nThe audio of snapshot \"new\" of project \"book\" did not arrive within 10m0s (`timeouts`)."})
		c.wantFolder(nil)
		c.wantRequests(1)
		c.service.Inject(mockserver.Fault{SlowBytes: 29e9})
		c.Apply().Want(c, "create", nil, []string{"Timed out"})
		c.Apply().Want(c, "create", nil, []string{"Timed out"})
		c.Apply().Want(c, "create", nil, nil)
		c.Arguments["project_snapshot_id"] = "old"
		c.service.Inject(mockserver.Fault{SlowBytes: 29e9})
		c.Apply().Want(c, "update", nil, []string{"did not arrive within 5m0s"})
		c.wantFolder(sound(c.T, "new", false))
	})
}

// An answer without a length and without chunks ends with its connection, and so does one that breaks off.
func TestProjectSnapshotAudio_mayNotBeWhole(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"", "identity"} {
		c := newAudioCore(t, map[string]any{"convert_to_mpeg": true})
		c.Start = func() *fakecore.Process {
			p := c.connect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if encoding != "" {
					w.Header().Set("Transfer-Encoding", encoding) // It is how net/http is told to send no chunks.
				}
				c.service.ServeHTTP(w, r)
			}))
			c.Configure(p, atTheService(), nil)
			return p
		}
		var warnings []string
		if encoding == "identity" {
			warnings = []string{"Audio that may not be whole\nThe service announced no length"}
		}
		c.Apply().Want(c, "create", warnings, nil)
		c.wantFolder(sound(t, "new", true))
	}
}

func TestProjectSnapshotAudio_untrustedService(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	dials := 0
	c.Start = func() *fakecore.Process {
		p := process(func(context.Context, string, string) (net.Conn, error) {
			dials++
			return nil, &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
		}, func() {})
		c.Configure(p, atTheService(), nil)
		return p
	}
	shown := c.Apply()
	shown.Want(c, "create", nil, []string{"certificate signed by unknown authority"})
	if !shown.Says("that this machine trusts the issuer of") || dials != 1 {
		t.Errorf("got %q after %d connections", shown.Errors, dials)
	}
	c.wantFolder(nil)
}

func TestProjectSnapshotAudio_manyMegabytes(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{"project_snapshot_id": "longest"})
	c.service.Inject(mockserver.Fault{Truncate: 40 << 20})
	c.Apply().Want(c, "create", nil, nil)
	c.wantRequests(2)
	file, err := os.Open(c.file)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil || size != longest {
		t.Errorf("the file has %d bytes, %v; want %d", size, err, longest)
	}
	for name, want := range map[string]any{"size": longest, "content_sha256": hex.EncodeToString(sum.Sum(nil))} {
		got := fakecore.AttributesOf(c.Object.Value)[name]
		c.wantEqual(name, got, tftypes.NewValue(got.Type(), want))
	}
}

func TestProjectSnapshotAudio_unnamedType(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.service.Inject(mockserver.Fault{Status: 200, Header: map[string][]string{"Content-Type": nil}, Body: "\xff\xfb\x90\xc0\x00"})
	c.Apply().Want(c, "create", nil, nil)
	got := fakecore.AttributesOf(c.Object.Value)["content_type"]
	if !got.IsNull() {
		t.Errorf("content_type: got %s, want null", got)
	}
}

// A service may ignore convert_to_mpeg, under whatever media type.
func TestProjectSnapshotAudio_otherFormat(t *testing.T) {
	t.Parallel()
	for beginning, format := range map[string]string{
		"RIFF\x24\x00\x00\x00WAVEfmt \x00": "audio/wav", "OggS\x00": "application/ogg", "ID3\x04\x00": "", "\xff\xfb\x90\x00": "",
	} {
		for _, wanted := range []bool{true, false} {
			c := newAudioCore(t, map[string]any{"convert_to_mpeg": wanted})
			c.service.Inject(mockserver.Fault{Header: http.Header{"Content-Type": {"audio/mpeg"}}, Body: beginning})
			var warnings []string
			if wanted && format != "" {
				warnings = []string{"Audio that is no MPEG\nThe provider requested the audio of snapshot \"new\" of project \"book\" as MPEG, and the beginning of what came is that of " + format + "."}
			}
			c.Apply().Want(c, "create", warnings, nil)
			c.wantFolder([]byte(beginning))
		}
	}
}

// What somebody has altered since the last refresh stays, whatever an apply was to do with it.
func TestProjectSnapshotAudio_fileAlteredBeforeApply(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	c.Arguments["project_snapshot_id"] = "old"
	plan := c.Plan()
	c.leave([]byte("mine"))
	c.ApplyPlan(plan).Want(c, "update", nil, []string{"File exists already"})
	shown, gone := c.Destroy()
	shown.Want(c, "destroy", []string{
		fmt.Sprintf("Audio file left in place\nThe file %q is no longer the audio of snapshot \"new\" of project \"book\", so the provider leaves it in place.", c.file),
	}, nil)
	if !gone {
		t.Error("the object is still there")
	}
	c.wantFolder([]byte("mine"))
	c.wantRequests(1)
}

// A file of a tebibyte takes half an hour to read, and Ctrl-C does not wait for that.
func TestProjectSnapshotAudio_interruptedWhileReading(t *testing.T) {
	t.Parallel()
	const size = 1 << 40
	for name, read := range map[string]func(*audioCore, *fakecore.Process, *fakecore.Screen){
		"in a refresh": func(c *audioCore, p *fakecore.Process, shown *fakecore.Screen) { c.Refresh(p, shown) },
		"in a plan": func(c *audioCore, p *fakecore.Process, shown *fakecore.Screen) {
			c.Arguments["project_snapshot_id"] = "old"
			c.PlanChange(p, shown)
		},
		"in a destroy": func(c *audioCore, p *fakecore.Process, shown *fakecore.Screen) {
			c.Turn(p, shown).Destroy(&c.Object, c.Object.Private)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newAudioCore(t, map[string]any{})
			c.Apply().Want(c, "create", nil, nil)
			state := fakecore.AttributesOf(c.Object.Value)
			state["size"] = tftypes.NewValue(tftypes.Number, size)
			c.Object.Value = tftypes.NewValue(c.Object.Value.Type(), state)
			c.Must(os.Truncate(c.file, size)) // The file has holes, and takes no place.

			p, shown := c.Start(), &fakecore.Screen{}
			defer p.End()
			done := make(chan struct{})
			go func() {
				for { // A stop ends the calls that have begun.
					select {
					case <-time.After(20 * time.Millisecond):
						_, _ = p.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{})
					case <-done:
						return
					}
				}
			}()
			read(c, p, shown)
			close(done)
			shown.Want(c, shown.Action, nil, []string{"Interrupted while reading audio file"})
			if c.Object == nil {
				t.Error("the object is no longer in the state")
			}
		})
	}
}
