package audioprojects_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestWordsAndCodesOfTheService has the bodies of refusals that large services send or document.
func TestWordsAndCodesOfTheService(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"a code and a message", `{"detail":{"status":"voice_not_found","message":"A voice was not found."}}`, "voice_not_found: A voice was not found."},
		{"all that one service says", `{"detail":{"type":"not_found","code":"voice_not_found","message":"No such voice.","param":"voice_id","request_id":"7f3a"}}`,
			"voice_not_found: voice_id: No such voice."},
		{"an error with a code and a type", `{"error":{"message":"You exceeded it.","type":"insufficient_quota","param":null,"code":"quota_of_month"}}`,
			"quota_of_month: You exceeded it."},
		{"a type beside an error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "overloaded_error: Overloaded"},
		{"RFC 9457", `{"type":"https://errors.example/out-of-credit","title":"Not enough credit.","detail":"Your balance is 30.","status":403}`,
			"out-of-credit: Not enough credit: Your balance is 30."},
		{"RFC 9457 without a type", `{"type":"about:blank","title":"Not Found","status":404}`, "Not Found"},
		{"JSON:API", `{"errors":[{"status":"422","code":"VOICE","title":"Invalid.","detail":"No voice.","source":{"pointer":"/data/voice"}},{"title":"Too long."}]}`,
			"VOICE: /data/voice: Invalid: No voice; Too long"},
		{"OAuth", `{"error":"invalid_scope","error_description":"The scope is too small."}`, "invalid_scope: The scope is too small."},
		{"NestJS", `{"statusCode":400,"message":["name must be a text"],"error":"Bad Request"}`, "name must be a text"},
		{"a message about success", `{"success":false,"status":"error","message":"Not today."}`, "Not today."},
		{"only a code", `{"error":"chapter_locked"}`, "chapter_locked"},
		{"a code in place of a message", `{"detail":"chapter_locked"}`, "chapter_locked"},
		{"a code that the words have", `{"code":"chapter_locked","message":"chapter_locked: wait."}`, "chapter_locked: wait."},
		{"a code that holds the key", `{"code":"mock-key","message":"Not today."}`, "(the API key): Not today."},
		{"a byte order mark", "\ufeff" + `{"detail":"Not today."}`, "Not today."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, client := startWith(t, mockserver.Fault{Status: http.StatusForbidden, Body: test.body})
			got := strings.TrimPrefix(text(getProject(t.Context(), client)), getProjectFailed+"403 Forbidden: ")
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestWhoseFaultARefusalIs: the status and the service's code tell, and not its words.
func TestWhoseFaultARefusalIs(t *testing.T) {
	t.Parallel()
	const wrongKey = `{"detail":{"status":"invalid_api_key","message":"Invalid API key"}}`
	for _, test := range []struct {
		name   string
		status int
		body   string
		kind   audioprojects.Kind
		quota  bool
	}{
		{"a chapter of that name", 422, `{"detail":{"message":"Chapter \"Opening Credits\" has no voice assigned"}}`, audioprojects.Rejected, false},
		{"a chapter that is too long", 422, `{"detail":{"status":"character_limit_exceeded","message":"A chapter has 100,000 characters at most."}}`, audioprojects.Rejected, false},
		{"a quota in prose", 403, `{"detail":"Quota managers may not convert."}`, audioprojects.Forbidden, false},
		{"payment required", 402, ``, audioprojects.Rejected, true},
		{"a quota", 401, `{"detail":{"status":"quota_exceeded","message":"This request exceeds your quota."}}`, audioprojects.Rejected, true},
		{"a quota for ever", 429, `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota."}}`, audioprojects.Rejected, true},
		{"a quota of another spelling", 403, `{"code":"InsufficientCredits"}`, audioprojects.Rejected, true},
		{"a quota in a type", 400, `{"type":"https://errors.example/out-of-credit","title":"No."}`, audioprojects.Rejected, true},
		{"a quota in a second code", 429, `{"error":{"code":"monthly","type":"insufficient_quota"}}`, audioprojects.Rejected, true},
		{"a quota beside 500", 500, `{"code":"quota_exceeded"}`, audioprojects.Ambiguous, true},
		{"too many requests", 429, `{"detail":{"status":"too_many_concurrent_requests"}}`, audioprojects.RateLimited, false},
		{"a wrong key", 401, wrongKey, audioprojects.Unauthorized, false},
		{"a key without a scope", 401, `{"detail":{"status":"missing_permissions","message":"The key lacks projects_write."}}`, audioprojects.Forbidden, false},
		{"a key without a scope, by RFC 6750", 401, `{"error":"insufficient_scope"}`, audioprojects.Forbidden, false},
		{"a quota that is all of a message", 403, `{"detail":"Insufficient balance."}`, audioprojects.Rejected, true},
		{"a timeout about a quota", 408, `{"detail":"The quota was not read."}`, audioprojects.Ambiguous, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, client := startWith(t, mockserver.Fault{Status: test.status, Body: test.body, Times: -1}, noRetries)
			var refused *audioprojects.Error
			err := convert(t.Context(), client)
			if !errors.As(err, &refused) || refused.Kind != test.kind || refused.ExceedsCredits() != test.quota {
				t.Errorf("got %+v, want %s, a quota: %t", refused, test.kind, test.quota)
			}
		})
	}
}

// TestARateThatIsRefusedWith403: a header says that no request is left, unless a code says that the scope is too small.
func TestARateThatIsRefusedWith403(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, value, body string
		kind              audioprojects.Kind
	}{
		{"X-RateLimit-Remaining", "0", `{"message":"Slow down."}`, audioprojects.RateLimited},
		{"RateLimit-Remaining", "0", ``, audioprojects.RateLimited},
		{"X-Rate-Limit-Remaining", "0", ``, audioprojects.RateLimited},
		{"X-RateLimit-Remaining", "1", ``, audioprojects.Forbidden},
		{"X-RateLimit-Remaining", "0", `{"code":"missing_permissions"}`, audioprojects.Forbidden},
		{"X-RateLimit-Remaining", "0", `{"code":"quota_exceeded"}`, audioprojects.Rejected},
	} {
		synctest.Test(t, func(t *testing.T) {
			service, client := startWith(t, mockserver.Fault{Status: 403, Body: test.body, Header: http.Header{test.name: {test.value}}})
			err := convert(t.Context(), client)
			if !errors.Is(err, test.kind) || errors.Is(err, audioprojects.Forbidden) != (test.kind == audioprojects.Forbidden) {
				t.Errorf("%s: %s %s: got %v, want %s", test.name, test.value, test.body, err, test.kind)
			}
			service.Inject(mockserver.Fault{Status: 403, Body: test.body, Header: http.Header{test.name: {test.value}}})
			err = getProject(t.Context(), client)
			if (err == nil) != (test.value == "0") {
				t.Errorf("%s: %s %s: got %v, want a rate to be waited for", test.name, test.value, test.body, err)
			}
		})
	}
}

