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
	// maxRecords bounds the elements of an answer's lists together.
	maxRecords = 25_000
	// maxTexts bounds the texts of an answer together, and its identifiers and records kept as JSON, in bytes.
	maxTexts = 16 << 20
	// maxText bounds a text, in characters. It is cut there.
	maxText = 16 << 10
)

// gate sanitizes everything that the service sends. It is decoded, cleaned of invisible characters, freed of the key, then cut: in this
// order. In another order, the key could appear only when an invisible character between its parts is removed.
type gate struct{ mask *strings.Replacer }

// excerpt is the beginning of a text from the service, or of a path, which a redirect may have changed: one line without
// control characters and the API key.
func (g gate) excerpt(text string) string {
	lines := strings.ReplaceAll(text[:min(len(text), maxRefusal)], "\r", "\n")
	return Text(g.mask.Replace(clean(lines))).Line()
}

// text is a text of an answer, as a value of the state.
func (g gate) text(came string) Text {
	enough := came[:min(len(came), (maxText+1)*utf8.UTFMax)]
	value := g.withoutKey(asValue(enough))
	if len(value) > maxText {
		value = asValue(shortened(value, maxText)) // It may have been cut between CR and LF.
	}
	return Text(value)
}

// withoutKey hides the API key in a value, and in the line that is printed of it. Where characters that cannot be seen are between those of
// the key, the line would put it together, so that the value is this line.
func (g gate) withoutKey(value string) string {
	value = g.mask.Replace(value)
	if !strings.ContainsFunc(value, unseen) {
		return value
	}
	line := clean(value)
	masked := g.mask.Replace(line)
	if masked != line {
		return masked
	}
	return value
}

// passage is that of one answer through the gate.
type passage struct {
	gate
	answer, named  []byte // as it came, and as an object that names its list
	texts, records int
	// problem is what the answer is refused for first.
	problem error
}

func (p *passage) refuse(format string, arguments ...any) {
	if p.problem == nil {
		p.problem = fmt.Errorf(format, arguments...)
	}
}

func (p *passage) count(text int) {
	if p.texts += text; p.texts > maxTexts {
		p.refuse("the answer has more than %d MiB of text, which is the largest amount that the provider reads", maxTexts>>20)
	}
}

func (p *passage) refuseRecords(count int) {
	p.refuse("the answer has %d records, and the provider reads at most %d", count, maxRecords)
}

// refuseLack refuses an answer in which something lacks that the record at the place must have.
func (p *passage) refuseLack(place, what string) {
	quoted := p.excerpt(string(p.answer))
	if place != "" {
		quoted = p.quote(p.at(place))
	}
	p.refuse("%s has no %s; it reads %s", recordAt(place), what, quoted)
}

// recordAt names a record by its place.
func recordAt(place string) string {
	list, element, isElement := strings.Cut(place, ".")
	if !isElement {
		return "the answer"
	}
	return "element " + element + " of the answer's " + list
}

// pass brings all that has been decoded through the gate: each [Text], each [JSON], and each other text, which is an
// identifier that the answer must have. It must also have the lists with the tag list:"required".
func (p *passage) pass(place, name string, value reflect.Value) {
	switch held := value.Addr().Interface().(type) {
	case *Text:
		*held = p.text(string(*held))
		p.count(len(*held))
		return
	case *JSON:
		*held = p.json(*held)
		p.count(len(*held))
		return
	case *string:
		p.id(place, name, *held)
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			p.pass(place, name, value.Elem())
		}
	case reflect.Slice:
		if p.records += value.Len(); p.records > maxRecords {
			p.refuseRecords(p.records)
		}
		for i := 0; i < value.Len() && p.problem == nil; i++ {
			p.pass(inside(inside(place, name), strconv.Itoa(i)), "", value.Index(i))
		}
	case reflect.Struct:
		for field, part := range value.Fields() {
			name := field.Tag.Get("json")
			if field.Tag.Get("list") == "required" && part.IsNil() {
				p.refuseLack(place, "list under "+name)
			}
			p.pass(place, name, part)
		}
	}
}

// id refuses an identifier that is missing, or that cannot be shown: a changed one would name something else. Such a one is not
// quoted.
func (p *passage) id(place, name, id string) {
	switch {
	case id == "":
		p.refuseLack(place, name)
	case strings.ContainsFunc(id, unseen):
		p.refuse("%s has a %s with control characters", recordAt(place), name)
	case p.mask.Replace(id) != id:
		p.refuse("%s has a %s that contains the API key", recordAt(place), name)
	}
	p.count(len(id))
}

// JSON is a JSON value whose shape is not known, as text with sorted keys and without white space.
type JSON string

// UnmarshalJSON never fails.
func (j *JSON) UnmarshalJSON(text []byte) error {
	*j = JSON(text)
	return nil
}

// json passes a JSON value. It comes out with sorted keys and without white space, so that an unchanged value is the same
// text, and with its numbers as they are written.
func (p *passage) json(raw JSON) JSON {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(p.value(decoded(strings.NewReader(string(raw))))) // What has been decoded is always encoded.
	return JSON(strings.TrimSpace(text.String()))
}

func (p *passage) value(value any) any {
	switch value := value.(type) {
	case string:
		return p.text(value)
	case json.Number:
		if p.mask.Replace(value.String()) != value.String() {
			return hidden
		}
	case []any:
		for i, element := range value {
			value[i] = p.value(element)
		}
	case map[string]any:
		plain := make(map[string]any, len(value))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			plain[string(p.text(name))] = p.value(value[name])
		}
		return plain
	}
	return value
}
