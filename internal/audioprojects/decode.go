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

// shapeError is the error of an answer that is valid JSON and lacks a required list or identifier.
type shapeError struct {
	problem string
	// record is the faulty element of a list, as received; nil if the whole answer is at fault.
	record []byte
	// unquoted: what came is not shown.
	unquoted bool
}

func (e *shapeError) Error() string { return e.problem }

func missingList(name string) error {
	return &shapeError{problem: fmt.Sprintf("the answer has no list under %s", name)}
}

// atMostValues is an upper bound of the number of values in a JSON text, found without decoding it: each value follows
// a comma, or is the first of the text, an array or an object.
func atMostValues(text []byte) int {
	return 1 + bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{"))
}

// readRecords reads a list whose shape the document does not give (section 4.6): an
// array, or an object with an array under the given name.
func readRecords[T any](name string, text []byte, read func(record json.RawMessage) (T, error)) ([]T, error) {
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
	elements := make([]T, len(records))
	for i, record := range records {
		var err error
		elements[i], err = read(record)
		switch {
		case errors.As(err, &mismatch) && mismatch.Field == "":
			return nil, &shapeError{problem: fmt.Sprintf("%s is not an object", spot{list: name, index: i}), record: record}
		case errors.As(err, &mismatch):
			problem := fmt.Sprintf("%s holds a JSON %s under %s", spot{list: name, index: i}, mismatch.Value, mismatch.Field)
			return nil, &shapeError{problem: problem, record: record}
		case err != nil:
			return nil, err
		}
	}
	return elements, nil
}

// undescribed is a field of a record that is kept whole, which the document does not give it. What it holds counts if it has
// the type of such a field elsewhere in the document; otherwise the record has none, and its JSON tells the rest.
type undescribed[T any] struct{ value *T }

// UnmarshalJSON never fails.
func (f *undescribed[T]) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &f.value) != nil {
		f.value = nil
	}
	return nil
}

// describeMismatch says how an answer differs from the JSON of the document, and quotes it.
func (c Config) describeMismatch(response *http.Response, text []byte, err error) error {
	var shape *shapeError
	var mismatch *json.UnmarshalTypeError
	var problem string
	came := text
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("the answer is empty")
	case errors.As(err, &shape) && shape.unquoted:
		return shape
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

// isBinary reports whether the bytes are no text, neither in UTF-8 nor in another encoding.
func isBinary(text []byte) bool {
	return !utf8.Valid(text) && !strings.HasPrefix(http.DetectContentType(text), "text/")
}
