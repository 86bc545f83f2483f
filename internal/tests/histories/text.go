package histories

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A history is written as lines. Each begins with what it is about, and has the fields that are not as usual:
//
//	chapter paragraphs=3 busy=processing
//	conversion takes=1m                     of the chapter, or of the event, above it
//	resource keep
//	run pause=2s interrupt=5s
//	event append at=1s paragraphs=2         of the run above it
//	change triggers resource=2                 of the run above it
//	post eof after                          a request for a conversion that goes wrong; get: a request for a list
//
// Chapters and resources are numbered from 1. A number that stands for a habit has a word, in the field's tag.

// String writes a history, as Parse reads it.
func (h *History) String() string {
	return strings.TrimPrefix(linesOf("service", reflect.ValueOf(*h)), "service\n")
}

// linesOf writes a line, and below it what has lines of its own.
func linesOf(keyword string, of reflect.Value) string {
	line, below := keyword, ""
	for i := range of.NumField() {
		field, value := of.Type().Field(i), of.Field(i)
		own := field.Tag.Get("line")
		name := kebab(field.Name)
		switch {
		case value.IsZero(), value.Kind() == reflect.Slice && value.Len() == 0:
		case own != "" && value.Kind() == reflect.Slice:
			for i := range value.Len() {
				below += linesOf(own, value.Index(i))
			}
		case own != "":
			below += linesOf(own, value)
		case name == "what":
			line = keyword + " " + value.String() + strings.TrimPrefix(line, keyword)
		case value.Kind() == reflect.Bool:
			line += " " + name
		default:
			line += " " + name + "=" + valueText(field, value)
		}
	}
	return line + "\n" + below
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
	case v.Type() == durationType:
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

// Parse reads what String has written.
func Parse(text string) (h *History, err error) {
	defer func() {
		trouble := recover()
		if trouble != nil {
			err = fmt.Errorf("%v", trouble)
		}
	}()
	h = &History{}
	above := []reflect.Value{reflect.ValueOf(h).Elem()} // whose lines the next one may be below
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		of := above[0]
		for words[0] != "service" {
			of = placeBelow(above[len(above)-1], words[0])
			if of.IsValid() {
				above = append(above, of)
				break
			}
			above = above[:len(above)-1]
			if len(above) == 0 {
				return nil, fmt.Errorf("no history has a line %q there", words[0])
			}
		}
		parseLine(words, of)
	}
	if !h.valid() {
		return nil, fmt.Errorf("a chapter is named that does not exist, or a failure has no error")
	}
	return h, nil
}

// placeBelow is where the content of a line goes; it is not valid if the line cannot be below the other.
func placeBelow(above reflect.Value, keyword string) (place reflect.Value) {
	for i := range above.NumField() {
		if above.Type().Field(i).Tag.Get("line") == keyword {
			place = above.Field(i)
		}
	}
	if place.IsValid() && place.Kind() == reflect.Slice {
		place.Set(reflect.Append(place, reflect.Zero(place.Type().Elem())))
		place = place.Index(place.Len() - 1)
	}
	return place
}

func parseLine(words []string, v reflect.Value) {
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
	case v.Type() == durationType:
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

var durationType = reflect.TypeFor[time.Duration]()

// valid says whether all chapters and resources that are named exist.
func (h *History) valid() bool {
	ok := len(h.Chapters) > 0 && len(h.Chapters) <= len(chapterIDs)
	for _, r := range h.Resources {
		ok = ok && r.Chapter < len(h.Chapters)
	}
	for _, r := range h.Runs {
		for _, c := range r.Changes {
			ok = ok && c.Resource < len(h.Resources)
		}
		for _, e := range r.Events {
			ok = ok && e.Chapter < len(h.Chapters)
		}
	}
	return ok
}
