package conversion

import (
	"math"
	"sync"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// bill bounds the characters of all conversions that are requested in one process. A plan and an apply are processes of
// their own: in a plan the bill has what the objects would request, in an apply what has been requested.
type bill struct {
	most *int64 // nil: no bound

	mu      sync.Mutex
	planned map[chapterKey]int64
	// requested are the characters of the requests that the service has accepted, or may have received.
	requested int64
	// applying: this process has been asked to convert or to wait, so it is an apply. Terraform plans each object once more in it.
	applying bool
	exceeded bool // a plan has been told
}

func newBill(most *int64) *bill { return &bill{most: most, planned: map[chapterKey]int64{}} }

// Characters is how many characters a conversion for the wish may cost at most: the unconverted ones if the wish is about
// those, otherwise all of the chapter. It is not known if the service does not count them.
func (w Wish) Characters(chapter audioprojects.Chapter) (most int64, known bool) {
	s := chapter.Statistics
	if s == nil || s.CharactersUnconverted == nil {
		return 0, false
	}
	most = max(int64(*s.CharactersUnconverted), 0)
	if w.UpToDate && openIn(chapter, w.Leftover) && !w.outdated(chapter) {
		return most, true
	}
	if s.CharactersConverted == nil {
		return 0, false
	}
	return Sum(most, max(int64(*s.CharactersConverted), 0)), true
}

// Sum adds two numbers of characters that are not negative. A service may count anything, so the result is at most the largest
// number that there is, and never negative.
func Sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// PlanRequest notes that an apply of this process's plan would request a conversion. A chapter counts once, with the
// most that was noted for it: Terraform plans an object more than once, and several objects may have one chapter. The
// error is a [*BoundError] if all of them together exceed the bound. Only the first one gets it, because one error is
// enough for a plan to fail, and a thousand could not be read.
func (e *Engine) PlanRequest(wish Wish, chapter audioprojects.Chapter) error {
	b := e.bill
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.most == nil || b.applying {
		return nil
	}
	characters, known := wish.Characters(chapter)
	b.plan(wish.key(), characters)
	together := b.together()
	if known && together <= *b.most || b.exceeded {
		return nil
	}
	b.exceeded = true
	return newBoundError(wish, chapter, together, *b.most)
}

// PlanBook notes that an apply of this process's plan would request conversions for chapters of a project, as
// [Engine.PlanRequest] does for one. most are the characters that each may cost at most, by chapter; nil if the service does not
// count them. The error is a [*BookBoundError].
func (e *Engine) PlanBook(projectID string, most map[string]*int64) error {
	b := e.bill
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.most == nil || b.applying || len(most) == 0 {
		return nil
	}
	exceeded := &BookBoundError{Most: *b.most}
	for chapterID, characters := range most {
		if characters == nil {
			exceeded.Uncounted++
			continue
		}
		exceeded.Characters = Sum(exceeded.Characters, *characters)
		b.plan(chapterKey{projectID, chapterID}, *characters)
	}
	exceeded.Together = b.together()
	if exceeded.Uncounted == 0 && exceeded.Together <= exceeded.Most || b.exceeded {
		return nil
	}
	b.exceeded = true
	return exceeded
}

func (b *bill) plan(key chapterKey, characters int64) {
	b.planned[key] = max(characters, b.planned[key])
}

// together is what all that is planned may cost.
func (b *bill) together() (together int64) {
	for _, planned := range b.planned {
		together = Sum(together, planned)
	}
	return together
}

// Applying tells whether the engine has been asked to convert or to wait, as only an apply or an action does.
func (e *Engine) Applying() bool {
	e.bill.mu.Lock()
	defer e.bill.mu.Unlock()
	return e.bill.applying
}

func (b *bill) beginApplying() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.applying = true
}

// reserve counts a request before it is sent. The error is a [*BoundError] if it must not be sent.
func (b *bill) reserve(wish Wish, chapter audioprojects.Chapter) (reserved int64, err error) {
	if b.most == nil {
		return 0, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	characters, known := wish.Characters(chapter)
	if together := Sum(b.requested, characters); !known || together > *b.most {
		return 0, newBoundError(wish, chapter, together, *b.most)
	}
	b.requested += characters
	return characters, nil
}

// giveBack takes a request back that the service has not accepted.
func (b *bill) giveBack(reserved int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requested -= reserved
}

func newBoundError(wish Wish, chapter audioprojects.Chapter, together, most int64) *BoundError {
	characters, known := wish.Characters(chapter)
	return &BoundError{
		ProjectID: wish.ProjectID, ChapterID: wish.ChapterID, Name: chapter.Name,
		Characters: characters, Counted: known, Together: together, Most: most,
	}
}
