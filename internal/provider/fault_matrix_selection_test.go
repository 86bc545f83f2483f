package provider_test

import "testing"

// pair is two values that are in the same story, and their columns.
type pair struct {
	column, otherColumn int
	value, otherValue   string
}

func (s story) pairs() (all []pair) {
	values := s.values()
	for column, value := range values {
		for other := range column {
			all = append(all, pair{column, other, value, values[other]})
		}
	}
	return all
}

// selection is a part of the stories in which every two values meet that meet in any of them:
// what goes wrong needs two things to come together more often than three. First it takes the
// stories whose values all meet for the first time, and at last those in which only two do.
func selection(all []story) (selected []story) {
	met, pairs := map[pair]bool{}, make([][]pair, len(all))
	for i, s := range all {
		pairs[i] = s.pairs()
	}
	for least := len(pairs[0]); least > 0; least-- {
		for i, s := range all {
			fresh := 0
			for _, p := range pairs[i] {
				if !met[p] {
					fresh++
				}
			}
			if fresh < least {
				continue
			}
			selected = append(selected, s)
			for _, p := range pairs[i] {
				met[p] = true
			}
		}
	}
	return selected
}

func TestEveryTwoValuesMeetInTheSelection(t *testing.T) {
	t.Parallel()
	all := stories()
	selected := selection(all)
	meets := map[pair]bool{}
	for _, s := range selected {
		for _, p := range s.pairs() {
			meets[p] = true
		}
	}
	missed := map[pair]bool{}
	for _, s := range all {
		for _, p := range s.pairs() {
			if !meets[p] {
				missed[p] = true
			}
		}
	}
	if len(missed) > 0 {
		t.Errorf("%d of %d pairs of values do not meet in %d of %d stories: %v", len(missed), len(missed)+len(meets), len(selected), len(all), missed)
	}
}
