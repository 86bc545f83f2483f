package conversion_test

import (
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// behindACache makes the engine one whose requests pass a cache, which keeps answers for so long.
func (b *bubble) behindACache(keeps time.Duration, obeys bool) {
	b.network = mockserver.NewNetwork(mockserver.NewCache(b.service, keeps, obeys))
	b.Cleanup(b.network.Close)
	b.restart()
}

// TestCachedList: a cache between keeps lists, and does not ask the service although each GET says so. A list shows nothing of what was
// requested since it was made, and "nothing to do" and a request need a fresh one.
func TestCachedList(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	for name, test := range map[string]struct {
		keeps  time.Duration
		obeys  bool
		edited bool // after the list that is kept
		error  bool // no fresh list comes within a minute
		most   time.Duration
	}{
		"a cache that obeys":                    {time.Hour, true, true, false, 10 * time.Second},
		"kept for a minute":                     {minute, false, false, false, minute + 10*time.Second},
		"kept for a minute, and edited":         {minute, false, true, false, 3*minute + 10*time.Second},
		"kept for ten minutes, and edited":      {10 * minute, false, true, true, minute + 20*time.Second},
		"kept for ten minutes, converted, book": {10 * minute, false, false, true, minute + 20*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.behindACache(test.keeps, test.obeys)
				b.reach() // The cache keeps this list.
				time.Sleep(5 * time.Second)
				if test.edited {
					b.service.EditChapter(project, chapter, longer)
				}
				b.restart()
				began := time.Now()
				outcome, err := b.convert(upToDate)
				took := time.Since(began)
				isCached := errors.As(err, new(*conversion.CachedError))
				wantsRequests := 0
				if test.edited && !test.error {
					wantsRequests = 1
				}
				if isCached != test.error || (err != nil) != test.error || outcome.Memory.Pending != nil || took > test.most {
					b.Errorf("got %v with %v pending after %s, want an error that names the cache: %t", err, outcome.Memory.Pending, took, test.error)
				}
				b.wantRequests(wantsRequests, wantsRequests)
			}, mockserver.Chapter{Text: text, Converted: true, Conversions: []mockserver.Conversion{{Takes: 4 * time.Second}}})
		})
	}
}

// TestCachedList_whileWaiting: a list from before the request is no sign of the conversion, and shows no end of it. So
// it proves nothing for a window, in which nothing seems to begin.
func TestCachedList_whileWaiting(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.behindACache(time.Minute, false)
		outcome, err := b.convert()
		b.wantSuccess(outcome, err)
		b.wantRequests(1, 1)
		if outcome.Decision.Reason == conversion.NoSign {
			b.Error("no sign was seen, in lists from before the request")
		}
	}, mockserver.Chapter{Text: text, Converted: true, Conversions: []mockserver.Conversion{{Takes: 45 * time.Second}}})
}

// TestCachedProject: the cache keeps the project's own record from before somebody else had all of it converted, whose
// chapters rest in the queue. Nothing is requested by that record.
func TestCachedProject(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.behindACache(time.Minute, false)
		b.reach()
		time.Sleep(5 * time.Second)
		b.engine.ProjectUnderWay(b.Context(), project)
		time.Sleep(5 * time.Second)
		b.service.ConvertProject(project, 10*time.Minute)
		time.Sleep(50500 * time.Millisecond) // The kept list is too old, and the record is not.
		b.restart()
		outcome := b.engine.ConvertProject(b.Context(), wholeBook())
		busy := new(conversion.ProjectBusyError)
		if sent := b.service.Count(mockserver.ConvertChapter); !errors.As(outcome.Stopped, &busy) || sent > 0 {
			b.Errorf("stopped by %v, after %d requests, want that the project is busy", outcome.Stopped, sent)
		}
	}, many(3, time.Minute)...)
}
