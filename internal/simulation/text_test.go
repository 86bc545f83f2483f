package simulation_test

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A story is written as lines. Each begins with what it is about, and has the fields that are not as usual:
//
//	chapter paragraphs=3 busy=processing
//	conversion takes=1m                     of the chapter, or of the event, above it
//	block keep
//	run pause=2s interrupt=5s
//	event append at=1s paragraphs=2         of the run above it
//	change triggers block=2                 of the run above it
//	post eof after                          a request for a conversion that goes wrong; get: a request for a list
//
// Chapters and blocks are numbered from 1. A number that stands for a habit has a word, in the field's tag.

// lineOf writes one line, without what has lines of its own.
func lineOf(keyword string, of any) string {
	line := keyword
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		if value.IsZero() || field.Name == "Seed" || value.Kind() == reflect.Slice && value.Len() == 0 {
			continue
		}
		switch name := kebab(field.Name); {
		case name == "what":
			line = keyword + " " + value.String() + strings.TrimPrefix(line, keyword)
		case value.Kind() == reflect.Bool:
			line += " " + name
		case value.Kind() == reflect.Struct, value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Struct:
		default:
			line += " " + name + "=" + valueText(field, value)
		}
	}
	return line
}

var capital = regexp.MustCompile(`[a-z][A-Z]`)

func kebab(name string) string {
	return strings.ToLower(capital.ReplaceAllStringFunc(name, func(two string) string { return two[:1] + "-" + two[1:] }))
}

func valueText(field reflect.StructField, v reflect.Value) string {
	words := strings.Fields(field.Tag.Get("words"))
	switch {
	case v.Kind() == reflect.Slice:
		var texts []string
		for i := range v.Len() {
			texts = append(texts, valueText(field, v.Index(i)))
		}
		return strings.Join(texts, ",")
	case v.Type() == durations:
		text := time.Duration(v.Int()).String()
		text = regexp.MustCompile(`([hm])0s$`).ReplaceAllString(text, "$1")
		return regexp.MustCompile(`(h)0m$`).ReplaceAllString(text, "$1")
	case v.Kind() == reflect.String:
		return strings.ReplaceAll(v.String(), " ", "_")
	case len(words) > 0:
		return words[v.Int()]
	case field.Tag.Get("from") == "1":
		return strconv.FormatInt(v.Int()+1, 10)
	}
	return fmt.Sprint(v.Interface())
}

// text writes a story, without its seed.
func (s *story) text() string {
	lines := []string{strings.TrimSpace(lineOf("service", *s))}
	if lines[0] == "service" {
		lines = nil
	}
	add := func(keyword string, of any) { lines = append(lines, lineOf(keyword, of)) }
	for _, h := range s.Chapters {
		add("chapter", h)
		for _, c := range h.Conversions {
			add("conversion", c)
		}
	}
	for _, b := range s.Blocks {
		add("block", b)
	}
	for _, r := range s.Rounds {
		add("run", r)
		for _, change := range r.Changes {
			add("change", change)
		}
		for _, e := range r.Events {
			add("event", e)
			if e.Conversion != (conversion{}) {
				add("conversion", e.Conversion)
			}
		}
	}
	for _, f := range s.Posts {
		add("post", f)
	}
	for _, f := range s.Gets {
		add("get", f)
	}
	return strings.Join(lines, "\n") + "\n"
}

// parseStory reads what text has written.
func parseStory(text string) (s *story, err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			err = fmt.Errorf("%v", trouble)
		}
	}()
	s = &story{}
	var of any // what the line above can have conversions of
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "service":
			parseLine(words, s)
		case "chapter":
			of = appended(&s.Chapters, words)
		case "block":
			appended(&s.Blocks, words)
		case "run":
			appended(&s.Rounds, words)
		case "change":
			appended(&s.Rounds[len(s.Rounds)-1].Changes, words)
		case "event":
			of = appended(&s.Rounds[len(s.Rounds)-1].Events, words)
		case "post":
			appended(&s.Posts, words)
		case "get":
			appended(&s.Gets, words)
		case "conversion":
			if chapter, is := of.(*habits); is {
				appended(&chapter.Conversions, words)
			} else {
				parseLine(words, &of.(*event).Conversion)
			}
		default:
			return nil, fmt.Errorf("no story has a line %q", words[0])
		}
	}
	if !s.valid() {
		return nil, fmt.Errorf("a chapter is named that does not exist, or a failure has no error")
	}
	return s, nil
}

func appended[T any](to *[]T, words []string) *T {
	*to = append(*to, *new(T))
	last := &(*to)[len(*to)-1]
	parseLine(words, last)
	return last
}

func parseLine(words []string, into any) {
	v := reflect.ValueOf(into).Elem()
	for i, word := range words[1:] {
		name, text, given := strings.Cut(word, "=")
		index := slices.IndexFunc(reflect.VisibleFields(v.Type()), func(f reflect.StructField) bool { return kebab(f.Name) == name })
		switch {
		case index >= 0 && !given && v.Field(index).Kind() == reflect.Bool:
			v.Field(index).SetBool(true)
		case index >= 0 && given:
			parseValue(v.Type().Field(index), v.Field(index), text)
		case i == 0 && !given && v.FieldByName("What").IsValid():
			v.FieldByName("What").SetString(word)
		default:
			panic(fmt.Sprintf("%s has no %q", words[0], word))
		}
	}
}

func parseValue(field reflect.StructField, v reflect.Value, text string) {
	words := strings.Fields(field.Tag.Get("words"))
	switch {
	case v.Kind() == reflect.Slice:
		for _, one := range strings.Split(text, ",") {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			parseValue(field, v.Index(v.Len()-1), one)
		}
	case v.Type() == durations:
		d, err := time.ParseDuration(text)
		must(err)
		v.SetInt(int64(d))
	case v.Kind() == reflect.String:
		v.SetString(strings.ReplaceAll(text, "_", " "))
	case len(words) > 0:
		number := slices.Index(words, text)
		if number < 0 {
			panic(fmt.Sprintf("%s is none of %v", text, words))
		}
		v.SetInt(int64(number))
	default:
		number, err := strconv.ParseInt(text, 10, 64)
		must(err)
		if field.Tag.Get("from") == "1" {
			number--
		}
		v.SetInt(number)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