// TestARefusalThatIsCalled200: the shape of the answer tells. It proves nothing, so that a conversion may be under way all the same.
func TestARefusalThatIsCalled200(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		says  string // empty: yes
		quota bool
	}{
		`{"success":false,"message":"Not today."}`:                               {"Not today.", false},
		`{"ok":false,"error":"Not today."}`:                                      {"Not today.", false},
		`{"Accepted":false}`:                                                     {`{"Accepted":false}`, false},
		`{"status":"rejected"}`:                                                  {"rejected", false},
		`{"status":"error","message":"Not today."}`:                              {"Not today.", false},
		`{"result":"FAILED","errmsg":"Not today."}`:                              {"Not today.", false},
		`{"status":422,"title":"Not today."}`:                                    {"Not today.", false},
		`{"code":40001,"msg":"quota"}`:                                           {"quota", true},
		`{"code":"40001","msg":"Not today."}`:                                    {"Not today.", false},
		`{"code":"quota_exceeded","message":"Not today."}`:                       {"quota_exceeded: Not today.", true},
		`{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`: {"insufficient balance", true},
		`{"data":null,"meta":{"code":-7,"message":"Not today."}}`:                {"Not today.", false},
		`{"error":{"code":"no_voice","message":"Not today."}}`:                   {"no_voice: Not today.", false},
		`{"error":{"code":403}}`:                                                 {`{"error":{"code":403}}`, false},
		`{"errors":[{"message":"Not today."}]}`:                                  {"Not today", false},
		`{"detail":{"status":"missing_permissions","message":"Not today."}}`:     {"missing_permissions: Not today.", false},
		`{"baseResp":{"statusCode":1008,"StatusMsg":"insufficient balance"}}`:    {"insufficient balance", true},
		`{"ret_code":-7,"error_msg":"Not today."}`:                               {"Not today.", false},
		`{"resultCode":"QUOTA_EXCEEDED","resultMessage":"Not today."}`:           {"QUOTA_EXCEEDED: Not today.", true},
		`{"isSuccess":"False","Message":"Not today."}`:                           {"Not today.", false},
		``:         {},
		`null`:     {},
		`"queued"`: {},
		`{}`:       {},
		`{"success":true,"error":null,"errors":[],"message":"Queued."}`:                       {},
		`{"success":true,"error":"none"}`:                                                     {},
		`{"base_resp":{"status_code":0,"status_msg":"success"}}`:                              {},
		`{"code":0,"msg":"ok"}`:                                                               {},
		`{"code":200,"message":"Conversion started."}`:                                        {},
		`{"code":20000,"message":"Success"}`:                                                  {},
		`{"code":1,"message":"Your chapter is on its way."}`:                                  {},
		`{"code":"NO_ERROR","message":"Your chapter is on its way."}`:                         {},
		`{"status":202,"detail":"Accepted"}`:                                                  {},
		`{"status":"queued","code":"OK","job":{"code":4711}}`:                                 {},
		`{"error":{"code":0,"message":"ok"}}`:                                                 {},
		`{"job":{"code":4711}}`:                                                               {},
		`{"errcode":0,"error_code":"","error":false}`:                                         {},
		`{"message":"No error."}`:                                                             {},
		`{"error":"none"}`:                                                                    {},
		`{"status":"converting","previous":{"status":"failed"}}`:                              {},
		`{"chapter":{"chapter_id":"c","state":"failed","last_conversion_error":"no voice"}}`:  {},
		`{"chapter_id":"c","state":"error","last_conversion_error":"no voice","status":null}`: {},
	} {
		_, client := startWith(t, mockserver.Fault{Operation: mockserver.ConvertChapter, Body: body}, noRetries)
		if body == "" {
			_, client = start(t)
		}
		err := convert(t.Context(), client)
		var refused *audioprojects.Error
		if !errors.As(err, &refused) {
			refused = &audioprojects.Error{}
		}
		isAsWanted := (err != nil) == (want.says != "") && refused.ExceedsCredits() == want.quota
		if !isAsWanted || err != nil && (err.Error() != convertFailed+"200 OK: "+want.says || !audioprojects.AnsweredWithError(err)) {
			t.Errorf("%s: got %v, want %s, a quota: %t", body, err, want.says, want.quota)
		}
	}
}

