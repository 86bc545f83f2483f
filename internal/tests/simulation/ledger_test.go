package simulation_test

import (
	"fmt"
	"sync"
	"time"
)

// ledger counts what was wished for and what was paid for, and has the violations.
//
// A wish is one conversion of a chapter that somebody is owed: a new object has one, and so have new triggers, a new
// converted_after, and an edit that a block follows. The estimate (I2) is right if no more conversions were paid for than
// there were wishes, failures, and allowances.
type ledger struct {
	mu         sync.Mutex
	violations []violation
	exceptions map[string]int
	wishes     map[int]int           // by chapter
	allowed    map[int][]string      // by chapter: what it may be paid for beside the wishes
	edits      map[int]time.Duration // by chapter: until when an edit counts as a wish even without keep_up_to_date
}

// violation is a broken invariant.
type violation struct{ invariant, text string }

func newLedger() *ledger {
	return &ledger{
		wishes: map[int]int{}, exceptions: map[string]int{},
		allowed: map[int][]string{}, edits: map[int]time.Duration{},
	}
}

func (l *ledger) addViolation(invariant, format string, arguments ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.violations = append(l.violations, violation{invariant, fmt.Sprintf(format, arguments...)})
}

// except counts an exception: a check would have been broken, and nobody could know better.
func (l *ledger) except(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.exceptions[what]++
}

// allow lets a chapter be paid for once more. That counts as an exception only if it is paid for so often.
func (l *ledger) allow(chapter int, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.allowed[chapter] = append(l.allowed[chapter], what)
}

// wish counts a wish.
func (l *ledger) wish(chapter int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wishes[chapter]++
}

// wish is what a block still needs for a chapter.
type wish struct {
	*resource
	chapter int

	fresh       bool          // no apply has begun to fulfil it yet
	again       bool          // triggers have changed, or somebody used -replace, so converted text is converted again
	retriggered time.Duration // when the triggers of an object that had some last changed; 0: never
	forgot      bool          // a book was replaced, and what it had in its private state was given to nobody
	handedOver  bool          // our own conversion is pending for a book under the block's former name
	ticket      uint64        // the text for which our own pending conversion was requested
}
