package simulation_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	engine "github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// rules count how often each rule of the engine decided. A rule is named after the decision that it leads to when nothing
// changes any more.
type rules map[string]int

func ruleOf(d engine.Decision) string {
	if d.Reason == engine.NoReason {
		return string(d.Step)
	}
	return fmt.Sprintf("%s, %s", d.Step, d.Reason)
}

// table is what a run of many stories ends with: the rarest rule last. A reason that never decided stands there, too.
func (r rules) table() string {
	rows := maps.Clone(r)
	for _, reason := range []engine.Reason{
		engine.NothingLeft, engine.NoSign, engine.ErrorStays, engine.Converting, engine.NotShown, engine.Error,
		engine.Nothing, engine.Refused, engine.StillUnconfirmed, engine.UnconvertedText, engine.NewTriggers, engine.Outdated, engine.DateUnusable,
	} {
		gives := func(rule string) bool { return strings.HasSuffix(rule, ", "+string(reason)) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(r)), gives) {
			rows["?, "+string(reason)] = 0
		}
	}
	byCount := func(a, b string) int { return cmp.Or(cmp.Compare(rows[b], rows[a]), strings.Compare(a, b)) }
	var b strings.Builder
	for _, rule := range slices.SortedFunc(maps.Keys(rows), byCount) {
		fmt.Fprintf(&b, "%-28s %10d\n", rule, rows[rule])
	}
	return b.String()
}
