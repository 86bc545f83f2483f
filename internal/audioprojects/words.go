package audioprojects

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

const (
	// maxWords is how much of an answer is shown, in characters.
	maxWords = 500
	// maxRefusal is how much is read of an answer that is only shown, in bytes.
	maxRefusal = 64 << 10
)

// words finds the message in the body of an error. The document does not describe such a
// body (section 7), so the usual shapes are tried: FastAPI's `detail` (a text, an object
// with a message, a list of validation errors), `message`, `error`, plain text.
//
// A body that breaks off is shown as far as it came.
func (c *Client) words(from io.Reader) string {
	body, _ := io.ReadAll(io.LimitReader(from, maxRefusal))
	var answer any
	_ = json.Unmarshal(body, &answer)
	said := cmp.Or(message(answer), string(body))
	if kind := neitherJSONNorText(body); kind != "" {
		said = "(" + kind + ")"
	}
	return c.config.excerpt(said)
}

// message finds the message in a decoded JSON error; it is empty if there is none.
func message(answer any) string {
	switch value := answer.(type) {
	case string:
		return value
	case map[string]any:
		for _, field := range []string{"detail", "message", "msg", "error", "status"} {
			if said := message(value[field]); said != "" {
				return location(value["loc"]) + said
			}
		}
	case []any:
		var sentences []string
		for _, element := range value {
			if said := message(element); said != "" {
				sentences = append(sentences, strings.TrimSuffix(said, "."))
			}
		}
		return strings.Join(sentences, "; ")
	}
	return ""
}

// location writes the `loc` of a FastAPI validation error: ["body", "text"] becomes "body.text: ".
func location(loc any) string {
	elements, ok := loc.([]any)
	if !ok || len(elements) == 0 {
		return ""
	}
	names := make([]string, len(elements))
	for i, element := range elements {
		names[i] = fmt.Sprint(element)
	}
	return strings.Join(names, ".") + ": "
}
