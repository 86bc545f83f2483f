package audioprojects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxQuoted is how much is quoted of a value that is not as the document says, in characters.
const maxQuoted = 200

// atMostValues is an upper limit of the number of values in a JSON text, found without decoding it: each value follows
// a comma, or is the first of the text, an array or an object.
func atMostValues(text []byte) int {
	return 1 + bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{"))
}

// read decodes an answer, and sanitizes it. Where the document does not give the shape of a list (section 4.6), it may come
// without the object that names it.
func (s sanitizer) read(into any, list string, text []byte) error {
	text = bytes.TrimPrefix(text, byteOrderMark)
	named := text
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		named = fmt.Appendf(nil, "{%q:%s}", list, text)
	}
	a := &answerSanitizer{sanitizer: s, answer: text, named: named}
	answer := reflect.ValueOf(into).Elem()
	records := countRecords(answer, named)
	if records > maxRecords { // Decoded, they would take much more memory than the text.
		a.refuseRecords(records)
		return a.problem
	}
	err := json.Unmarshal(named, into)
	_, isMismatch := errors.AsType[*json.UnmarshalTypeError](err)
	if err != nil && !isMismatch {
		return s.describeUnreadable(text, err)
	}
	if isMismatch {
		answer.SetZero()
		wrong := a.decode("", answer, named)
		if wrong != nil {
			return wrong
		}
	}
	a.sanitize("", "", answer)
	return a.problem
}

// countRecords counts the elements of an answer's lists in a text, if they may be too many to be decoded. Otherwise it returns 0.
func countRecords(answer reflect.Value, text []byte) (records int) {
	if bytes.Count(text, []byte("{")) <= maxRecords {
		return 0
	}
	var fields map[string]part
	_ = json.Unmarshal(text, &fields) // Decoding the answer finds the error.
	for field := range answer.Type().Fields() {
		var elements []part
		if field.Type.Kind() == reflect.Slice && json.Unmarshal(valueOf(fields, field.Tag.Get("json")), &elements) == nil {
			records += len(elements)
		}
	}
	return records
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

// describeUnreadable says why an answer is no JSON, and quotes it.
func (s sanitizer) describeUnreadable(text []byte, err error) error {
	kind := neitherJSONNorText(text)
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("the answer is empty")
	case kind != "":
		return fmt.Errorf("the answer is %s, not JSON", kind)
	}
	hidden := ""
	hides := func(r rune) bool { return unseen(r) && !strings.ContainsRune("\t\r\n", r) }
	if bytes.ContainsFunc(text, hides) { // The quote shows none of them.
		hidden = "; it contains invisible characters"
	}
	return fmt.Errorf("the answer is not valid JSON: %w%s; it reads %s", err, hidden, s.excerpt(string(text)))
}

// mismatch is a value of another type than the document gives its field.
type mismatch struct {
	place       string // in the answer, such as chapters.0.statistics
	kind, value string // its type in JSON, and its beginning
}

func (m *mismatch) Error() string {
	if m.place == "" {
		return fmt.Sprintf("the answer is a JSON %s of an unexpected shape; it reads %s", m.kind, m.value)
	}
	return "the answer's field " + m.within("")
}

// within names the value by its place in a record.
func (m *mismatch) within(record string) string {
	return fmt.Sprintf("%s contains a JSON %s: %s", strings.TrimPrefix(m.place, record+"."), m.kind, m.value)
}

// decode decodes a JSON text in which encoding/json has found a value of another type than wanted. What it returns makes the answer
// unreadable.
func (a *answerSanitizer) decode(place string, into reflect.Value, text []byte) *mismatch {
	_, decodesItself := into.Addr().Interface().(json.Unmarshaler)
	kind := into.Kind()
	switch {
	case kind == reflect.Pointer && string(text) == "null":
		return nil
	case kind == reflect.Pointer:
		value := reflect.New(into.Type().Elem())
		wrong := a.decode(place, value.Elem(), text)
		if wrong == nil {
			into.Set(value)
		}
		return wrong
	case kind == reflect.Slice:
		return a.decodeList(place, into, text)
	case kind == reflect.Struct && !decodesItself:
		return a.decodeRecord(place, into, text)
	default:
		return a.mismatch(place, text, json.Unmarshal(text, into.Addr().Interface()))
	}
}

func (a *answerSanitizer) decodeList(place string, into reflect.Value, text []byte) *mismatch {
	var elements []json.RawMessage
	wrong := a.mismatch(place, text, json.Unmarshal(text, &elements))
	if wrong != nil || elements == nil {
		return wrong
	}
	if len(elements) > maxRecords {
		a.refuseRecords(len(elements))
		return nil
	}
	list := reflect.MakeSlice(into.Type(), len(elements), len(elements))
	for i, element := range elements {
		wrong := a.decode(inside(place, strconv.Itoa(i)), list.Index(i), element)
		if wrong != nil {
			return wrong
		}
	}
	into.Set(list)
	return nil
}

