package conversion

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// TestAnOutageEndsWithALookThatSucceeds: only the time since the last look that succeeded counts.
func TestAnOutageEndsWithALookThatSucceeds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := NewEngine(Options{})
		e.reached.Store(true)
		r := newRun(e, Wish{ProjectID: theOne.projectID, ChapterID: theOne.chapterID})
		r.reader = e.chapterReader(r.wish)
		down := func() error {
			found := newListing(nil, &audioprojects.Error{Status: 503})
			found.requestedAt = time.Now()
			return r.take(t.Context(), found)
		}
		look := func() error {
			found := newListing([]audioprojects.Chapter{before}, nil)
			found.requestedAt = time.Now()
			return r.take(t.Context(), found)
		}
		for _, step := range []func() error{down, look, down, down} {
			if err := step(); err != nil {
				t.Fatalf("got error %v after less than a minute without an answer", err)
			}
			<-time.After(outage * 2 / 3)
		}
		if err := down(); err == nil {
			t.Error("a service that has been down for more than a minute is asked again")
		}
	})
}
