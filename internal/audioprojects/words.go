package audioprojects

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	// maxWords is how much of an answer is shown, in characters.
	maxWords = 500
	// maxRefusal is how much is read of an answer that is only shown, in bytes.
	maxRefusal = 64 << 10
	// maxRequestID is how much is shown of the service's id of a request, in characters.
	maxRequestID = 100
)

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
	answer := decodedAll(body)
	said := complaintIn(answer)
	if said.words == "" {
		inner := complaintIn(refusalIn(answer))
		said.words, said.codes = inner.words, append(said.codes, inner.codes...)
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
	said.requestID = shortened(c.config.excerpt(said.requestID), maxRequestID)
	for i, code := range said.codes {
		said.codes[i] = c.config.excerpt(code)
	}
	return said
}

// decodedAll is a JSON text with its numbers as they are written; nil if that is not all that the text has.
func decodedAll(text []byte) any {
	text = bytes.TrimPrefix(text, byteOrderMark)
	if !json.Valid(text) {
		return nil
	}
	return decoded(bytes.NewReader(text))
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

// complaintIn reads a refusal that has been decoded: FastAPI's `detail` (a text, an object, a list of validation
// errors), RFC 9457 (`title` and `detail`), JSON:API (`errors`), OAuth (`error` and `error_description`), or
// `message` or `error` beside a code.
func complaintIn(answer any) complaint {
	switch value := answer.(type) {
	case string:
		if isCode(value) && partInside.MatchString(value) { // A single word may be prose: "Overloaded".
			return complaint{codes: []string{value}}
		}
		return complaint{words: value}
	case []any:
		return allOf(value)
	case map[string]any:
		return complaintOf(value)
	default:
		return complaint{}
	}
}

// allOf reads a list of complaints.
func allOf(list []any) (all complaint) {
	var sentences []string
	for _, element := range list {
		one := complaintIn(element)
		said := cmp.Or(one.words, one.sentence())
		if said != "" {
			sentences = append(sentences, strings.TrimSuffix(said, "."))
		}
		all.codes = append(all.codes, one.codes...)
		all.requestID = cmp.Or(all.requestID, one.requestID)
	}
	all.words = strings.Join(sentences, "; ")
	return all
}

// complaintOf reads an object, whose names may have any spelling. What it holds says more than the object itself:
// {"status":"error","error":{"code":"no_voice"}}.
func complaintOf(given map[string]any) (said complaint) {
	object, names := map[string]any{}, []string{"detail"}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		short := spelledShort(name)
		object[short] = given[name]
		if messageName.MatchString(short) {
			names = append(names, short)
		}
	}
	for _, name := range append(names, "errordescription", "description", "error", "errors", "title") {
		inner := complaintIn(object[name])
		said.words = cmp.Or(said.words, inner.words)
		said.codes = append(said.codes, inner.codes...)
		said.requestID = cmp.Or(said.requestID, inner.requestID)
	}
	title, _ := object["title"].(string)
	if title != "" && title != said.words {
		said.words = strings.TrimSuffix(title, ".") + ": " + said.words
	}
	place := placeIn(object)
	if place != "" && said.words != "" {
		said.words = place + ": " + said.words
	}
	for _, name := range []string{"code", "status", "type", "reason", "errorcode", "errcode", "resultcode"} {
		code := codeIn(object[name])
		_, isValidation := object["loc"] // Its type says what its message says.
		if code != "" && !isValidation {
			said.codes = append(said.codes, code)
		}
	}
	for _, name := range []string{"requestid", "traceid"} {
		id, _ := object[name].(string)
		said.requestID = cmp.Or(said.requestID, id)
	}
	return said
}

// placeIn names what an object complains of: {"loc":["body","text"]} of FastAPI is body.text, and JSON:API has the
// place in `source`.
func placeIn(object map[string]any) string {
	source, _ := object["source"].(map[string]any)
	for _, place := range []any{object["loc"], object["param"], source["pointer"], source["parameter"]} {
		switch place := place.(type) {
		case string:
			return place
		case []any:
			names := make([]string, len(place))
			for i, element := range place {
				names[i] = fmt.Sprint(element)
			}
			return strings.Join(names, ".")
		}
	}
	return ""
}

// codeIn is the code in a field; empty if it is none, or says no more than that something failed. RFC 9457 has a URL
// that ends in it.
func codeIn(value any) string {
	text, _ := value.(string)
	address, err := url.Parse(text)
	if err == nil && address.Host != "" {
		text = path.Base(address.Path)
	}
	saysNothing := slices.Contains([]string{"error", "errors", "fail", "failed", "failure"}, strings.ToLower(text))
	if !isCode(text) || saysNothing {
		return ""
	}
	return text
}

// isCode reports whether a text is a code and not a sentence.
func isCode(text string) bool { return len(text) <= 64 && codeShape.MatchString(text) }

var (
	codeShape  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*([_.-][A-Za-z0-9]+)*$`)
	partInside = regexp.MustCompile(`[_.-]|[a-z0-9][A-Z]`)
)

// spelledAlike is a code in the spelling of the lists here: InsufficientQuota and insufficient-quota are
// insufficient_quota.
func spelledAlike(code string) string {
	parted := wordInside.ReplaceAllString(code, "${1}_${2}")
	return strings.ToLower(strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(strings.TrimRight(parted, ".!")))
}

var wordInside = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// codesOfQuota say that the account's credits or the key's quota do not cover a request.
var codesOfQuota = []string{
	"quota",
	"quota_exceeded", "exceeded_quota", "exceeds_quota", "quota_reached", "quota_exhausted", "quota_limit_exceeded",
	"insufficient_quota", "out_of_quota", "character_quota_exceeded", "usage_limit_exceeded",
	"insufficient_credits", "insufficient_credit", "not_enough_credits", "no_credits", "out_of_credits", "out_of_credit",
	"credits_exceeded", "credits_exhausted", "credit_limit_exceeded", "credit_balance_too_low",
	"insufficient_balance", "insufficient_funds", "payment_required", "billing_hard_limit_reached",
}

// codesOfNumber say that the service runs no more conversions at a time.
var codesOfNumber = regexp.MustCompile(`concurren|parallel|simultaneous|queue_full|(too_many|max|limit)\w*_(jobs|conversions|tasks|generations)|(jobs|conversions|tasks|generations)\w*_limit`)

// codesOfScope say that the API key is known, and that its scope does not include an operation.
var codesOfScope = []string{
	"missing_permissions", "missing_permission", "insufficient_permissions", "insufficient_permission",
	"permission_denied", "permission_error",
	"no_permission", "insufficient_scope", "missing_scope", "invalid_scope", "scope_required",
}

// codeOfKey says that the API key itself is not valid, or not any more.
var codeOfKey = func() *regexp.Regexp {
	const key, invalid = `((xi?_)?(api_?)?key|token|credentials?)`, `(invalid|not_valid|incorrect|wrong|bad|unknown|not_found|revoked|expired|disabled|deactivated|inactive|deleted|suspended|blocked)`
	return regexp.MustCompile(`^(revoked|expired|` + invalid + `_` + key + `|` + key + `_((is|was|has|has_been)_)?` + invalid + `)$`)
}()

// hasCode reports whether one of the codes is in a list.
func hasCode(codes, list []string) bool {
	return slices.ContainsFunc(codes, func(code string) bool { return slices.Contains(list, spelledAlike(code)) })
}
