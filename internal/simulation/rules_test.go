package simulation_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	engine "github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// rules count what the engine decided. A rule is named after the decision that it leads to when nothing changes any more.
type rules struct {
	mu      sync.Mutex
	decided map[string]ruleCount
}

// ruleCount says how often a rule decided, and how often it had the last word in an apply, and in a plan or a refresh.
type ruleCount struct{ decided, last, foretold int }

func ruleOf(d engine.Decision) string {
	if d.Reason == engine.NoReason {
		return string(d.Step)
	}
	return fmt.Sprintf("%s, %s", d.Step, d.Reason)
}

func (r *rules) note(o engine.Observed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	count := ruleCount{decided: 1}
	switch {
	case o.Decision.Step == engine.Wait || o.Decision.Step == engine.Look:
	case o.Predicted:
		count.foretold = 1
	default:
		count.last = 1
	}
	r.add(ruleOf(o.Concluded), count)
}

func (r *rules) add(rule string, more ruleCount) {
	if r.decided == nil {
		r.decided = map[string]ruleCount{}
	}
	so := r.decided[rule]
	r.decided[rule] = ruleCount{so.decided + more.decided, so.last + more.last, so.foretold + more.foretold}
}

// table is what a run of many stories ends with: the rarest rule last, and those that never decided.
func (r *rules) table() string {
	// Without those that say why the engine waits for a rule to be sure.
	for _, reason := range []engine.Reason{
		engine.NothingLeft, engine.NoSign, engine.Remainder, engine.Converting, engine.NotShown, engine.Error, engine.OldError, engine.Nothing,
		engine.Refused, engine.NoSignBefore, engine.OpenText, engine.NewTriggers, engine.Outdated,
	} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(r.decided)), func(rule string) bool { return strings.HasSuffix(rule, ", "+string(reason)) }) {
			r.add("?, "+string(reason), ruleCount{})
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s %10s %10s %10s\n", "rule", "decided", "last word", "foretold")
	byCount := func(a, b string) int {
		return cmp.Or(cmp.Compare(r.decided[b].decided, r.decided[a].decided), strings.Compare(a, b))
	}
	for _, rule := range slices.SortedFunc(maps.Keys(r.decided), byCount) {
		so := r.decided[rule]
		fmt.Fprintf(&b, "%-28s %10d %10d %10d\n", rule, so.decided, so.last, so.foretold)
	}
	return b.String()
}
