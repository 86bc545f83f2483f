package audioprojects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"
)

// atMostValues is an upper bound of the number of values in a JSON text, found without decoding it: each value follows
// a comma, or is the first of the text, an array or an object.
func atMostValues(text []byte) int {
	return 1 + bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{"))
}

// read decodes an answer, and passes it. Where the document does not give the shape of a list (section 4.6), it may come
// without the object that names it.
func (g gate) read(into any, list string, text []byte) error {
	text = bytes.TrimPrefix(text, byteOrderMark)
	named := text
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		named = fmt.Appendf(nil, "{%q:%s}", list, text)
	}
	err := json.Unmarshal(named, into)
	if err != nil {
		return g.describeMismatch(text, withPlace(err, reflect.TypeOf(into), named))
	}
	p := &passage{gate: g, quoted: text}
	p.pass("the answer", "", reflect.ValueOf(into).Elem())
	return p.problem
}

// field is what a record has under a name that the document does not give it (section 4.6), if it has the type of such a
// field elsewhere in the document. Otherwise it is nil, and the record's JSON tells the rest.
func field[T any](record []byte, name string) *T {
	var fields map[string]json.RawMessage
	var value *T
	if json.Unmarshal(record, &fields) != nil || json.Unmarshal(fields[name], &value) != nil {
		return nil
	}
	return value
}

// describeMismatch says how an answer differs from the JSON of the document, and quotes it.
func (g gate) describeMismatch(text []byte, err error) error {
	problem := "the answer is not valid JSON: " + err.Error()
	var mismatch *json.UnmarshalTypeError
	switch kind := neitherJSONNorText(text); {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("the answer is empty")
	case errors.As(err, &mismatch) && mismatch.Field != "":
		problem = fmt.Sprintf("the answer's field %s holds a JSON %s", mismatch.Field, g.excerpt(mismatch.Value))
	case errors.As(err, &mismatch):
		problem = fmt.Sprintf("the answer is a JSON %s of an unexpected shape", g.excerpt(mismatch.Value))
	case kind != "":
		return fmt.Errorf("the answer is %s, not JSON", kind)
	}
	hides := func(r rune) bool { return unseen(r) && !strings.ContainsRune("\t\r\n", r) }
	if bytes.ContainsFunc(text, hides) { // The quote shows none of them.
		problem += "; it has characters that cannot be seen"
	}
	return fmt.Errorf("%s; it reads %s", problem, g.excerpt(string(text)))
}

// withPlace is the error of decoding a JSON text into a type. If a value has another type than wanted, the error's field is the
// value's place in the text. That of encoding/json is another one in each version of Go, and lacks for a type with an UnmarshalJSON.
func withPlace(err error, wanted reflect.Type, text []byte) error {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return err
	}
	place, found := findMismatch("", wanted, text)
	if found == nil {
		return mismatch // It is a field that the answer has twice, for example.
	}
	found.Field = place
	return found
}

// findMismatch finds the first value of a JSON text that does not fit the type, and its place, such as chapters.0.name.
func findMismatch(place string, wanted reflect.Type, text []byte) (string, *json.UnmarshalTypeError) {
	var elements []json.RawMessage
	var fields map[string]json.RawMessage
	var err error
	switch wanted.Kind() {
	case reflect.Pointer:
		return findMismatch(place, wanted.Elem(), text)
	case reflect.Slice:
		err = json.Unmarshal(text, &elements)
		for i, element := range elements {
			inner, found := findMismatch(fmt.Sprintf("%s.%d", place, i), wanted.Elem(), element)
			if found != nil {
				return inner, found
			}
		}
	case reflect.Struct:
		err = json.Unmarshal(text, &fields)
		for _, field := range reflect.VisibleFields(wanted) {
			name := field.Tag.Get("json")
			inner, found := findMismatch(strings.TrimPrefix(place+"."+name, "."), field.Type, valueOf(fields, name))
			if found != nil {
				return inner, found
			}
		}
	default:
		err = json.Unmarshal(text, reflect.New(wanted).Interface())
	}
	var mismatch *json.UnmarshalTypeError
	errors.As(err, &mismatch)
	return place, mismatch
}

// valueOf is the value of a field, whose name encoding/json takes in any case.
func valueOf(fields map[string]json.RawMessage, name string) json.RawMessage {
	for given, value := range fields {
		if strings.EqualFold(given, name) {
			return value
		}
	}
	return nil
}

// neitherJSONNorText names what is not worth quoting; it is empty for the rest. Text may be in another encoding than UTF-8. HTML may
// begin with a byte order mark or as XML, which net/http does not take for HTML.
func neitherJSONNorText(body []byte) string {
	marked := bytes.HasPrefix(bytes.TrimLeft(body, "\ufeff \t\r\n"), []byte("<"))
	switch found := http.DetectContentType(body); {
	case strings.HasPrefix(found, "text/html"), marked && bytes.Contains(bytes.ToLower(body), []byte("<html")):
		return "an HTML page"
	case !utf8.Valid(body) && !strings.HasPrefix(found, "text/"):
		return "binary data"
	default:
		return ""
	}
}
