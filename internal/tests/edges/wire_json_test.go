package edges_test

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
)

// wireNode is a value of an answer, with its fields in their order and all as it was written.
type wireNode struct {
	kind     jsontext.Kind
	raw      string // of what has no parts
	fields   []wireField
	elements []*wireNode
}

// wireField is a field of an object.
type wireField struct {
	name  string
	value *wireNode
}

// wireParse reads JSON.
func wireParse(text string) *wireNode {
	decoder := jsontext.NewDecoder(strings.NewReader(text))
	return wireDecode(decoder)
}

func wireDecode(decoder *jsontext.Decoder) *wireNode {
	node := &wireNode{kind: decoder.PeekKind()}
	if node.kind != '{' && node.kind != '[' {
		value, err := decoder.ReadValue()
		if err != nil {
			panic(err)
		}
		node.raw = string(value)
		return node
	}
	mustToken(decoder)
	for decoder.PeekKind() != '}' && decoder.PeekKind() != ']' {
		name := ""
		if node.kind == '{' {
			name = mustToken(decoder).String()
		}
		value := wireDecode(decoder)
		if node.kind == '{' {
			node.fields = append(node.fields, wireField{name, value})
		} else {
			node.elements = append(node.elements, value)
		}
	}
	mustToken(decoder)
	return node
}

func mustToken(decoder *jsontext.Decoder) jsontext.Token {
	token, err := decoder.ReadToken()
	if err != nil {
		panic(err)
	}
	return token
}

// wireStyle is how JSON is written. The zero value has no white space and no escapes.
type wireStyle struct {
	space   string // between two tokens
	escapes bool   // each character of a text is escaped
	number  func(string) string
}

func (s wireStyle) text(node *wireNode) string {
	switch node.kind {
	case '{':
		parts := make([]string, len(node.fields))
		for i, field := range node.fields {
			name, err := jsontext.AppendQuote(nil, field.name)
			if err != nil {
				panic(err)
			}
			parts[i] = s.quoted(string(name)) + s.space + ":" + s.space + s.text(field.value)
		}
		return "{" + s.space + strings.Join(parts, s.space+","+s.space) + s.space + "}"
	case '[':
		parts := make([]string, len(node.elements))
		for i, element := range node.elements {
			parts[i] = s.text(element)
		}
		return "[" + s.space + strings.Join(parts, s.space+","+s.space) + s.space + "]"
	case '"':
		return s.quoted(node.raw)
	case '0':
		if s.number != nil {
			return s.number(node.raw)
		}
	}
	return node.raw
}

func (s wireStyle) quoted(raw string) string {
	if !s.escapes {
		return raw
	}
	plain, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(string(plain))) {
		fmt.Fprintf(&b, `\u%04x`, unit)
	}
	return `"` + b.String() + `"`
}

// objects are the objects at a place, such as chapters[].statistics; the whole answer is at the empty one.
func (n *wireNode) at(place string) []*wireNode {
	found := []*wireNode{n}
	for step := range strings.SplitSeq(place, ".") {
		if step == "" {
			continue
		}
		name, isList := strings.CutSuffix(step, "[]")
		var next []*wireNode
		for _, node := range found {
			value := node
			if name != "" {
				value = node.field(name)
			}
			switch {
			case value == nil:
			case isList:
				next = append(next, value.elements...)
			default:
				next = append(next, value)
			}
		}
		found = next
	}
	return found
}

// field is the value of a field; nil if there is none.
func (n *wireNode) field(name string) *wireNode {
	i := slices.IndexFunc(n.fields, func(f wireField) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return n.fields[i].value
}

// objects are all objects in a value, itself first.
func (n *wireNode) objects() (all []*wireNode) {
	if n.kind == '{' {
		all = append(all, n)
	}
	for _, field := range n.fields {
		all = append(all, field.value.objects()...)
	}
	for _, element := range n.elements {
		all = append(all, element.objects()...)
	}
	return all
}
