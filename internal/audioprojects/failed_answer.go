package audioprojects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// FailedAnswerError means that an answer with a status of success says itself that it failed. A list in it is none.
type FailedAnswerError struct {
	// Says is what says so, such as "success": false, and the service's message beside it.
	Says string
}

func (e *FailedAnswerError) Error() string { return "the answer says that it failed (" + e.Says + ")" }

// failure is what says that a list failed; empty if nothing does. The object is that around the list: a chapter and a project have errors of
// their own.
func (s sanitizer) failure(object map[string]json.RawMessage) (says string) {
	for _, name := range slices.Sorted(maps.Keys(object)) { // The same answer has the same error.
		plain, value := normalizedName(name), object[name]
		hasError := (plain == "error" || plain == "errors") && !saysNothing(value)
		isDenied := (plain == "success" || plain == "ok") && isFalse(value)
		if hasError || isDenied && says == "" {
			says = fmt.Sprintf("%q: %s", name, s.quote(value))
		}
	}
	if says == "" {
		return ""
	}
	beside := map[string]any{}
	for _, name := range []string{"detail", "message", "msg"} {
		beside[name] = decodeJSON(bytes.NewReader(object[name]))
	}
	message := parseErrorBody(beside).sentence()
	if message != "" {
		says += "; " + message
	}
	return s.excerpt(says)
}
