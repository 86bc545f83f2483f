package audioprojects_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestErrorBody_messagesAndCodes has the bodies of refusals that large services send or document.
func TestErrorBody_messagesAndCodes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"a code and a message", `{"detail":{"status":"voice_not_found","message":"A voice was not found."}}`, "voice_not_found: A voice was not found."},
		{"all that one service says", `{"detail":{"type":"not_found","code":"voice_not_found","message":"No such voice.","param":"voice_id","request_id":"7f3a"}}`,
			"voice_not_found: No such voice."},
		{"an error with a code and a type", `{"error":{"message":"You exceeded it.","type":"insufficient_quota","param":null,"code":"quota_of_month"}}`,
			"quota_of_month: You exceeded it."},
		{"a type beside an error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "overloaded_error: Overloaded"},
		{"a detail before a message", `{"message":"No.","detail":"Not today."}`, "Not today."},
		{"a code in place of a message", `{"detail":"quota_exceeded"}`, "quota_exceeded"},
		{"a code that the words have", `{"code":"chapter_locked","message":"chapter_locked: wait."}`, "chapter_locked: wait."},
		{"only a code", `{"detail":{"status":"chapter_locked"}}`, "chapter_locked"},
		{"a code that holds the key", `{"code":"mock-key","message":"Not today."}`, "(the API key): Not today."},
		{"a sentence in place of a code", `{"status":"Not so fast","message":"Not today."}`, "Not today."},
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

// TestError_whoseFaultItIs: the status and the service's exact code tell, and not its words.
func TestError_whoseFaultItIs(t *testing.T) {
	t.Parallel()
	code := func(code string) string { return `{"detail":{"status":"` + code + `","message":"No."}}` }
	for _, test := range []struct {
		name   string
		status int
		body   string
		kind   audioprojects.Kind
		quota  bool
	}{
		{"refused", 400, `{"detail":"No."}`, audioprojects.Rejected, false},
		{"refused with a status that has no name", 499, ``, audioprojects.Rejected, false},
		{"failed with a status that has no name", 599, ``, audioprojects.Ambiguous, false},
		{"a 401 without a code", 401, ``, audioprojects.Unauthorized, false},
		{"a 403 without a code", 403, ``, audioprojects.Forbidden, false},
		{"a chapter of that name", 422, `{"detail":{"message":"Chapter \"Opening Credits\" has no voice assigned"}}`, audioprojects.Rejected, false},
		{"a quota in prose", 403, `{"detail":"Your quota_exceeded."}`, audioprojects.Forbidden, false},
		{"another code with a quota", 403, code("quota_exceeded_soon"), audioprojects.Forbidden, false},
		{"payment required", 402, ``, audioprojects.Rejected, true},
		{"payment required, in prose", 402, `{"detail":"Payment required"}`, audioprojects.Rejected, true},
		{"payment required, as every error says that it is one", 402, `{"status":"error","error":{"type":"Failure","message":"No."}}`, audioprojects.Rejected, true},
		{"one voice that the plan lacks", 402, code("payment_required"), audioprojects.Rejected, false},
		{"one voice that the plan lacks, with a code in place of a message", 402, `{"error":"voice_not_in_plan"}`, audioprojects.Rejected, false},
		{"a quota called 402", 402, code("quota_exceeded"), audioprojects.Rejected, true},
		{"something that a conversion does not find", 404, code("voice_not_found"), audioprojects.Rejected, false},
		{"a quota called 401", 401, code("quota_exceeded"), audioprojects.Rejected, true},
		{"a quota called 429", 429, `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota."}}`, audioprojects.Rejected, true},
		{"a quota that is all of a message", 400, `{"detail":"quota_exceeded"}`, audioprojects.Rejected, true},
		{"a quota in a second code", 403, `{"error":{"code":"monthly","type":"insufficient_quota"}}`, audioprojects.Rejected, true},
		{"a quota beside 500", 500, code("quota_exceeded"), audioprojects.Ambiguous, true},
		{"a timeout about a quota", 408, `{"detail":"The quota was not read."}`, audioprojects.Ambiguous, false},
		{"so many at a time", 429, code("too_many_concurrent_requests"), audioprojects.AtCapacity, false},
		{"busy", 429, code("system_busy"), audioprojects.RateLimited, false},
		{"a rate that is called 403", 403, code("rate_limit_exceeded"), audioprojects.RateLimited, false},
		{"a wrong key", 401, code("invalid_api_key"), audioprojects.Unauthorized, false},
		{"a wrong key called 403", 403, code("invalid_api_key"), audioprojects.Unauthorized, false},
		{"a key without a scope", 401, code("missing_permissions"), audioprojects.Forbidden, false},
		{"a key without a scope, by RFC 6750", 401, `{"error":"insufficient_scope"}`, audioprojects.Forbidden, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, client := startWith(t, mockserver.Fault{Status: test.status, Body: test.body}, noRetries)
			var refused *audioprojects.Error
			err := convert(t.Context(), client)
			if !errors.As(err, &refused) || refused.Kind != test.kind || refused.ExceedsCredits() != test.quota {
				t.Errorf("got %+v, want %s, a quota: %t", refused, test.kind, test.quota)
			}
		})
	}
}

