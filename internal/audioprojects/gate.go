package audioprojects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
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

// gate is what all that the service sends passes on its way to the caller: what a terminal obeys is taken out, then the API key is hidden,
// and then it is bounded. In another order a character that is taken out could put together what was not there when the key was looked for.
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
	quoted         []byte // where something lacks: the answer, or the record that is kept of it
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
		p.refuse("the answer has more than %d MiB of text, which is the most that is read", maxTexts>>20)
	}
}

// pass brings all that has been decoded through the gate: each [Text], each [JSON], and each other text, which is an
// identifier that the answer must have. It must also have the lists with the tag list:"required".
func (p *passage) pass(where, name string, value reflect.Value) {
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
		p.id(where, name, *held)
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			p.pass(where, name, value.Elem())
		}
	case reflect.Slice:
		if p.records += value.Len(); p.records > maxRecords {
			p.refuse("the answer has %d records, and at most %d are read", p.records, maxRecords)
		}
		for i := 0; i < value.Len() && p.problem == nil; i++ {
			p.pass(fmt.Sprintf("element %d of %s's %s", i, where, name), "", value.Index(i))
		}
	case reflect.Struct:
		if record := value.FieldByName("Record"); record.IsValid() {
			p.quoted = []byte(record.String())
		}
		for field, part := range value.Fields() {
			name := field.Tag.Get("json")
			if field.Tag.Get("list") == "required" && part.IsNil() {
				p.refuse("%s has no list under %s; it reads %s", where, name, p.excerpt(string(p.quoted)))
			}
			p.pass(where, name, part)
		}
	}
}

// id refuses an identifier that is missing, or that cannot be shown: a changed one would name something else. Such a one is not
// quoted.
func (p *passage) id(where, name, id string) {
	switch {
	case id == "":
		p.refuse("%s has no %s; it reads %s", where, name, p.excerpt(string(p.quoted)))
	case strings.ContainsFunc(id, unseen):
		p.refuse("%s has a %s with control characters", where, name)
	case p.mask.Replace(id) != id:
		p.refuse("%s has a %s that holds the API key", where, name)
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
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	var value any
	_ = decoder.Decode(&value) // It is part of what has been decoded before.
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(p.value(value)) // What has been decoded is always encoded.
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
