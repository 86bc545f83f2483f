package audioprojects

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// refusalIn finds in the JSON of a success what has the shape of a refusal, and is nil if nothing has: {"success":false},
// {"status":"rejected"}, {"code":40001,"msg":"…"}, {"error":{…}}, also in an object of its own, such as base_resp. The document does not
// describe such answers. What says success itself refuses nothing, so that an answer is not taken for a refusal because of what it
// tells beside that.
func refusalIn(answer any) (refusing any) {
	object, _ := answer.(map[string]any)
	if saysYes(object) {
		return nil
	}
	for name, value := range object {
		inner, _ := value.(map[string]any)
		text, isText := value.(string)
		short := spelledShort(name)
		switch {
		case successName.MatchString(short) && value == true:
			return nil
		case successName.MatchString(short) && (value == false || strings.EqualFold(text, "false")):
			refusing = object
		case short == "error", short == "errors":
			if !saysNothing(value) && !saysYes(inner) && !noError.MatchString(text) {
				refusing = object
			}
		case codeName.MatchString(short):
			if isCodeOfRefusal(value) && (isText || complaintIn(object).words != "") { // A number alone may be of anything.
				refusing = object
			}
		}
		if inner != nil && refusing == nil {
			refusing = refusalIn(inner)
		}
	}
	return refusing
}

// isCodeOfRefusal reports whether a code says that something was refused. Of numbers, services have 0, 1 and 200 for yes.
func isCodeOfRefusal(value any) bool {
	text, _ := value.(string)
	number, isNumber := value.(json.Number)
	if !isNumber {
		number = json.Number(text)
	}
	code, err := number.Int64()
	if err == nil {
		return code < 0 || code >= 400
	}
	saysNo := refusingCode.MatchString(text) && !noError.MatchString(text)
	return isCode(text) && (saysNo || hasCode([]string{text}, slices.Concat(codesOfQuota, codesOfScope)))
}

// saysYes reports whether an object has a message or a code that says that all is well.
func saysYes(object map[string]any) bool {
	for name, value := range object {
		text, _ := value.(string)
		short := spelledShort(name)
		speaks := messageName.MatchString(short) || codeName.MatchString(short)
		if speaks && yes.MatchString(strings.TrimSpace(text)) {
			return true
		}
	}
	return false
}

// spelledShort is the name of a field without what separates its words: services spell one name in many ways, such as status_msg and StatusMsg.
func spelledShort(name string) string { return separators.Replace(strings.ToLower(name)) }

var (
	successName  = regexp.MustCompile(`^(is)?(success|successful|succeeded|ok|accepted)$`)
	codeName     = regexp.MustCompile(`^((status|result|response|err|error|ret|return)?code|errno|status|result)$`)
	messageName  = regexp.MustCompile(`(message|msg)$`)
	refusingCode = regexp.MustCompile(`(?i)fail|error|reject|denied|refused|invalid|forbidden|unauthorized`)
	noError      = regexp.MustCompile(`(?i)^(no|none|without)`)
	yes          = regexp.MustCompile(`(?i)^(ok|success|succeeded|successful|accepted|queued|in_queue|started|processing|converting)\b`)
)
