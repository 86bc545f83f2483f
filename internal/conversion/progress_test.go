package conversion_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// reports are the progress reports that a demand got, each as a word; equal ones in a row are kept once.
type reports struct {
	mu    sync.Mutex
	words []string
	last  conversion.Outcome
}

func (m *reports) listen(r *conversion.Demand) {
	r.Progress = func(progress conversion.Outcome) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.last = progress
		word := "waits"
		switch {
		case progress.Problem != nil:
			word = "problem"
		case progress.Requested && progress.Unconfirmed():
			word = "perhaps started"
		case progress.Requested:
			word = "started"
		case progress.Joined:
			word = "joined"
		}
		if conversion.Busy(progress.Chapter) {
			word += ", " + progress.Chapter.State.Line()
		}
		if len(m.words) == 0 || m.words[len(m.words)-1] != word {
			m.words = append(m.words, word)
		}
	}
}

func (m *reports) want(b *bubble, words ...string) {
	b.Helper()
	if !slices.Equal(m.words, words) {
		b.Errorf("progress: got %q, want %q", m.words, words)
	}
}

func TestProgressOfAConversionOfOurOwn(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		got := new(reports)
		b.wantSuccess(b.convert(got.listen))
		got.want(b, "waits", "started", "started, in_queue", "started, converting", "started")
		if *got.last.Percent != 100 || got.last.Chapter.ChapterID != chapter || got.last.Waited < time.Minute {
			b.Errorf("got %+v, want the chapter at 100 per cent, after a minute", got.last)
		}
	}, mockserver.Chapter{ID: "preface"}, unconverted(mockserver.Conversion{Queued: 20 * time.Second, Takes: time.Minute}))
}

func TestProgressOfAJoinedConversion(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Convert(project, chapter)
		time.Sleep(20 * time.Second)
		b.service.EditChapter(project, chapter, longer)
		got := new(reports)
		b.wantSuccess(b.convert(got.listen))
		got.want(b, "waits, converting", "joined, converting", "joined", "started", "started, converting", "started")
	}, unconverted(oneMinute(), oneMinute()))
}

// TestProgressForTwoWishes: the second demand gets the progress of the first one's run, until its own timeout.
func TestProgressForTwoWishes(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		first, second := new(reports), new(reports)
		done := make(chan error)
		go func() {
			_, err := b.convert(first.listen)
			done <- err
		}()
		synctest.Wait()
		time.Sleep(5 * time.Second)
		outcome, err := b.convertWithin(20*time.Second, second.listen)
		if err == nil || outcome.Pending == nil || !outcome.Pending.SeenConverting {
			b.Errorf("got outcome %+v and error %v, want the deadline, and the same conversion pending for both", outcome, err)
		}
		if err := <-done; err != nil {
			b.Error(err)
		}
		first.want(b, "waits", "started", "started, converting", "started")
		second.want(b, "joined, converting")
	}, unconverted(oneMinute()))
}

func TestProgressOfARequestWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Process: true, Reset: true})
		got := new(reports)
		b.wantSuccess(b.convert(got.listen))
		got.want(b, "waits", "perhaps started", "started, converting", "started")
	}, unconverted(mockserver.Conversion{Lag: 10 * time.Second, Takes: time.Minute}))
}

func TestProgressShowsThatALookFailed(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 5, Times: 5, Status: 503})
		got := new(reports)
		b.wantSuccess(b.convert(got.listen))
		got.want(b, "waits", "started", "started, converting", "problem, converting", "started, converting", "started")
	}, unconverted(oneMinute()))
}
