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
	// maxWords is how much of an answer is shown, in characters.
	maxWords = 500
	// maxRefusal is how much is read of an answer that is only shown, in bytes.
	maxRefusal = 64 << 10
)

// meaning is what an error code says of a refusal.
type meaning string

const (
	ofKey    meaning = "the API key is not valid, or not any more"
	ofScope  meaning = "the API key is valid, and its scope does not include the operation"
	ofQuota  meaning = "the account's credits or the key's quota do not cover the request"
	ofNumber meaning = "the service runs no more conversions at a time"
	ofRate   meaning = "the service accepts fewer requests, or is busy"
)

// meanings are the error codes that decide something. The document names none (section 7); these are those of services of this kind. Other
// codes are only shown.
var meanings = map[string]meaning{
	"invalid_api_key": ofKey, "missing_api_key": ofKey, "api_key_revoked": ofKey, "key_revoked": ofKey, "api_key_expired": ofKey, "api_key_disabled": ofKey, "invalid_token": ofKey,
	"missing_permissions": ofScope, "insufficient_permissions": ofScope, "insufficient_scope": ofScope,
	"quota_exceeded": ofQuota, "insufficient_quota": ofQuota, "insufficient_credits": ofQuota,
	"too_many_concurrent_requests": ofNumber,
	"system_busy":                  ofRate, "too_many_requests": ofRate, "rate_limit_exceeded": ofRate,
}

// complaint is what the body of a refusal says.
type complaint struct {
	words     string   // for people
	codes     []string // for machines, such as quota_exceeded; the one that says most first
	requestID string
	isJSON    bool // the body is JSON, and says something in words or with a code
}

// complaint reads the body of a refusal. The document does not describe such a body (section 7), so the usual shapes
// are read. A body of another shape, or that breaks off, is shown as far as it came.
func (c *Client) complaint(from io.Reader) complaint {
	body, _ := io.ReadAll(io.LimitReader(from, maxRefusal))
	var said complaint
	unmarked := bytes.TrimPrefix(body, byteOrderMark)
	if json.Valid(unmarked) {
		said = complaintIn(decoded(bytes.NewReader(unmarked)))
	}
	said.isJSON = said.words != "" || len(said.codes) > 0
	kind := neitherJSONNorText(body)
	switch {
	case kind != "":
		said.words = "(" + kind + ")"
	case !said.isJSON:
		said.words = string(body)
	}
	said.words = c.config.excerpt(said.words)
	said.requestID = c.config.excerpt(said.requestID)
	for i, code := range said.codes {
		said.codes[i] = c.config.excerpt(code)
	}
	return said
}

// byteOrderMark begins a text that some libraries of Windows write. It is no part of JSON.
var byteOrderMark = []byte("\ufeff")

// sentence is what people read: the first code, unless the words have it, and the words.
func (c complaint) sentence() string {
	switch {
	case len(c.codes) == 0 || strings.Contains(c.words, c.codes[0]):
		return c.words
	case c.words == "":
		return c.codes[0]
	default:
		return c.codes[0] + ": " + c.words
	}
}

// complaintIn reads a refusal that has been decoded: a text, an object, or a list of them, as FastAPI has of what is not valid.
func complaintIn(answer any) (said complaint) {
	switch value := answer.(type) {
	case string:
		said.words = value
		if codeAsWords.MatchString(value) {
			said.codes = []string{value}
		}
	case []any:
		var sentences []string
		for _, element := range value {
			one := complaintIn(element)
			if one.words != "" {
				sentences = append(sentences, strings.TrimSuffix(one.words, "."))
			}
			said.codes = append(said.codes, one.codes...)
		}
		said.words = strings.Join(sentences, "; ")
	case map[string]any:
		return complaintOf(value)
	}
	return said
}

// complaintOf reads an object. What it holds says more than the object itself: {"status":"error","error":{"code":"no_voice"}}.
func complaintOf(object map[string]any) (said complaint) {
	for _, name := range []string{"detail", "message", "msg", "error"} {
		inner := complaintIn(object[name])
		said.words = cmp.Or(said.words, inner.words)
		said.codes = append(said.codes, inner.codes...)
		said.requestID = cmp.Or(said.requestID, inner.requestID)
	}
	place, isInvalid := object["loc"].([]any) // of FastAPI: ["body", "text"]
	if isInvalid {
		names := make([]string, len(place))
		for i, name := range place {
			names[i] = fmt.Sprint(name)
		}
		said.words = strings.Join(names, ".") + ": " + said.words
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

// codeAsWords is the shape of a code that stands in place of a message: {"error":"insufficient_scope"}. A sentence has no underscores, and
// more than one word.
var codeAsWords = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)+$`)

// emptyCodes say that a request was refused, which its status says already.
var emptyCodes = []string{"error", "fail", "failed", "failure"}

// hasOwnCode reports whether the service says with a code why it refuses the request.
func (e *Error) hasOwnCode() bool {
	return slices.ContainsFunc(e.Codes, func(code string) bool { return !slices.Contains(emptyCodes, strings.ToLower(code)) })
}

// means reports whether one of the service's codes has the meaning.
func (e *Error) means(wanted meaning) bool {
	return slices.ContainsFunc(e.Codes, func(code string) bool { return meanings[code] == wanted })
}
