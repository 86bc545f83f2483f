package conversion

import (
	"strings"
	"time"
)

// A rule says what follows from the facts of one look. The tables of the engine are lists of rules, in each of which the first rule that
// fits decides.
type rule struct {
	// number tells the rule from others, in the log and in errors. Between two rules there is room for more.
	number int
	// situations are the stories for which the rule is there: the names of files in testdata/situations.
	situations []string
	when       condition
	// then is what follows: a step of the provider, or another table.
	then consequence
	// reason explains the step. Without one, that of the rule that has led to this table does.
	reason Reason
	// sameFor is how long looks must lead to the same before it counts. Those that have led to this table may need longer.
	sameFor agreement
	// before is why this rule stands before the next one that fits some of its facts, and leads elsewhere; empty if there is none.
	before string
}

// consequence is a [Step], or a [*table].
type consequence interface{ then() string }

func (s Step) then() string   { return string(s) }
func (t *table) then() string { return "table *" + t.name + "*" }

// table is a list of rules about one question.
type table struct {
	name  string
	about string // the question
	// afterEnd: it is about a conversion that has ended well. So the remainder is what that has left, and no longer that of before.
	afterEnd bool
	rules    []rule
}

// condition is what a rule asks of the facts. It prints itself for the README.
type condition interface {
	holds(facts) bool
	String() string
}

// A fact is a condition. The others are made of facts.
func (f fact) holds(s facts) bool { return s.has(f) }

type (
	not       struct{ condition }
	allOf     []condition // they all hold
	anyOf     []condition // one of them holds
	otherwise struct{}    // always holds
)

func (c not) holds(s facts) bool   { return !c.condition.holds(s) }
func (otherwise) holds(facts) bool { return true }
func (c not) String() string       { return "not " + inBrackets(c.condition) }
func (c allOf) String() string     { return joinedBy(" and ", c) }
func (c anyOf) String() string     { return joinedBy(" or ", c) }
func (otherwise) String() string   { return "otherwise" }

func (c allOf) holds(s facts) bool {
	for _, each := range c {
		if !each.holds(s) {
			return false
		}
	}
	return true
}

func (c anyOf) holds(s facts) bool {
	for _, each := range c {
		if each.holds(s) {
			return true
		}
	}
	return false
}

func joinedBy(word string, conditions []condition) string {
	var texts []string
	for _, each := range conditions {
		texts = append(texts, inBrackets(each))
	}
	return strings.Join(texts, word)
}

func inBrackets(c condition) string {
	switch c.(type) {
	case allOf, anyOf:
		return "(" + c.String() + ")"
	default:
		return c.String()
	}
}

// agreement is how long looks must lead to the same conclusion before it counts. A later one is longer.
type agreement int

const (
	atOnce           agreement = iota
	onceInAPlan                // one look for a plan, a second look for an apply
	atASecondLook              // two looks, [SecondLook] apart
	afterTheWindow             // looks for a [Window]; a plan does not wait so long, and says that the apply does
	afterFiveMinutes           // looks for five minutes; a plan as above
)

// lasts is how long looks of an apply, or of a plan, must agree.
func (a agreement) lasts(applies bool) time.Duration {
	switch {
	case a == afterFiveMinutes:
		return LongestQueue
	case a == afterTheWindow:
		return Window
	case a == atASecondLook, a == onceInAPlan && applies:
		return SecondLook
	default:
		return 0
	}
}

// String is how the README says it: for an apply, and for a plan.
func (a agreement) String() string {
	return [...]string{"one look | one look", "5 s | one look", "5 s | 5 s", "30 s | says that the apply waits", "5 min | says that the apply waits"}[a]
}
