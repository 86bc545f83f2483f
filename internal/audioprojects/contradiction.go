package audioprojects

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"

	exactjson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// contradiction is the field of a record that decides something and comes twice, with different values; empty if there is none. One reader
// takes the first, and another the last, so that nobody knows which is true. Where it decides nothing, the last one is shown.
func contradiction(text []byte, record reflect.Type) string {
	for field := range record.Fields() {
		decides := !strings.HasPrefix(field.Type.Name(), "Lenient[") && field.Type != reflect.TypeFor[*JSON]()
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		values := valuesOf(text, name)
		switch {
		case !decides || len(values) == 0:
			continue
		case slices.ContainsFunc(values, func(value jsontext.Value) bool { return !sameJSON(values[0], value) }):
			return name
		case field.Type.Kind() == reflect.Pointer && field.Type.Elem().Kind() == reflect.Struct:
			inner := contradiction(values[0], field.Type.Elem())
			if inner != "" {
				return name + "." + inner
			}
		}
	}
	return ""
}

// isContradictory reports whether an object has a name twice, with different values.
func isContradictory(object []byte, name string) bool {
	values := valuesOf(object, name)
	return slices.ContainsFunc(values, func(value jsontext.Value) bool { return !sameJSON(values[0], value) })
}

// unmarshalTwice is unmarshal. It reports whether any object in the text has a name twice, which almost none has.
func unmarshalTwice(text []byte, into any) (hasTwice bool, err error) {
	err = exactjson.Unmarshal(text, into, jsontext.AllowInvalidUTF8(true))
	if !errors.Is(err, jsontext.ErrDuplicateName) {
		return false, err
	}
	reflect.ValueOf(into).Elem().SetZero() // It has been decoded in part.
	return true, unmarshal(text, into)
}

// valuesOf are all values that an object has under a name.
func valuesOf(object []byte, name string) (values []jsontext.Value) {
	decoder := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, err := decoder.ReadToken()
	for err == nil && decoder.PeekKind() == '"' {
		var key jsontext.Token
		var value jsontext.Value
		key, err = decoder.ReadToken()
		isMeant := err == nil && key.String() == name
		if err == nil {
			value, err = decoder.ReadValue()
		}
		if err == nil && isMeant {
			values = append(values, value.Clone())
		}
	}
	return values
}

// sameJSON reports whether two values are written alike, but for white space and the order of fields.
func sameJSON(one, other jsontext.Value) bool {
	one, other = one.Clone(), other.Clone()
	failed := one.Canonicalize(jsontext.AllowDuplicateNames(true)) != nil || other.Canonicalize(jsontext.AllowDuplicateNames(true)) != nil
	return !failed && bytes.Equal(one, other)
}
