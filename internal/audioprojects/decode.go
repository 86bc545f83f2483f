package audioprojects

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	exactjson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxRecords limits the elements of a list. The memory that Terraform's plugin library takes for an answer follows from that.
const maxRecords = 25_000

// Lenient is a value that decides nothing, such as a name. Services change the types of fields, and such a change is to stop nobody: Value
// is nil if the answer has another type there than the document, as it is for null and for a field that is absent.
type Lenient[T any] struct{ Value *T }

// UnmarshalJSON never fails.
func (l *Lenient[T]) UnmarshalJSON(text []byte) error {
	if unmarshal(text, &l.Value) != nil {
		l.Value = nil // It may have been decoded in part.
	}
	return nil
}

// MarshalJSON is that of the value.
func (l Lenient[T]) MarshalJSON() ([]byte, error) { return json.Marshal(l.Value) }

// unmarshal decodes what the answer has under exactly the names of the document. For encoding/json, STATE would be the
// state as well. In the rest it does as encoding/json: it accepts names that come twice, of which the last one counts,
// and text that is not UTF-8.
func unmarshal(text []byte, into any) error {
	return exactjson.Unmarshal(text, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// listShape is what the document says of the answer with a list.
type listShape bool

const (
	inObject   listShape = false // an object has the list under its name (sections 4.2 and 4.3)
	anyOfThese listShape = true  // the shape is not given (section 4.6): such an object, or the list alone
)

// decodeList decodes the text of a response.
func decodeList[T any](
	c *Client, name string, shape listShape, response *http.Response, text []byte, decode func(subject string, text []byte) (T, error),
) ([]T, error) {
	array := json.RawMessage(text)
	var object map[string]json.RawMessage
	if shape == inObject || !bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		hasTwice, _ := unmarshalTwice(text, &object) // What is no object has no list.
		if hasTwice && isContradictory(text, name) {
			return nil, fmt.Errorf("the answer has %s twice, with different contents", name)
		}
		array = object[name]
	}
	var elements []json.RawMessage
	_ = unmarshal(array, &elements) // What is no array has no elements.
	incomplete := incompleteness{name: name, listed: len(elements)}
	failure := c.config.failure(object, len(elements))
	mark := cmp.Or(incomplete.mark(object, ""), incomplete.markOfResponse(response))
	switch {
	case failure != "":
		return nil, &FailedAnswerError{failure}
	case mark != "":
		return nil, &IncompleteError{c.config.excerpt(mark)}
	case elements == nil:
		return nil, fmt.Errorf("the answer has no list under %s; it reads %s", name, c.config.excerpt(string(text)))
	case len(elements) > maxRecords:
		return nil, fmt.Errorf("the answer has %d records, and the provider reads at most %d", len(elements), maxRecords)
	}
	records := make([]T, len(elements))
	for i, element := range elements {
		record, err := decode(fmt.Sprintf("element %d of the answer's %s", i, name), element)
		if err != nil {
			return nil, err
		}
		records[i] = record
	}
	return records, nil
}

// decodeRecord decodes an object into a struct, sanitizes it, and returns its fields as they came. The identifier is decoded first, so that an
// error about another field can name it. One that is missing is refused, and one that cannot be shown: a changed one would name something
// else. Such a one is not quoted.
func (c *Client) decodeRecord(subject string, text []byte, idName string, id *string, into any) (fields map[string]json.RawMessage, err error) {
	_ = unmarshal(text, &fields) // What is no object has no identifier.
	var known string
	_ = unmarshal(fields[idName], &known) // What is no text is no identifier.
	switch {
	case known == "":
		return nil, fmt.Errorf("%s has no %s; it reads %s", subject, idName, c.config.quote(text))
	case strings.ContainsFunc(known, isInvisible):
		return nil, fmt.Errorf("%s has a %s with control characters", subject, idName)
	case c.config.mask.Replace(known) != known:
		return nil, fmt.Errorf("%s has a %s that contains the API key", subject, idName)
	}
	hasTwice, err := unmarshalTwice(text, into)
	if hasTwice {
		contradictory := contradiction(text, reflect.TypeOf(into).Elem())
		if contradictory != "" {
			return nil, fmt.Errorf("%s %q has the field %s twice, with different contents", subject, c.config.excerpt(known), contradictory)
		}
	}
	wrong, isWrong := errors.AsType[*exactjson.SemanticError](err)
	if isWrong {
		name, _, _ := strings.Cut(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/")
		err = fmt.Errorf("the field %s of %s %q has another type than documented: %s",
			name, idName, c.config.excerpt(known), c.config.quote(fields[name]))
	}
	*id = known
	c.config.sanitize("", reflect.ValueOf(into).Elem())
	return fields, err
}

// messageOf is what a value of any type says: its message, or else its JSON; nil if it is null.
func (s sanitizer) messageOf(value []byte) *Text {
	switch {
	case value == nil, string(value) == "null":
		return nil
	case isEmptyValue(value):
		return new(Text(""))
	}
	said := parseErrorBody(decodeJSON(bytes.NewReader(value)))
	if said.message == "" { // A code alone says less than all of it.
		return new(Text(s.json(JSON(value))))
	}
	return new(s.text(said.sentence()))
}

// quote is the beginning of a JSON value.
func (s sanitizer) quote(value []byte) string { return s.excerpt(string(s.json(JSON(value)))) }

// atMostValues is an upper limit of the number of values in a JSON text, found without decoding it: each value follows
// a comma, or is the first of the text, an array or an object.
func atMostValues(text []byte) int {
	return 1 + bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{"))
}

// decodeJSON is a part of what has been decoded before, with its numbers as they are written.
func decodeJSON(text io.Reader) (value any) {
	decoder := json.NewDecoder(text)
	decoder.UseNumber()
	_ = decoder.Decode(&value)
	return value
}

// checkJSON says why an answer is no JSON, and quotes it.
func (s sanitizer) checkJSON(text []byte) error {
	var anything json.RawMessage
	err := json.Unmarshal(text, &anything)
	if err == nil {
		return nil
	}
	kind := unquotableKind(text)
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("the answer is empty")
	case kind != "":
		return fmt.Errorf("the answer is %s, not JSON", kind)
	default:
		return fmt.Errorf("the answer is not valid JSON: %w; it reads %s", err, s.excerpt(string(text)))
	}
}

// unquotableKind names what is not worth quoting; it is empty for the rest. Text may be in another encoding than UTF-8. HTML may
// begin with a byte order mark or as XML, which net/http does not take for HTML.
func unquotableKind(body []byte) string {
	marked := bytes.HasPrefix(bytes.TrimLeft(body, "\ufeff \t\r\n"), []byte("<"))
	found := http.DetectContentType(body)
	switch {
	case strings.HasPrefix(found, "text/html"), marked && bytes.Contains(bytes.ToLower(body), []byte("<html")):
		return "an HTML page"
	case !utf8.Valid(body) && !strings.HasPrefix(found, "text/"):
		return "binary data"
	default:
		return ""
	}
}
