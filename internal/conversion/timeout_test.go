package conversion_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestPoller_stopsAfterTheEnd: the first chapter that leaves gives its place to another one, which must see the end, too.
func TestPoller_stopsAfterTheEnd(t *testing.T) {
	t.Parallel()
	for name, within := range map[string]func(context.Context, time.Duration) (context.Context, context.CancelFunc){
		"Ctrl-C": func(ctx context.Context, at time.Duration) (context.Context, context.CancelFunc) {
			interrupted, cancel := context.WithCancel(ctx)
			time.AfterFunc(at, cancel)
			return interrupted, cancel
		},
		"the project's own timeout": context.WithTimeout,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for at := 5 * time.Second; at < 5*time.Second+40*time.Millisecond; at += time.Millisecond {
				inBubble(t, func(b *bubble) {
					b.service.SetHabits(mockserver.Habits{AtATime: 4})
					time.AfterFunc(at, func() { b.service.SetHabits(mockserver.Habits{}) }) // The service has room from now on.
					ctx, cancel := within(b.Context(), at)
					defer cancel()
					began, book := time.Now(), wholeBook()
					book.ChapterTimeout = time.Hour
					b.engine.ConvertProject(ctx, book)
					synctest.Wait()
					for _, entry := range b.service.Journal() {
						if entry.Operation == mockserver.ConvertChapter && entry.At.Sub(began) >= at {
							b.Errorf("%s was requested after the end", entry.ChapterID)
						}
					}
				}, many(20, 30*time.Second)...)
			}
		})
	}
}