// decodeRecord decodes an object field by field. In a record that has a field Odd, a value of another type is noted there, and left out.
// The tag of its field says what else becomes of it:
//   - odd:"refused": the answer is unreadable;
//   - odd:"unread": the record is, and it is noted in Problem as well;
//   - odd:"words": nothing is noted, and the field has what the value says.
//
// A time that came as a text is read, because an apply needs the date of a conversion only after it has paid for it.
func (a *answerSanitizer) decodeRecord(place string, into reflect.Value, text []byte) *mismatch {
	var fields map[string]json.RawMessage
	wrong := a.mismatch(place, text, json.Unmarshal(text, &fields))
	if wrong != nil {
		return wrong
	}
	odd := into.FieldByName("Odd")
	for field, part := range into.Fields() {
		name, becomes := field.Tag.Get("json"), field.Tag.Get("odd")
		value := valueOf(fields, name)
		if name == "-" || value == nil {
			continue
		}
		wrong := a.decode(inside(place, name), part, value)
		var seconds *Integer
		if strings.HasSuffix(name, "_unix") {
			seconds = secondsIn(value)
		}
		switch {
		case wrong == nil:
		case seconds != nil:
			part.Set(reflect.ValueOf(seconds))
		case becomes == "refused", !odd.IsValid():
			return wrong
		case becomes == "words":
			part.Set(reflect.ValueOf(a.oddText(value)))
		default:
			note(odd, wrong.within(place))
			if becomes == "unread" {
				note(into.FieldByName("Problem"), wrong.within(place))
			}
		}
	}
	return nil
}

// note adds a sentence to a text.
func note(text reflect.Value, sentence string) {
	if text.String() != "" {
		sentence = text.String() + "; " + sentence
	}
	text.SetString(sentence)
}

// oddText is what a value says where a text is wanted: its message, or else its JSON.
func (a *answerSanitizer) oddText(value []byte) *Text {
	said := decoded(bytes.NewReader(value))
	words := string(a.json(JSON(value)))
	complaint := complaintIn(said)
	if complaint.words != "" { // A code alone says less than all of it.
		words = complaint.sentence()
	}
	if saysNothing(said) {
		words = ""
	}
	return new(Text(words))
}

// decoded is a part of what has been decoded before, with its numbers as they are written.
func decoded(text io.Reader) (value any) {
	decoder := json.NewDecoder(text)
	decoder.UseNumber()
	_ = decoder.Decode(&value)
	return value
}

// saysNothing reports whether a value is empty, 0 or false, and so is all that it holds: some services have an error of
// which nothing is set where there is none.
func saysNothing(value any) bool {
	says := func(value any) bool { return !saysNothing(value) }
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(value) == ""
	case json.Number:
		number, err := value.Float64()
		return number == 0 && err == nil
	case []any:
		return !slices.ContainsFunc(value, says)
	case map[string]any:
		return !slices.ContainsFunc(slices.Collect(maps.Values(value)), says)
	default:
		return value == nil || value == false
	}
}

// mismatch is what an error of encoding/json says of a value; nil if that is not of another type than wanted.
func (a *answerSanitizer) mismatch(place string, text []byte, err error) *mismatch {
	var found *json.UnmarshalTypeError
	if !errors.As(err, &found) {
		return nil
	}
	kind := strings.TrimSpace(strings.TrimSuffix(found.Value, string(text))) // Of a number it may be the whole.
	return &mismatch{place, a.excerpt(kind), a.quote(text)}
}

// quote is the beginning of a JSON value.
func (a *answerSanitizer) quote(value []byte) string {
	return shortened(a.excerpt(string(a.json(JSON(value)))), maxQuoted)
}

// inside is the place of a field or an element.
func inside(place, name string) string { return strings.TrimPrefix(place+"."+name, ".") }

// at is the text at a place of the answer.
func (a *answerSanitizer) at(place string) []byte {
	text := a.named
	for name := range strings.SplitSeq(place, ".") {
		var elements []json.RawMessage
		var fields map[string]json.RawMessage
		index, err := strconv.Atoi(name)
		_ = errors.Join(json.Unmarshal(text, &elements), json.Unmarshal(text, &fields)) // It is one of both.
		switch {
		case err != nil:
			text = valueOf(fields, name)
		case index < len(elements):
			text = elements[index]
		default:
			return a.answer // It has the list twice.
		}
	}
	return text
}

// valueOf is the value of a field, whose name encoding/json takes in any case.
func valueOf[T ~[]byte](fields map[string]T, name string) T {
	value, exact := fields[name]
	if exact {
		return value
	}
	alike := ""
	for given := range fields {
		if strings.EqualFold(given, name) && (alike == "" || given < alike) {
			alike = given
		}
	}
	return fields[alike]
}

// neitherJSONNorText names what is not worth quoting; it is empty for the rest. Text may be in another encoding than UTF-8. HTML may
// begin with a byte order mark or as XML, which net/http does not take for HTML.
func neitherJSONNorText(body []byte) string {
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