// TestAKeyThatIsRefusedForOneOperation, and accepted for another, before or at the same time. A code that says that the key itself is refused
// wins.
func TestAKeyThatIsRefusedForOneOperation(t *testing.T) {
	t.Parallel()
	for code, isOfKey := range map[string]bool{
		"unauthorized": false, "invalid_request": false, "missing_permissions": false, "invalid_scope": false, "access_denied": false, "disabled": false, "not_found": false,
		"invalid_api_key": true, "InvalidApiKey": true, "revoked": true, "expired": true, "key_disabled": true, "api-key-revoked": true,
		"token_expired": true, "invalid_token": true, "api_key_not_found": true, "apikey_expired": true, "deactivated_key": true, "key.inactive": true,
		"invalid_x_api_key": true, "api_key_not_valid": true, "api_key_has_expired": true, "key_was_revoked": true, "wrong_api_key": true,
	} {
		for _, status := range []int{401, 403} {
			service, client := start(t, noRetries)
			service.Inject(mockserver.Fault{Status: status, Body: `{"detail":{"status":"` + code + `","message":"No."}}`})
			var refused *audioprojects.Error
			err := convert(t.Context(), client)
			isKnown := errors.As(err, &refused) && refused.LacksScope()
			if isOfKey && isKnown || isOfKey != refused.RefusesKey() {
				t.Errorf("%d %s: got %+v, want a key that is not known", status, code, refused)
			}
			err = getProject(t.Context(), client)
			if err != nil {
				t.Fatal(err)
			}
			if refused.LacksScope() == isOfKey || isOfKey != errors.Is(refused, audioprojects.Unauthorized) && status == 403 {
				t.Errorf("%d %s: the service has accepted the key, and the code is about it: %t", status, code, isOfKey)
			}
		}
	}
}

// TestTheServiceAnsweredWithAnError: a page of a gateway is not the service's answer.
func TestTheServiceAnsweredWithAnError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		body   string
		want   bool
	}{
		{500, `{"detail":{"status":"no_voice","message":"Chapter 3 has no voice."}}`, true},
		{500, `{"error":"no_voice"}`, true},
		{500, `"Chapter 3 has no voice."`, true},
		{500, `{}`, false},
		{500, `Internal Server Error`, false},
		{500, `<html>`, false},
		{500, ``, false},
		{502, `{"detail":"Bad gateway"}`, false},
		{503, `{"detail":"Overloaded"}`, false},
		{422, `{"detail":"No voice"}`, false},
	} {
		_, client := startWith(t, mockserver.Fault{Status: test.status, Body: test.body})
		got := audioprojects.AnsweredWithError(convert(t.Context(), client))
		if got != test.want {
			t.Errorf("%d %s: got %t, want %t", test.status, test.body, got, test.want)
		}
	}
}

func TestTheIDOfARequestInABody(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ body, header, want string }{
		"of a refusal":         {`{"request_id":"7f3a","detail":"No."}`, "", "7f3a"},
		"inside":               {`{"detail":{"request_id":"7f3a","message":"No."}}`, "", "7f3a"},
		"in another spelling":  {`{"error":{"requestId":"7f3a"}}`, "", "7f3a"},
		"of a trace":           {`{"trace_id":"7f3a"}`, "", "7f3a"},
		"a header counts more": {`{"request_id":"7f3a"}`, "8b", "8b"},
		"too long":             {`{"request_id":"` + strings.Repeat("7", 101) + `"}`, "", strings.Repeat("7", 100) + "…"},
		"with the key":         {`{"request_id":"a mock-key\tb"}`, "", "a (the API key) b"},
		"no text":              {`{"request_id":7}`, "", ""},
	} {
		_, client := startWith(t, mockserver.Fault{Status: 422, Body: test.body, Header: http.Header{"X-Request-Id": {test.header}}})
		var refused *audioprojects.Error
		err := convert(t.Context(), client)
		if !errors.As(err, &refused) || refused.RequestID != test.want {
			t.Errorf("%s: got %+v, want the id %q", name, refused, test.want)
		}
	}
}
