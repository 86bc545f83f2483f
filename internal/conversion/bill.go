package conversion

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// bill bounds the characters of all conversions that are requested in one process. A plan and an apply are processes of
// their own: in a plan the bill has what the objects would request, in an apply what has been requested.
type bill struct {
	most *int64 // nil: no bound
	// applying: this process has been asked to convert or to wait, so it is an apply. Terraform plans each object once more in it.
	applying atomic.Bool

	mu      sync.Mutex
	planned map[chapterKey]int64
	// requested are the characters of the requests that the service has accepted, or may have received.
	requested int64
	exceeded  bool // a plan has been told
}

// Characters is how many characters a conversion for the demand may cost at most: the unconverted ones if the demand is about
// those, otherwise all of the chapter. Nil if the service does not count them.
func (w Demand) Characters(chapter audioprojects.Chapter) *int64 {
	s := chapter.Statistics
	if s == nil || s.CharactersUnconverted == nil {
		return nil
	}
	most := max(int64(*s.CharactersUnconverted), 0)
	switch {
	case w.UpToDate && openIn(chapter, w.KnownRemainder) && !w.outdated(chapter):
		return &most
	case s.CharactersConverted == nil:
		return nil
	default:
		return new(Sum(most, max(int64(*s.CharactersConverted), 0)))
	}
}

// Sum adds two numbers of characters that are not negative. A service may count anything, so the result is at most the largest
// number that there is, and never negative.
func Sum(a, b int64) int64 { return a + min(b, math.MaxInt64-a) }

// PlanProject notes that an apply of this process's plan would request conversions for chapters of a project. most are the characters
// that each may cost at most, by chapter; nil if the service does not count them. A chapter counts once, with the most that was
// noted for it: Terraform plans an object more than once, and several objects may have one chapter. It returns an error if all of
// them together exceed the bound: only once, because one error is enough for a plan to fail, and a thousand could not be read.
func (e *Engine) PlanProject(projectID string, most map[string]*int64) *BoundError {
	b := e.bill
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.most == nil || b.applying.Load() || len(most) == 0 {
		return nil
	}
	exceeded := &BoundError{Most: *b.most}
	for chapterID, characters := range most {
		key := chapterKey{projectID, chapterID}
		if characters == nil {
			exceeded.Uncounted++
			continue
		}
		exceeded.Characters = Sum(exceeded.Characters, *characters)
		b.planned[key] = max(*characters, b.planned[key])
	}
	for _, planned := range b.planned {
		exceeded.Together = Sum(exceeded.Together, planned)
	}
	if exceeded.Uncounted == 0 && exceeded.Together <= exceeded.Most || b.exceeded {
		return nil
	}
	b.exceeded = true
	return exceeded
}

// Applying tells whether the engine has been asked to convert or to wait, as only an apply or an action does.
func (e *Engine) Applying() bool { return e.bill.applying.Load() }

// reserve counts the characters of a request before it is sent. The error is a [*BoundError] if it must not be sent. If the service does
// not accept it, they are to be given back.
func (b *bill) reserve(demand Demand, chapter audioprojects.Chapter) (characters int64, err error) {
	if b.most == nil {
		return 0, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	most := demand.Characters(chapter)
	if most == nil {
		return 0, &BoundError{Uncounted: 1, Most: *b.most}
	}
	if together := Sum(b.requested, *most); together > *b.most {
		return 0, &BoundError{Characters: *most, Together: together, Most: *b.most}
	}
	b.requested += *most
	return *most, nil
}

func (b *bill) giveBack(characters int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requested -= characters
}
