package audioprojects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// FailedAnswerError means that an answer with a status of success says itself that it failed. A list in it is none.
type FailedAnswerError struct {
	// Says is what says so, such as "success": false, and the service's message beside it.
	Says string
}

func (e *FailedAnswerError) Error() string { return "the answer says that it failed (" + e.Says + ")" }

// failure is what says that a list failed; empty if nothing does. The object is that around the list: a chapter and a
// project have errors of their own. A status may be about the elements, if any are listed.
func (s sanitizer) failure(object map[string]json.RawMessage, listed int) (says string) {
	for _, name := range slices.Sorted(maps.Keys(object)) { // The same answer has the same error.
		plain, value := normalizedName(name), object[name]
		hasError := slices.Contains([]string{"error", "errors", "iserror", "haserror", "haserrors"}, plain) && !saysNoError(value)
		isDenied := slices.Contains([]string{"success", "issuccess", "ok"}, plain) && isFalse(value)
		hasFailed := plain == "status" && listed == 0 && saysFailed(value)
		if hasError || (isDenied || hasFailed) && says == "" {
			says = fmt.Sprintf("%q: %s", name, s.quote(value))
		}
	}
	if says == "" {
		return ""
	}
	beside := map[string]any{}
	for _, name := range []string{"detail", "message", "msg"} {
		value, isThere := object[name]
		if isThere {
			beside[name] = decodeJSON(bytes.NewReader(value))
		}
	}
	message := parseErrorBody(beside).sentence()
	if message != "" {
		says += "; " + message
	}
	return s.excerpt(says)
}

// saysNoError reports whether a value is what services send where there is no error, such as {"code": 0, "message": "OK"}.
func saysNoError(value []byte) bool {
	isWordForNone := func(value []byte) bool {
		return slices.Contains([]string{"", "null", "[]", "{}", "false", "0", "no", "none", "ok"}, wordOf(value))
	}
	return isWordForNone(value) || hasOnly(value, isWordForNone)
}

// saysFailed reports whether a status is a word for a failure, or that of HTTP for one.
func saysFailed(status []byte) bool {
	return slices.Contains(genericCodes, wordOf(status)) || exceeds(status, http.StatusBadRequest-1)
}
