package conversion

import (
	"flag"
	"slices"
)

// Rewrites reports whether tests record again what they compare.
func Rewrites() bool { return flag.Lookup("rewrite").Value.String() == "true" }

// RuleOrder is a rule that stands before another one of its table for a reason.
type RuleOrder struct {
	Number, Rival int
	Situations    []string // of both
}

// RuleOrders are those that matter.
func RuleOrders() (all []RuleOrder) {
	situations := RulesWithSituations()
	for _, t := range tables {
		rivals, _ := t.rivals()
		for number, rival := range rivals {
			all = append(all, RuleOrder{number, rival, slices.Concat(situations[number], situations[rival])})
		}
	}
	return all
}

// RulesWithSituations are the numbers of all rules, with their situations.
func RulesWithSituations() map[int][]string {
	all := map[int][]string{}
	for _, t := range tables {
		for _, each := range t.rules {
			all[each.number] = each.situations
		}
	}
	return all
}

// Move makes the engine ask a rule after its rival, and not before it.
func (e *Engine) Move(order RuleOrder) { e.rules = moved(e.rules, order) }

func moved(t *table, order RuleOrder) *table {
	changed := *t
	changed.rules = nil
	var late rule
	for _, each := range t.rules {
		if next, goesOn := each.then.(*table); goesOn {
			each.then = moved(next, order)
		}
		if each.number == order.Number {
			late = each
			continue
		}
		changed.rules = append(changed.rules, each)
		if each.number == order.Rival {
			changed.rules = append(changed.rules, late)
		}
	}
	return &changed
}
