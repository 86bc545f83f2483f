package audioprojects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What an answer may have. The memory that Terraform's plugin library takes for it follows from that.
const (
	// maxRecords bounds the elements of an answer's lists together.
	maxRecords = 25_000
	// maxTexts bounds the texts of an answer together, and its identifiers and records kept as JSON, in bytes.
	maxTexts = 16 << 20
	// maxName and maxText bound a name, a state or an error, and another text, in characters. They are cut there.
	maxName, maxText = 4096, 64 << 10
)

// gate is what all that the service sends passes on its way to the caller: decoded before, it is cleaned of what
// cannot be seen, then the API key is hidden in it, and then it is bounded. In another order a character that is taken
// out, or an escape that is read, could put together what was not there when the key was looked for.
type gate struct{ mask keyMask }

// excerpt is the beginning of a text from the service, or of a path, which a redirect may have changed: one line without
// control characters and the API key.
func (g gate) excerpt(text string) string {
	lines := strings.ReplaceAll(text[:min(len(text), maxRefusal)], "\r", "\n")
	return Text(g.mask.hide(string(newText(lines)))).Line()
}

// text is a text of an answer.
func (g gate) text(came string, characters int) Text {
	enough := came[:min(len(came), (characters+1)*utf8.UTFMax)]
	return Text(shortened(g.mask.hide(string(newText(enough))), characters))
}

// passage is that of one answer through the gate.
type passage struct {
	gate
	texts, records int
	// problem is what the answer is refused for first.
	problem error
}

// answer is one that the document describes.
type answer interface {
	// pass brings all that the answer holds through the gate.
	pass(p *passage)
}

// read decodes an answer, and passes it.
func (g gate) read(into answer, text []byte) error {
	if err := json.Unmarshal(text, into); err != nil {
		return err
	}
	p := &passage{gate: g}
	into.pass(p)
	return p.problem
}

func (p *passage) refuse(format string, arguments ...any) {
	if p.problem == nil {
		p.problem = &shapeError{problem: fmt.Sprintf(format, arguments...), unquoted: true}
	}
}

func (p *passage) count(text int) {
	if p.texts += text; p.texts > maxTexts {
		p.refuse("the answer has more than %d MiB of text, which is the most that is read", maxTexts>>20)
	}
}

func (p *passage) names(texts ...*Text) { p.bounded(maxName, texts) }
func (p *passage) prose(texts ...*Text) { p.bounded(maxText, texts) }

func (p *passage) bounded(characters int, texts []*Text) {
	for _, text := range texts {
		if text != nil && p.problem == nil {
			*text = p.text(string(*text), characters)
			p.count(len(*text))
		}
	}
}

// id refuses an identifier that is missing, or that cannot be shown: a changed one would name something else.
func (p *passage) id(where spot, name, id string) {
	switch {
	case id == "":
		p.problem = &shapeError{problem: fmt.Sprintf("%s has no %s", where, name), record: where.record}
	case strings.ContainsFunc(id, func(r rune) bool { return unicode.IsControl(r) || breaksLine(r) || misleads(r) }):
		p.refuse("%s has a %s with control characters", where, name)
	case p.mask.holds(id):
		p.refuse("%s has a %s that holds the API key", where, name)
	}
	p.count(len(id))
}

// spot is where in an answer something is.
type spot struct {
	list   string // empty for the answer as a whole
	index  int
	record json.RawMessage // the element, if it is kept as JSON
}

func (s spot) String() string {
	if s.list == "" {
		return "the answer"
	}
	return fmt.Sprintf("element %d of the answer's %s", s.index, s.list)
}

// elements passes the elements of a list.
func elements[T any](p *passage, list string, all []T, pass func(p *passage, where spot, element *T)) {
	if p.records += len(all); p.records > maxRecords {
		p.refuse("the answer has %d records, and at most %d are read", p.records, maxRecords)
	}
	for i := range all {
		if p.problem != nil {
			return
		}
		pass(p, spot{list: list, index: i}, &all[i])
	}
}

// json passes a JSON value whose shape is not known. It comes out with sorted keys and without white space, so that an
// unchanged value is the same text, and with its numbers as they are written; nil if it is null.
func (p *passage) json(raw json.RawMessage) json.RawMessage {
	if p.problem != nil || len(raw) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil || value == nil {
		return nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(p.value(value)) // What has been decoded is always encoded.
	p.count(text.Len())
	return bytes.Clone(bytes.TrimSpace(text.Bytes()))
}

func (p *passage) value(value any) any {
	switch value := value.(type) {
	case string:
		return p.text(value, maxText)
	case json.Number:
		if p.mask.holds(value.String()) {
			return hidden
		}
	case []any:
		for i, element := range value {
			value[i] = p.value(element)
		}
	case map[string]any:
		plain := make(map[string]any, len(value))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			plain[string(p.text(name, maxName))] = p.value(value[name])
		}
		return plain
	}
	return value
}
