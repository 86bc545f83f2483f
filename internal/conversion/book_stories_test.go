package conversion_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestBooksInRandomStories interrupts and kills applies of a book at random times, while requests go wrong. In the end every
// chapter must have been converted, and none paid for more often than it failed or was edited, and once more.
func TestBooksInRandomStories(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			seconds := func(most int) time.Duration { return time.Duration(random.IntN(most*1000)) * time.Millisecond }
			chapters := many(1+random.IntN(12), 0)
			mayPay := map[string]int{}
			for i := range chapters {
				c := &chapters[i]
				c.Converted = random.IntN(4) == 0
				c.Conversions = nil
				for mayPay[c.ID] < 4 && random.IntN(4) == 0 {
					c.Conversions = append(c.Conversions, mockserver.Conversion{Takes: seconds(100), Fails: fmt.Sprint("error ", len(c.Conversions))})
					mayPay[c.ID]++
				}
				c.Conversions = append(c.Conversions, mockserver.Conversion{Lag: seconds(5), Queued: seconds(20), Takes: time.Second + seconds(100)})
			}
			inBubble(t, func(b *bubble) {
				b.parallel = 1 + random.IntN(6)
				b.restart()
				b.service.SetHabits(mockserver.Habits{DatesFailures: random.IntN(2) == 0, KeepsOldError: random.IntN(2) == 0, StaleLists: time.Duration(random.IntN(2)) * seconds(8)})
				book := wholeBook()
				if random.IntN(2) == 0 {
					book.Others.ConvertedAfter = new(time.Now().Add(time.Duration(random.IntN(3)-1) * time.Hour).Unix())
				}
				if random.IntN(3) == 0 {
					book.ChapterTimeout = 10*time.Second + seconds(200)
				}
				block := conversion.Demand{ProjectID: project, ChapterID: "chapter-0", UpToDate: true}
				for range random.IntN(6) {
					if edited := chapters[random.IntN(len(chapters))].ID; random.IntN(3) == 0 {
						mayPay[edited]++
						// Every text has another length: a text of equal length that comes during a conversion counts as left over.
						longer := text + "\n\n" + strings.Repeat("x", 1+mayPay[edited])
						time.AfterFunc(seconds(200), func() { b.service.EditChapter(project, edited, longer) })
					}
					book, block = b.interruptedApply(random, book, block)
				}
				time.Sleep(5 * time.Minute) // The last edit comes before the last applies.
				var outcome conversion.ProjectOutcome
				book.ChapterTimeout = 0
				for range 6 {
					b.restart()
					outcome = b.engine.ConvertProject(b.Context(), book)
					book = again(book, outcome)
				}
				if len(failures(outcome)) > 0 {
					b.Errorf("the last apply failed: %v", failures(outcome))
				}
				for _, c := range chapters {
					if paid := b.service.Conversions(project, c.ID); paid > mayPay[c.ID]+1 {
						b.Errorf("%s: paid for %d times, with %d failures and edits at most", c.ID, paid, mayPay[c.ID])
					}
				}
				for _, c := range outcome.Chapters {
					if left, _ := conversion.Unconverted(c.Chapter); left > 0 {
						b.Errorf("%s: %d characters are left", c.ChapterID, left)
					}
				}
			}, chapters...)
		})
	}
}

// interruptedApply applies a book in a new process, with faults and perhaps an interruption, and returns that of the next.
// Sometimes there is a block for one chapter, too.
func (b *bubble) interruptedApply(random *rand.Rand, book conversion.Project, block conversion.Demand) (conversion.Project, conversion.Demand) {
	b.Helper()
	b.restart()
	faults := []mockserver.Fault{
		{Reset: true}, {Reset: true, Process: true}, {Status: 503}, {Status: 503, Process: true}, mockserver.RateLimited(3 * time.Second),
		{Hang: time.Hour, Process: true},
	}
	for range random.IntN(4) {
		fault := faults[random.IntN(len(faults))]
		fault.Skip = random.IntN(10)
		b.service.Inject(fault)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	if random.IntN(3) > 0 {
		after := time.Duration(random.IntN(200_000)) * time.Millisecond
		time.AfterFunc(after, cancel)
	}
	var all sync.WaitGroup
	if delay := time.Duration(random.IntN(100)) * time.Second; random.IntN(2) == 0 && book.Others.ConvertedAfter == nil {
		all.Go(func() {
			time.Sleep(delay)
			outcome, _ := b.engine.Convert(ctx, block) // If it fails, the next apply tries again.
			block = nextWish(block, conversion.ProjectChapter{Outcome: outcome})
		})
	}
	outcome := b.engine.ConvertProject(ctx, book)
	all.Wait()
	if len(outcome.Chapters) == 0 {
		return book, block // The chapters could not be listed: nothing has changed.
	}
	return again(book, outcome), block
}
