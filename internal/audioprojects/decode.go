package audioprojects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxRecords limits the elements of a list. The memory that Terraform's plugin library takes for an answer follows from that.
	maxRecords = 25_000
	// maxQuoted is how much is quoted of a value that cannot be used, in characters.
	maxQuoted = 200
)

// IncompleteError means that a list says itself that it is not all that the service has. The document describes no
// pages, so none are followed, and what the list has is not returned.
type IncompleteError struct {
	// Mark is what says so, such as "has_more": true.
	Mark string
}

func (e *IncompleteError) Error() string {
	return "the answer says that it is incomplete (" + e.Mark + ")"
}

// reader decodes and sanitizes the records of answers.
type reader struct {
	sanitizer
	keepsRaw bool // of each chapter
}

func (c *Client) reader() reader { return reader{c.config.sanitizer, c.keepsRaw} }

// list decodes an array, or what an object has under the name of the list. Where the document does not give the shape of a
// list (section 4.6), either may come.
func list[T any](r reader, name string, text []byte) ([]T, error) {
	array := part(text)
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		object, err := r.object(text)
		if err != nil {
			return nil, err
		}
		mark := markOfMore(object)
		if mark != "" {
			return nil, &IncompleteError{r.excerpt(mark)}
		}
		array = object[name]
	}
	var elements []part
	err := json.Unmarshal(array, &elements)
	switch {
	case len(array) > 0 && !json.Valid(array):
		return nil, r.describeUnreadable(text, err)
	case elements == nil:
		return nil, fmt.Errorf("the answer has no list under %s; it reads %s", name, r.excerpt(string(text)))
	case len(elements) > maxRecords:
		return nil, tooMany(len(elements))
	}
	records := make([]T, len(elements))
	for i, element := range elements {
		err := r.record(fmt.Sprintf("element %d of the answer's %s", i, name), element, &records[i])
		if err != nil {
			return nil, err
		}
	}
	return records, nil
}

func tooMany(records int) error {
	return fmt.Errorf("the answer has %d records, and the provider reads at most %d", records, maxRecords)
}

// object decodes the fields of an answer.
func (r reader) object(text []byte) (fields map[string]part, err error) {
	err = json.Unmarshal(text, &fields)
	switch {
	case err != nil && !json.Valid(text):
		return nil, r.describeUnreadable(text, err)
	case fields == nil:
		return nil, fmt.Errorf("the answer is no JSON object; it reads %s", r.excerpt(string(text)))
	}
	return fields, nil
}

// markOfMore is what says that a list is not all; empty if nothing does. A token or a link is not shown, because it may be signed.
func markOfMore(object map[string]part) string {
	if string(object["has_more"]) == "true" {
		return `"has_more": true`
	}
	for name, value := range object {
		if strings.HasPrefix(name, "next") && !saysNothing(value) {
			return fmt.Sprintf("it has %q", name)
		}
	}
	return ""
}

// saysNothing reports whether a value is what services send in place of none.
func saysNothing(value []byte) bool {
	return slices.Contains([]string{"null", "false", "0", `""`, "[]", "{}"}, string(value))
}

// record decodes an object into a struct, field by field, and sanitizes it. Services change the types of fields. So a field whose value
// has another type than in the document is nil, but for these:
//   - a string is the identifier of the record, which must be there. It is the first field;
//   - the tag odd:"refused" means that something depends on the field, so that the answer is refused;
//   - the tag odd:"words" means that the field has what the value says.
//
// A field with the name json has all of the record.
func (r reader) record(subject string, text []byte, into any) error {
	var values map[string]part
	_ = json.Unmarshal(text, &values) // What is no object has no identifier.
	record := reflect.ValueOf(into).Elem()
	for field, fieldValue := range record.Fields() {
		name := field.Tag.Get("json")
		value := values[name]
		var err error
		switch held := fieldValue.Addr().Interface().(type) {
		case *string:
			*held, err = r.id(subject, name, value, text)
		case *Raw:
			if r.keepsRaw {
				*held = Raw(text)
			}
		case *JSON:
			*held = r.json(JSON(text))
		case *[]Chapter:
			if value != nil && string(value) != "null" {
				*held, err = r.chapters(value)
			}
		default:
			isOdd := value != nil && json.Unmarshal(value, held) != nil
			becomes := field.Tag.Get("odd")
			switch {
			case isOdd && becomes == "refused":
				id := r.excerpt(record.Field(0).String())
				err = fmt.Errorf("the field %s of %s %q has another type than documented: %s", name, record.Type().Field(0).Tag.Get("json"), id, r.quote(value))
			case isOdd && becomes == "words":
				fieldValue.Set(reflect.ValueOf(r.words(value)))
			case isOdd:
				fieldValue.SetZero()
			case fieldValue.Kind() == reflect.Slice && fieldValue.Len() > maxRecords:
				err = tooMany(fieldValue.Len())
			}
			r.sanitize(fieldValue)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// id decodes an identifier. One that is missing is refused, and one that cannot be shown: a changed one would name something else. Such a
// one is not quoted.
func (r reader) id(subject, name string, value, record []byte) (id string, err error) {
	_ = json.Unmarshal(value, &id) // What is no text is no identifier.
	switch {
	case id == "":
		err = fmt.Errorf("%s has no %s; it reads %s", subject, name, r.quote(record))
	case strings.ContainsFunc(id, unseen):
		err = fmt.Errorf("%s has a %s with control characters", subject, name)
	case r.mask.Replace(id) != id:
		err = fmt.Errorf("%s has a %s that contains the API key", subject, name)
	}
	return id, err
}

// words is what a value says where a text is wanted: its message, or else its JSON.
func (r reader) words(value []byte) *Text {
	if saysNothing(value) {
		return new(Text(""))
	}
	said := complaintIn(decoded(bytes.NewReader(value)))
	if said.words == "" { // A code alone says less than all of it.
		return new(Text(r.json(JSON(value))))
	}
	return new(Text(said.sentence()))
}

// quote is the beginning of a JSON value.
func (s sanitizer) quote(value []byte) string {
	return shortened(s.excerpt(string(s.json(JSON(value)))), maxQuoted)
}

// atMostValues is an upper limit of the number of values in a JSON text, found without decoding it: each value follows
// a comma, or is the first of the text, an array or an object.
func atMostValues(text []byte) int {
	return 1 + bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{"))
}

// decoded is a part of what has been decoded before, with its numbers as they are written.
func decoded(text io.Reader) (value any) {
	decoder := json.NewDecoder(text)
	decoder.UseNumber()
	_ = decoder.Decode(&value)
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