// TestError_atCapacityOrRateLimited: a 429 to a conversion is about the number of those that run only if its code says
// so. Any other is about the rate of requests, and so is one to a list.
func TestError_atCapacityOrRateLimited(t *testing.T) {
	t.Parallel()
	const number, rate = "too_many_concurrent_requests", "too_many_requests"
	for _, test := range []struct {
		status           int
		code, retryAfter string
		want             audioprojects.Kind
	}{
		{429, number, "", audioprojects.AtCapacity}, {429, number, "7", audioprojects.AtCapacity},
		{429, rate, "", audioprojects.RateLimited}, {429, "system_busy", "", audioprojects.RateLimited},
		{429, "anything_else", "", audioprojects.RateLimited}, {400, number, "", audioprojects.RateLimited},
		{429, "", "", audioprojects.RateLimited}, {429, "", "7", audioprojects.RateLimited},
	} {
		refusal := mockserver.Fault{
			Status: test.status, Body: `{"detail":{"status":"` + test.code + `","message":"No."}}`, Header: http.Header{"Retry-After": {test.retryAfter}},
		}
		_, client := startWith(t, refusal, noRetries)
		_, err := client.ConvertChapter(t.Context(), "p", "c", permit(t.Context(), client))
		if !errors.Is(err, test.want) {
			t.Errorf("%+v: got %v", test, err)
		}
		_, client = startWith(t, refusal, noRetries)
		err = getProject(t.Context(), client)
		if !errors.Is(err, audioprojects.RateLimited) {
			t.Errorf("%+v: got %v for a project", test, err)
		}
	}
}

// TestError_keyRefusedForOneOperation, and accepted for another, before or at the same time, lacks the scope. A code that says that the
// key itself is refused wins.
func TestError_keyRefusedForOneOperation(t *testing.T) {
	t.Parallel()
	for code, isOfKey := range map[string]bool{
		"unauthorized": false, "missing_permissions": false, "access_denied": false, "not_found": false, "key_disabled_soon": false,
		"invalid_api_key": true, "api_key_revoked": true, "api_key_expired": true, "invalid_token": true,
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
			if err := getProject(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			if refused.LacksScope() == isOfKey || isOfKey != errors.Is(refused, audioprojects.Unauthorized) && status == 403 {
				t.Errorf("%d %s: the service has accepted the key, and the code is about it: %t", status, code, isOfKey)
			}
		}
	}
}

// TestError_keyAcceptedBefore for the same operation, of whatever project or chapter, is an expired or a revoked one. If the
// operation is accepted after that, the refusal was not about the key.
func TestError_keyAcceptedBefore(t *testing.T) {
	t.Parallel()
	list := func(ctx context.Context, client *audioprojects.Client) error {
		_, err := client.ListChapters(ctx, "p")
		return err
	}
	listProjects := func(ctx context.Context, client *audioprojects.Client) error {
		_, err := client.ListProjects(ctx)
		return err
	}
	convertOther := func(ctx context.Context, client *audioprojects.Client) error {
		_, err := client.ConvertChapter(ctx, "p", "other", permit(ctx, client))
		return err
	}
	type operation = func(context.Context, *audioprojects.Client) error
	const silent, revoked = `{"detail":"No."}`, `{"detail":{"status":"api_key_revoked"}}`
	for _, test := range []struct {
		name                        string
		before                      operation // accepted; nil: none
		refused                     operation
		status                      int
		body                        string
		after                       operation // accepted; nil: none
		expired, lacksScope, ofThis bool
	}{
		{"nothing was accepted", nil, convert, 401, silent, nil, false, false, false},
		{"another operation was", list, convert, 401, silent, nil, false, true, false},
		{"a longer path", list, getProject, 401, silent, nil, false, true, false},
		{"the list of all projects", listProjects, getProject, 401, silent, nil, false, true, false},
		{"the same operation of another chapter", convertOther, convert, 401, silent, nil, true, false, false},
		{"the same operation, and once more since", convertOther, convert, 401, silent, convertOther, false, false, true},
		{"the same operation since", nil, convert, 401, silent, convertOther, false, false, true},
		{"a key that the service calls revoked", list, convert, 401, revoked, nil, true, false, false},
		{"a key that the service calls revoked, never accepted", nil, convert, 401, revoked, nil, false, false, false},
		{"403 for one chapter", convertOther, convert, 403, silent, nil, false, false, true},
		{"403 for an operation", list, convert, 403, silent, nil, false, true, false},
		{"403 for a scope, as the service says", convertOther, convert, 403, `{"error":"insufficient_scope"}`, nil, false, true, false},
		{"401 for a scope, as the service says", convertOther, convert, 401, `{"error":"insufficient_scope"}`, nil, false, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			service, client := start(t, noRetries)
			accept := func(operation operation) {
				if operation == nil {
					return
				}
				service.Inject(mockserver.Fault{Body: `{"project_id":"p","projects":[],"chapters":[]}`})
				if err := operation(t.Context(), client); err != nil {
					t.Fatal(err)
				}
			}
			accept(test.before)
			service.Inject(mockserver.Fault{Status: test.status, Body: test.body})
			err := test.refused(t.Context(), client)
			accept(test.after)
			var refused *audioprojects.Error
			if !errors.As(err, &refused) {
				t.Fatalf("got error %v", err)
			}
			if refused.KeyHasExpired() != test.expired || refused.LacksScope() != test.lacksScope || refused.ConcernsOneRequest() != test.ofThis {
				t.Errorf("expired: got %t, want %t; lacks the scope: got %t, want %t; concerns one request: got %t, want %t", refused.KeyHasExpired(),
					test.expired, refused.LacksScope(), test.lacksScope, refused.ConcernsOneRequest(), test.ofThis)
			}
		})
	}
}

// TestAnsweredWithError: a page of a gateway is not the service's answer.
func TestAnsweredWithError(t *testing.T) {
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
