package audioprojects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"
)

// shapeError is valid JSON without something that cannot be done without.
type shapeError struct {
	problem string
	// record is the element of a list that is at fault, as it came; nil where that is the whole answer.
	record []byte
}

func (e *shapeError) Error() string { return e.problem }

func missingList(name string) error {
	return &shapeError{problem: fmt.Sprintf("the answer has no list under %s", name)}
}

// checkRecordID refuses an element of a list without an identifier, and one whose identifier has control
// characters: it could neither be shown as it is, nor be changed.
func checkRecordID(list string, index int, name, id string, record []byte) error {
	switch {
	case id == "":
		return &shapeError{fmt.Sprintf("element %d of the answer's %s has no %s", index, list, name), record}
	case string(NewText(id)) != id || strings.Contains(id, "\n"):
		return &shapeError{fmt.Sprintf("element %d of the answer's %s has a %s with control characters", index, list, name), record}
	default:
		return nil
	}
}

// atMostValues tells without decoding how many values a JSON text may hold: each follows a comma, or begins the text,
// an array or an object.
func atMostValues(text []byte) int {
	return 1 + bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{"))
}

// readAfresh decodes into a value without what it holds. encoding/json keeps that for what the text does not
// name, and so mixes the two values of a key that comes twice.
func readAfresh[T any](text []byte, value *T) error {
	*value = *new(T)
	return json.Unmarshal(text, value)
}

// list is one of the document's, whose elements each have an identifier.
type list[T interface{ check(index int) error }] []T

func (l *list[T]) UnmarshalJSON(text []byte) error {
	if err := readAfresh(text, (*[]T)(l)); err != nil {
		return err
	}
	for i, element := range *l {
		if err := element.check(i); err != nil {
			return err
		}
	}
	return nil
}

// recordsUnder reads a list whose shape the document does not show (section 4.6): an
// array, or an object that holds one under the given name.
func recordsUnder(name string, text []byte) ([]json.RawMessage, error) {
	list, held := json.RawMessage(text), false
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(text, &object); err != nil {
			return nil, err
		}
		if list, held = object[name]; !held {
			return nil, missingList(name)
		}
	}
	var records []json.RawMessage
	var mismatch *json.UnmarshalTypeError
	if err := json.Unmarshal(list, &records); errors.As(err, &mismatch) && held {
		mismatch.Field = name
		return nil, mismatch
	} else if err != nil {
		return nil, err
	}
	if records == nil {
		return nil, missingList(name)
	}
	return records, nil
}

// readRecord reads the fields that are needed of one of those elements.
func readRecord(list string, index int, record []byte, fields any) error {
	err := json.Unmarshal(record, fields)
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return err
	}
	problem := fmt.Sprintf("element %d of the answer's %s ", index, list)
	if mismatch.Field == "" {
		problem += "is not an object"
	} else {
		problem += fmt.Sprintf("holds a JSON %s under %s", mismatch.Value, mismatch.Field)
	}
	return &shapeError{problem, record}
}

// describeMismatch says what came in place of the JSON the document promises, and shows it.
func (c Config) describeMismatch(response *http.Response, text []byte, err error) error {
	var shape *shapeError
	var mismatch *json.UnmarshalTypeError
	var problem string
	came := text
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("the answer is empty")
	case errors.As(err, &shape):
		problem = shape.problem
		if shape.record != nil {
			came = shape.record
		}
	case errors.As(err, &mismatch) && mismatch.Field != "":
		problem = fmt.Sprintf("the answer's field %s holds a JSON %s", mismatch.Field, c.excerpt(mismatch.Value))
	case errors.As(err, &mismatch):
		problem = fmt.Sprintf("the answer is a JSON %s of an unexpected shape", mismatch.Value)
	case isHTML(response, text):
		return errors.New("the answer is an HTML page, not JSON")
	case isBinary(text):
		return errors.New("the answer is binary data, not JSON")
	default:
		problem = "the answer is not valid JSON: " + err.Error()
	}
	return fmt.Errorf("%s; it reads %s", problem, c.excerpt(string(came)))
}

func isHTML(response *http.Response, text []byte) bool {
	mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return err == nil && mediaType == "text/html" ||
		strings.HasPrefix(http.DetectContentType(text), "text/html")
}

// isBinary tells what is no text in any encoding.
func isBinary(text []byte) bool {
	return !utf8.Valid(text) && !strings.HasPrefix(http.DetectContentType(text), "text/")
}
