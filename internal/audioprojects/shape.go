package audioprojects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
)

// shapeError is valid JSON without something that cannot be done without.
type shapeError struct{ problem string }

func (e *shapeError) Error() string { return e.problem }

func missingList(name string) error {
	return &shapeError{fmt.Sprintf("the answer has no list under %s", name)}
}

func missingField(list string, index int, name string) error {
	return &shapeError{fmt.Sprintf("element %d of the answer's %s has no %s", index, list, name)}
}

// recordsUnder reads a list whose shape the document does not show (section 4.6): an
// array, or an object that holds one under the given name. Its elements must be objects.
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
	for i, record := range records {
		if !bytes.HasPrefix(bytes.TrimSpace(record), []byte("{")) {
			return nil, &shapeError{fmt.Sprintf("element %d of the answer's %s is not an object", i, name)}
		}
	}
	return records, nil
}

// describeMismatch says what came in place of the JSON the document promises.
func describeMismatch(response *http.Response, text []byte, err error) error {
	var shape *shapeError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &shape):
		return shape
	case errors.As(err, &mismatch) && mismatch.Field != "":
		return fmt.Errorf("the answer's field %s holds a JSON %s", mismatch.Field, mismatch.Value)
	case errors.As(err, &mismatch):
		return fmt.Errorf("the answer is a JSON %s of an unexpected shape", mismatch.Value)
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("the answer is empty")
	case isHTML(response, text):
		return errors.New("the answer is an HTML page, not JSON")
	default:
		return fmt.Errorf("the answer is not valid JSON: %w", err)
	}
}

func isHTML(response *http.Response, text []byte) bool {
	mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return err == nil && mediaType == "text/html" ||
		strings.HasPrefix(http.DetectContentType(text), "text/html")
}
