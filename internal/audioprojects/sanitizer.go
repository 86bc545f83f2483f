package audioprojects

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxText limits a text, in characters. It is cut there.
const maxText = 16 << 10

// sanitizer sanitizes everything that the service sends. It is decoded, cleaned of invisible characters, freed of the key, then cut: in
// this order. In another order, the key could appear only when an invisible character between its parts is removed.
type sanitizer struct{ mask *strings.Replacer }

// excerpt is the beginning of a text from the service, or of a path, which a redirect may have changed: one line without
// control characters and the API key.
func (s sanitizer) excerpt(text string) string {
	lines := strings.ReplaceAll(text[:min(len(text), maxErrorBody)], "\r", "\n")
	return Text(s.mask.Replace(withoutInvisible(lines))).Line()
}

// text is a text of an answer, as a value of the state.
func (s sanitizer) text(came string) Text {
	enough := came[:min(len(came), (maxText+1)*utf8.UTFMax)]
	value := s.maskKey(withoutControls(enough))
	if len(value) > maxText {
		value = withoutControls(truncated(value, maxText)) // It may have been cut between CR and LF.
	}
	return Text(value)
}

// maskKey hides the API key in a value, and in the line that is printed of it. Where characters that cannot be seen are between those of
// the key, the line would put it together, so that the value is this line.
func (s sanitizer) maskKey(value string) string {
	value = s.mask.Replace(value)
	if !strings.ContainsFunc(value, isInvisible) {
		return value
	}
	line := withoutInvisible(value)
	masked := s.mask.Replace(line)
	if masked != line {
		return masked
	}
	return value
}

// sanitize sanitizes each [Text] and [JSON] in a value that has been decoded, and drops each [Integer] that means "not known". The name is
// that of the field that has the value.
func (s sanitizer) sanitize(name string, value reflect.Value) {
	switch held := value.Addr().Interface().(type) {
	case *Text:
		*held = s.text(string(*held))
		return
	case *JSON:
		*held = s.json(*held)
		return
	case **Integer:
		if *held != nil && !(*held).isKnown(name) {
			*held = nil
		}
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			s.sanitize(name, value.Elem())
		}
	case reflect.Slice:
		for i := range value.Len() {
			s.sanitize(name, value.Index(i))
		}
	case reflect.Struct:
		for field, part := range value.Fields() {
			s.sanitize(cmp.Or(field.Tag.Get("json"), name), part) // That of a [Lenient] has no name of its own.
		}
	}
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
func (s sanitizer) json(raw JSON) JSON {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s.value(decodeJSON(strings.NewReader(string(raw))))) // What has been decoded is always encoded.
	return JSON(strings.TrimSpace(text.String()))
}

func (s sanitizer) value(value any) any {
	switch value := value.(type) {
	case string:
		return s.text(value)
	case json.Number:
		if s.mask.Replace(value.String()) != value.String() {
			return keyPlaceholder
		}
	case []any:
		for i, element := range value {
			value[i] = s.value(element)
		}
	case map[string]any:
		plain := make(map[string]any, len(value))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			plain[string(s.text(name))] = s.value(value[name])
		}
		return plain
	}
	return value
}
