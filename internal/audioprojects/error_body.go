package audioprojects

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

const (
	// maxShown is how much of an answer is shown, in characters.
	maxShown = 500
	// maxErrorBody is how much is read of an answer that is only shown, in bytes.
	maxErrorBody = 64 << 10
)

// codeMeaning is what an error code says of a refusal.
type codeMeaning string

const (
	codeKeyInvalid    codeMeaning = "the API key is not valid, or not any more"
	codeScopeTooSmall codeMeaning = "the API key is valid, and its scope does not include the operation"
	codeQuotaExceeded codeMeaning = "the account's credits or the key's quota do not cover the request"
	codeAtCapacity    codeMeaning = "the service runs no more conversions at a time"
	codeRateLimited   codeMeaning = "the service accepts fewer requests, or is busy"
)

// codeMeanings are the error codes that decide something. The document names none (section 7); these are those of services of this kind. Other
// codes are only shown.
var codeMeanings = map[string]codeMeaning{
	"invalid_api_key": codeKeyInvalid, "missing_api_key": codeKeyInvalid, "invalid_token": codeKeyInvalid, "api_key_revoked": codeKeyInvalid,
	"key_revoked": codeKeyInvalid, "api_key_expired": codeKeyInvalid, "api_key_disabled": codeKeyInvalid,
	"missing_permissions": codeScopeTooSmall, "insufficient_permissions": codeScopeTooSmall, "insufficient_scope": codeScopeTooSmall,
	"quota_exceeded": codeQuotaExceeded, "insufficient_quota": codeQuotaExceeded, "insufficient_credits": codeQuotaExceeded,
	"too_many_concurrent_requests": codeAtCapacity,
	"system_busy":                  codeRateLimited, "too_many_requests": codeRateLimited, "rate_limit_exceeded": codeRateLimited,
}

// errorBody is what the body of a refusal says.
type errorBody struct {
	message   string   // for people
	codes     []string // for machines, such as quota_exceeded; the one that says most first
	requestID string
	isJSON    bool // the body is JSON, and has a message or a code
}

// readErrorBody reads the body of a refusal. The document does not describe such a body (section 7), so the usual shapes
// are read. A body of another shape, or that breaks off, is shown as far as it came.
func (c *Client) readErrorBody(from io.Reader) errorBody {
	body, _ := io.ReadAll(io.LimitReader(from, maxErrorBody))
	var said errorBody
	unmarked := bytes.TrimPrefix(body, byteOrderMark)
	if json.Valid(unmarked) {
		said = parseErrorBody(decodeJSON(bytes.NewReader(unmarked)))
	}
	said.isJSON = said.message != "" || len(said.codes) > 0
	kind := unquotableKind(body)
	switch {
	case kind != "":
		said.message = "(" + kind + ")"
	case !said.isJSON:
		said.message = string(body)
	}
	said.message = c.config.excerpt(said.message)
	said.requestID = c.config.excerpt(said.requestID)
	for i, code := range said.codes {
		said.codes[i] = c.config.excerpt(code)
	}
	return said
}

// byteOrderMark begins a text that some libraries of Windows write. It is no part of JSON.
var byteOrderMark = []byte("\ufeff")

// sentence is what people read: the first code, unless the message has it, and the message.
func (c errorBody) sentence() string {
	switch {
	case len(c.codes) == 0 || strings.Contains(c.message, c.codes[0]):
		return c.message
	case c.message == "":
		return c.codes[0]
	default:
		return c.codes[0] + ": " + c.message
	}
}

// parseErrorBody reads a refusal that has been decoded: a text, an object, or a list of them, as FastAPI has of what is not valid.
func parseErrorBody(answer any) (said errorBody) {
	switch value := answer.(type) {
	case string:
		said.message = value
		if bareCode.MatchString(value) {
			said.codes = []string{value}
		}
	case []any:
		var sentences []string
		for _, element := range value {
			one := parseErrorBody(element)
			if one.message != "" {
				sentences = append(sentences, strings.TrimSuffix(one.message, "."))
			}
			said.codes = append(said.codes, one.codes...)
		}
		said.message = strings.Join(sentences, "; ")
	case map[string]any:
		return parseErrorObject(value)
	}
	return said
}

// parseErrorObject reads an object. What it holds says more than the object itself: {"status":"error","error":{"code":"no_voice"}}.
func parseErrorObject(object map[string]any) (said errorBody) {
	for _, name := range []string{"detail", "message", "msg", "error"} {
		inner := parseErrorBody(object[name])
		said.message = cmp.Or(said.message, inner.message)
		said.codes = append(said.codes, inner.codes...)
		said.requestID = cmp.Or(said.requestID, inner.requestID)
	}
	place, isInvalid := object["loc"].([]any) // of FastAPI: ["body", "text"]
	if isInvalid {
		names := make([]string, len(place))
		for i, name := range place {
			names[i] = fmt.Sprint(name)
		}
		said.message = strings.Join(names, ".") + ": " + said.message
		return said // Its type says what its message says.
	}
	for _, name := range []string{"code", "status", "type"} {
		code, _ := object[name].(string)
		if codeShape.MatchString(code) {
			said.codes = append(said.codes, code)
		}
	}
	id, _ := object["request_id"].(string)
	said.requestID = cmp.Or(said.requestID, id)
	return said
}

// codeShape is that of a code, and of no sentence.
var codeShape = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// bareCode is the shape of a code that stands in place of a message: {"error":"insufficient_scope"}. A sentence has no underscores, and
// more than one word.
var bareCode = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)+$`)

// genericCodes say that a request was refused, which its status says already.
var genericCodes = []string{"error", "fail", "failed", "failure"}

// hasSpecificCode reports whether the service says with a code why it refuses the request.
func (e *Error) hasSpecificCode() bool {
	return slices.ContainsFunc(e.Codes, func(code string) bool { return !slices.Contains(genericCodes, strings.ToLower(code)) })
}

// hasCode reports whether one of the service's codes has the meaning.
func (e *Error) hasCode(wanted codeMeaning) bool {
	return slices.ContainsFunc(e.Codes, func(code string) bool { return codeMeanings[code] == wanted })
}
