package conversion_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// library is what one apply converts: some projects with equally many chapters of 20 s, and so many resources at a time.
type library struct{ projects, chapters, parallel int }

// convert converts the whole library in an order that mixes the projects, as Terraform's does.
func (l library) convert(b *bubble) {
	for i := range l.projects {
		b.service.AddProject(mockserver.Project{ID: fmt.Sprint("project-", i), Chapters: many(l.chapters, 20*time.Second)})
	}
	wanted := make(chan conversion.Desired)
	var resources sync.WaitGroup
	for range l.parallel {
		resources.Go(func() {
			for desired := range wanted {
				outcome, err := b.engine.Convert(b.Context(), desired)
				if err != nil || !outcome.HasRequested() {
					b.Errorf("%s of %s: got %+v and error %v, want a conversion", desired.ChapterID, desired.ProjectID, outcome, err)
				}
			}
		})
	}
	for i := range l.chapters * l.projects {
		wanted <- conversion.Desired{ProjectID: fmt.Sprint("project-", i%l.projects), ChapterID: fmt.Sprint("chapter-", i/l.projects), Wish: conversion.WantsConversion, New: true}
	}
	close(wanted)
	resources.Wait()

	for i := range l.projects {
		for j := range l.chapters {
			got := b.service.Conversions(fmt.Sprint("project-", i), fmt.Sprint("chapter-", j))
			if got != 1 {
				b.Errorf("conversions of chapter %d of project %d: got %d, want 1", j, i, got)
			}
		}
	}
}

func TestLibrary_slowService(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Times: -1, Hang: 2 * time.Second})
		library{20, 15, 100}.convert(b)
	})
}

func TestLibrary_serviceThatIsDownForAWhile(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		time.AfterFunc(30*time.Second, func() { b.network.Down(true) })
		time.AfterFunc(50*time.Second, func() { b.network.Down(false) })
		library{20, 15, 100}.convert(b)
	})
}

// TestLibrary_serviceThatLimitsRequests to five in a second, for as many as Terraform and a project conversion have at a
// time. If it answers only one at once, the request that follows a list must wait: there is none that both would pass.
func TestLibrary_serviceThatLimitsRequests(t *testing.T) {
	t.Parallel()
	for _, limited := range []struct {
		library
		burst int
	}{{library{5, 20, 10}, 5}, {library{1, 100, 50}, 5}, {library{1, 30, 50}, 1}} {
		inBubble(t, func(b *bubble) {
			b.service.Allow(mockserver.Allowance{PerSecond: 5, Burst: limited.burst})
			limited.convert(b)
			sent, refused := 0, 0
			for _, entry := range b.service.Journal() {
				if entry.Operation == mockserver.ConvertChapter {
					sent++
				}
				if entry.Operation == mockserver.ConvertChapter && entry.Status == http.StatusTooManyRequests {
					refused++
				}
			}
			if refused > sent*2/3 {
				b.Errorf("%+v: %d of %d requests for conversions were refused", limited, refused, sent)
			}
			b.Logf("%+v: %d of %d requests for conversions were refused", limited, refused, sent)
		})
	}
}

// TestLibrary_spellOfRefusals of 20 s, or of 2 minutes, in which the service refuses every request because it is busy. Little more
// than half a minute after it, the provider has made up for it.
func TestLibrary_spellOfRefusals(t *testing.T) {
	t.Parallel()
	for _, spell := range []time.Duration{20 * time.Second, 2 * time.Minute} {
		inBubble(t, func(b *bubble) {
			busy := new(atomic.Bool)
			gateway := mockserver.NewNetwork(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if busy.Load() {
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(http.StatusTooManyRequests)
					_, _ = io.WriteString(w, `{"detail":{"status":"system_busy","message":"Try again."}}`) // The client may have gone.
					return
				}
				b.service.ServeHTTP(w, r)
			}))
			defer gateway.Close()
			b.restartWith(gateway.DialContext)
			time.AfterFunc(10*time.Second, func() { busy.Store(true) })
			time.AfterFunc(10*time.Second+spell, func() { busy.Store(false) })
			began := time.Now()
			library{1, 40, 10}.convert(b)
			took, most := time.Since(began), 80*time.Second+spell+35*time.Second
			if took > most {
				b.Errorf("a spell of %s: took %s, want %s at most", spell, took, most)
			}
		})
	}
}

// A gateway that answers 503 may have passed the request on. Such a conversion ends in an error,
// and the next apply looks for it first. All other conversions wait until the service is back.
func TestLibrary_gatewayThatIsDownForAWhile(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		down := new(atomic.Bool)
		gateway := mockserver.NewNetwork(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if down.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			b.service.ServeHTTP(w, r)
		}))
		defer gateway.Close()
		b.restartWith(gateway.DialContext)
		time.AfterFunc(30*time.Second, func() { down.Store(true) })
		time.AfterFunc(50*time.Second, func() { down.Store(false) })

		const chapters = 150 // in a minute, which has the time without the gateway in it
		b.service.AddProject(mockserver.Project{ID: "behind-a-gateway", Chapters: many(chapters, 20*time.Second)})
		var all sync.WaitGroup
		lost := make(chan conversion.Desired, chapters)
		for i := range chapters {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Minute / chapters)
				desired := conversion.Desired{ProjectID: "behind-a-gateway", ChapterID: fmt.Sprint("chapter-", i), Wish: conversion.WantsConversion, New: true}
				outcome, err := b.engine.Convert(b.Context(), desired)
				unconfirmed := new(conversion.UnconfirmedError)
				if errors.As(err, &unconfirmed) {
					resuming(outcome.Memory.Pending)(&desired)
					lost <- desired
				} else if err != nil {
					b.Errorf("%s: %v", desired.ChapterID, err)
				}
			})
		}
		all.Wait()
		close(lost)
		b.Logf("%d of %d conversions were requested while the gateway was down", len(lost), chapters)
		b.restartWith(gateway.DialContext)
		for desired := range lost {
			_, err := b.engine.Convert(b.Context(), desired)
			if err != nil {
				b.Errorf("%s: %v", desired.ChapterID, err)
			}
		}
		for i := range chapters {
			got := b.service.Conversions("behind-a-gateway", fmt.Sprint("chapter-", i))
			if got != 1 {
				b.Errorf("conversions of chapter %d: got %d, want 1", i, got)
			}
		}
	})
}
