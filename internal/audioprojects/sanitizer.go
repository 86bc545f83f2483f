package audioprojects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What an answer may have. The memory that Terraform's plugin library takes for it follows from that.
const (
	// maxRecords limits the elements of an answer's lists together.
	maxRecords = 25_000
	// maxTexts limits the texts of an answer together, and its identifiers and records kept as JSON, in bytes.
	maxTexts = 16 << 20
	// maxText limits a text, in characters. It is cut there.
	maxText = 16 << 10
)

// sanitizer sanitizes everything that the service sends. It is decoded, cleaned of invisible characters, freed of the key, then cut: in
// this order. In another order, the key could appear only when an invisible character between its parts is removed.
type sanitizer struct{ mask *strings.Replacer }

// excerpt is the beginning of a text from the service, or of a path, which a redirect may have changed: one line without
// control characters and the API key.
func (s sanitizer) excerpt(text string) string {
	lines := strings.ReplaceAll(text[:min(len(text), maxRefusal)], "\r", "\n")
	return Text(s.mask.Replace(clean(lines))).Line()
}

// text is a text of an answer, as a value of the state.
func (s sanitizer) text(came string) Text {
	enough := came[:min(len(came), (maxText+1)*utf8.UTFMax)]
	value := s.withoutKey(asValue(enough))
	if len(value) > maxText {
		value = asValue(shortened(value, maxText)) // It may have been cut between CR and LF.
	}
	return Text(value)
}

// withoutKey hides the API key in a value, and in the line that is printed of it. Where characters that cannot be seen are between those of
// the key, the line would put it together, so that the value is this line.
func (s sanitizer) withoutKey(value string) string {
	value = s.mask.Replace(value)
	if !strings.ContainsFunc(value, unseen) {
		return value
	}
	line := clean(value)
	masked := s.mask.Replace(line)
	if masked != line {
		return masked
	}
	return value
}

// answerSanitizer sanitizes one answer.
type answerSanitizer struct {
	sanitizer
	answer, named  []byte // as it came, and as an object that names its list
	texts, records int
	// problem is what the answer is refused for first.
	problem error
}

func (a *answerSanitizer) refuse(format string, arguments ...any) {
	if a.problem == nil {
		a.problem = fmt.Errorf(format, arguments...)
	}
}

func (a *answerSanitizer) count(text int) {
	a.texts += text
	if a.texts > maxTexts {
		a.refuse("the answer has more than %d MiB of text, which is the largest amount that the provider reads", maxTexts>>20)
	}
}

func (a *answerSanitizer) refuseRecords(count int) {
	a.refuse("the answer has %d records, and the provider reads at most %d", count, maxRecords)
}

// refuseLack refuses an answer in which something lacks that the record at the place must have.
func (a *answerSanitizer) refuseLack(place, what string) {
	quoted := a.excerpt(string(a.answer))
	if place != "" {
		quoted = a.quote(a.at(place))
	}
	a.refuse("%s has no %s; it reads %s", recordAt(place), what, quoted)
}

// recordAt names a record by its place.
func recordAt(place string) string {
	list, element, isElement := strings.Cut(place, ".")
	if !isElement {
		return "the answer"
	}
	return "element " + element + " of the answer's " + list
}

// sanitize sanitizes all that has been decoded: each [Text], each [JSON], and each other text, which is an
// identifier that the answer must have. It must also have the lists with the tag list:"required".
func (a *answerSanitizer) sanitize(place, name string, value reflect.Value) {
	switch held := value.Addr().Interface().(type) {
	case *Text:
		*held = a.text(string(*held))
		a.count(len(*held))
		return
	case *JSON:
		*held = a.json(*held)
		a.count(len(*held))
		return
	case *string:
		a.id(place, name, *held)
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			a.sanitize(place, name, value.Elem())
		}
	case reflect.Slice:
		a.records += value.Len()
		if a.records > maxRecords {
			a.refuseRecords(a.records)
		}
		for i := 0; i < value.Len() && a.problem == nil; i++ {
			a.sanitize(inside(inside(place, name), strconv.Itoa(i)), "", value.Index(i))
		}
	case reflect.Struct:
		for field, part := range value.Fields() {
			name := field.Tag.Get("json")
			if field.Tag.Get("list") == "required" && part.IsNil() {
				a.refuseLack(place, "list under "+name)
			}
			a.sanitize(place, name, part)
		}
	}
}

// id refuses an identifier that is missing, or that cannot be shown: a changed one would name something else. Such a one is not
// quoted.
func (a *answerSanitizer) id(place, name, id string) {
	switch {
	case id == "":
		a.refuseLack(place, name)
	case strings.ContainsFunc(id, unseen):
		a.refuse("%s has a %s with control characters", recordAt(place), name)
	case a.mask.Replace(id) != id:
		a.refuse("%s has a %s that contains the API key", recordAt(place), name)
	}
	a.count(len(id))
}

// JSON is a JSON value whose shape is not known, as text with sorted keys and without white space.
type JSON string

// UnmarshalJSON never fails.
func (j *JSON) UnmarshalJSON(text []byte) error {
	*j = JSON(text)
	return nil
}

// json sanitizes a JSON value. It comes out with sorted keys and without white space, so that an unchanged value is the same
// text, and with its numbers as they are written.
func (a *answerSanitizer) json(raw JSON) JSON {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(a.value(decoded(strings.NewReader(string(raw))))) // What has been decoded is always encoded.
	return JSON(strings.TrimSpace(text.String()))
}

func (a *answerSanitizer) value(value any) any {
	switch value := value.(type) {
	case string:
		return a.text(value)
	case json.Number:
		if a.mask.Replace(value.String()) != value.String() {
			return hidden
		}
	case []any:
		for i, element := range value {
			value[i] = a.value(element)
		}
	case map[string]any:
		plain := make(map[string]any, len(value))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			plain[string(a.text(name))] = a.value(value[name])
		}
		return plain
	}
	return value
}
