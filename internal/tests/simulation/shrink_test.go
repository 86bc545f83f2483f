package simulation_test

import (
	"reflect"
	"slices"
	"time"
)

const shrinkings = 300 // plays at most

// shrink makes a story smaller, field by field, as long as it still breaks the same invariant.
func shrink(s *story, broken func(*story) bool) (small *story, runs int) {
	small = s.copy()
	for again := true; again; {
		again = false
		for i := 0; runs < shrinkings; i++ {
			candidate := small.copy()
			step := smaller{at: i}
			step.value(reflect.ValueOf(candidate).Elem())
			if !step.done {
				break
			}
			if !candidate.valid() {
				continue
			}
			runs++
			if broken(candidate) {
				small = candidate
				again = true
				i-- // the next change has this number now
			}
		}
	}
	return small, runs
}

func (s *story) copy() *story {
	same, err := parseStory(s.text())
	must(err)
	return same
}

// valid says whether every chapter that is named exists, and every failure has an error text.
func (s *story) valid() bool {
	lacks := func(chapter int) bool { return chapter >= len(s.Chapters) }
	for _, b := range s.Blocks {
		if lacks(b.Chapter) || slices.ContainsFunc(b.Chapters, lacks) {
			return false
		}
	}
	for _, c := range s.Chapters {
		if slices.ContainsFunc(c.Conversions, conversion.lacksError) {
			return false
		}
	}
	for _, r := range s.Rounds {
		if slices.ContainsFunc(r.Events, func(e event) bool { return e.Conversion.lacksError() }) ||
			slices.ContainsFunc(r.Changes, func(c change) bool { return slices.ContainsFunc(c.Chapters, lacks) }) {
			return false
		}
	}
	return len(s.Chapters) > 0
}

func (c conversion) lacksError() bool { return c.Ends == endsInError && c.Error == 0 }

// smaller makes the change with the given number, if there are so many.
type smaller struct {
	at   int
	done bool
}

// mine says whether the present change has that number.
func (s *smaller) mine() bool {
	if s.done {
		return false
	}
	s.at--
	s.done = s.at < 0
	return s.done
}

var durations = reflect.TypeFor[time.Duration]()

func (s *smaller) value(v reflect.Value) {
	switch {
	case s.done:
	case v.Kind() == reflect.Slice:
		for i := 0; i < v.Len() && !s.done; i++ {
			if s.mine() {
				v.Set(reflect.AppendSlice(v.Slice(0, i), v.Slice(i+1, v.Len())))
				return
			}
		}
		for i := 0; i < v.Len() && !s.done; i++ {
			s.value(v.Index(i))
		}
	case v.Kind() == reflect.Struct:
		if !v.IsZero() && v.Type() == reflect.TypeFor[conversion]() && s.mine() {
			v.SetZero()
			return
		}
		for i := 0; i < v.NumField() && !s.done; i++ {
			name := v.Type().Field(i).Name
			if name != "Seed" && name != "What" && name != "Status" {
				s.value(v.Field(i))
			}
		}
	case v.IsZero():
	case v.Type() == durations:
		for _, simple := range []time.Duration{0, time.Second, 10 * time.Second, time.Minute} {
			if v.Int() > int64(simple) && s.mine() {
				v.SetInt(int64(simple))
				return
			}
		}
	case s.mine():
		v.SetZero()
	}
}
