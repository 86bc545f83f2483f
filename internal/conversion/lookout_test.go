package conversion_test

import (
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestLookout_oneAnswerThatTheProjectIsUnknown: of a service that listed the chapters before, a single 404 is an odd answer. It ends no wait.
func TestLookout_oneAnswerThatTheProjectIsUnknown(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mockserver.Fault{
		"while it converts":      {Skip: 3},
		"twice within 5 seconds": {Skip: 2, Times: 2},
		"before the request":     {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.reach()
				time.Sleep(time.Minute)
				fault.Operation, fault.Status = mockserver.ListChapters, 404
				b.service.Inject(fault)
				b.wantSuccess(b.convert())
				b.wantRequests(1, 1)
			}, unconverted(mockserver.Conversion{Takes: 10 * time.Minute}))
		})
	}
}

// TestLookout_serviceThatNeverKnewTheProject has nothing to look at twice.
func TestLookout_serviceThatNeverKnewTheProject(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Status: 404})
		_, err := b.convert()
		if !errors.Is(err, audioprojects.NotFound) || b.took > 0 {
			b.Errorf("got error %v after %s, want 404 at once", err, b.took)
		}
	}, unconverted(oneMinute()))
}

// TestRequest_chapterThatTheServiceDoesNotFind, although its list has the chapter: a refused request costs nothing, so that it is sent
// once more, after another look.
func TestRequest_chapterThatTheServiceDoesNotFind(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: 404})
		b.wantSuccess(b.convert())
		b.wantRequests(2, 1)
		var asked []time.Time
		lists := 0
		for _, request := range b.service.Journal() {
			switch {
			case request.Operation == mockserver.ConvertChapter:
				asked = append(asked, request.At)
			case request.Operation == mockserver.ListChapters && len(asked) == 1:
				lists++
			}
		}
		pause := asked[1].Sub(asked[0])
		if pause < 5*time.Second || lists == 0 {
			b.Errorf("asked again after %s and %d lists, want five seconds and a list", pause, lists)
		}
	}, unconverted(oneMinute()))
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: 404, Times: -1})
		outcome, err := b.convert()
		if !audioprojects.ConversionNotFound(err) || errors.Is(err, audioprojects.NotFound) || outcome.Memory.Pending != nil {
			b.Errorf("got error %v, pending %+v, want 404 of a conversion and nothing", err, outcome.Memory.Pending)
		}
		b.wantRequests(2, 0)
	}, unconverted(oneMinute()))
}

// TestRequest_deletedChapter is asked for twice in all, until two lists at least five seconds apart lack it.
func TestRequest_deletedChapter(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: 404})
		time.AfterFunc(time.Second, func() { b.service.RemoveChapter(project, chapter) })
		_, err := b.convert()
		_, isMissing := errors.AsType[*conversion.MissingChapterError](err)
		if !isMissing || b.service.Count(mockserver.ListChapters) > 5 {
			b.Errorf("got error %v after %d lists, want that the chapter is missing", err, b.service.Count(mockserver.ListChapters))
		}
		b.wantRequests(1, 0)
	}, unconverted(oneMinute()))
}

// TestLookout_answerThatCannotBeRead: three equal ones in a row are told, and not after the timeout only.
func TestLookout_answerThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const noRecord = `{"chapters":[{"name":"A chapter without an id"}]}`
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 3, Times: -1, Body: noRecord})
		outcome, err := b.convert()
		if !audioprojects.Unreadable(err) || outcome.Memory.Pending == nil || b.took > 2*time.Minute {
			b.Errorf("got error %v after %s, pending %+v; want it told soon, with what is pending", err, b.took, outcome.Memory.Pending)
		}
		lists := b.service.Count(mockserver.ListChapters)
		if lists != 9 { // the last ones at least 5 s apart
			b.Errorf("got %d lists, want 9", lists)
		}
	}, unconverted(mockserver.Conversion{Takes: 10 * time.Minute}))
	for name, faults := range map[string][]mockserver.Fault{
		"two":            {{Times: 2, Body: noRecord}},
		"different ones": {{Body: noRecord}, {Body: "<html>"}, {Body: noRecord}, {Body: `{"chapters":7}`}, {Body: "{"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				for _, fault := range faults {
					fault.Operation, fault.Skip = mockserver.ListChapters, 3
					b.service.Inject(fault)
				}
				b.wantSuccess(b.convert())
			}, unconverted(mockserver.Conversion{Takes: 10 * time.Minute}))
		})
	}
}
