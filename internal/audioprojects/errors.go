package audioprojects

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Kind says what a failed request means for its caller. It is an error itself, so
// that errors.Is(err, [NotFound]) tests for it. The document gives no error codes
// (section 7); the kinds follow the meaning of the HTTP status.
type Kind string

const (
	// NotFound means that the service does not know the identifier (404). A conversion that is refused with 404 is [Rejected]: see
	// [ConversionNotFound].
	NotFound Kind = "not found"
	// Unauthorized means that the API key is missing or not valid: 401, or a 403 with a code that says so.
	Unauthorized Kind = "unauthorized"
	// Forbidden means that the key's scope or the account's access does not allow it: 403, or a 401 with a code that
	// says so.
	Forbidden Kind = "forbidden"
	// RateLimited means too many requests: 429, or a code that says so, or that an earlier 429 asks for a longer pause than the request can
	// wait. The service has not begun what was requested.
	RateLimited Kind = "rate limited"
	// AtCapacity means that the service runs no more conversions at a time: 429 to a conversion, with a code that says so. The service has not
	// begun the conversion.
	AtCapacity Kind = "at capacity"
	// Rejected means that the service refuses the request for another reason (any other 4xx but 408), such as the quota.
	Rejected Kind = "rejected"
	// NotSent means that the service cannot have received the request: there was no connection, or an
	// identifier is not allowed ([CheckID]).
	NotSent Kind = "not sent"
	// Ambiguous means that the service may or may not have done what was requested (5xx, 408,
	// a redirect, a connection that broke after sending, an answer that cannot be read).
	Ambiguous Kind = "no clear answer"
)

func (k Kind) Error() string { return string(k) }

// Error is a request that failed. Find it with [errors.As].
type Error struct {
	Kind Kind
	// Method and Path name the request. The path is that of the address to which it was sent, escaped, without the API key.
	Method, Path string
	// RepeatedAPIPath is the API path if the base URL ends with it already, such as /v1; empty otherwise.
	RepeatedAPIPath string
	// Host is that of the base URL, and RequestID what the service calls the request, if it says so.
	Host, RequestID string
	// Status is the HTTP status, 0 when no answer came.
	Status int
	// Message is the message of the service, or of the network when no answer came: at most 500 characters, without an HTML page,
	// control characters or the API key.
	Message string
	// Codes are what the service says to programs, such as quota_exceeded; the one that says most first. None hold
	// the API key.
	Codes []string
	// Explained: the body is JSON, and says something of a refusal, as those of a service do, and those of gateways
	// seldom.
	Explained bool
	// RetryAfter is how long the service asks for no requests, from now on; 0 when it does not say. At most a day.
	RetryAfter time.Duration
	// Err is the cause if it is not the service's message: an error of the network, whose own text may hold the key, of the answer's
	// shape, or a redirect.
	Err error

	key keyHistory
}

// Error names the request, the status, the service's message and the cause.
func (e *Error) Error() string {
	return strings.Join(append([]string{e.Method + " " + e.Path}, e.answer()...), ": ")
}

// Answer is the status, the service's message and the cause, without the request.
func (e *Error) Answer() string { return strings.Join(e.answer(), ": ") }

func (e *Error) answer() (parts []string) {
	if e.Status != 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))))
	}
	said := errorBody{message: e.Message, codes: e.Codes}.sentence()
	switch {
	case said != "":
		parts = append(parts, said)
	case e.Err != nil:
		parts = append(parts, e.Err.Error())
	}
	return parts
}

// Unwrap gives the kind and the cause to [errors.Is] and [errors.As].
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// responseError is the error of an answer that is not a success. Its kind follows from the status and the service's codes,
// never from its words: "Opening Credits" is a chapter's name, and says nothing about an account.
func (c *Client) responseError(call call, response *http.Response) *Error {
	failure := c.ambiguousError(response, nil)
	failure.RetryAfter, failure.key = retryAfter(response), c.keyHistory(call.operation())
	status := response.StatusCode
	if status >= 300 && status <= 399 {
		failure.Err = c.redirectError(response)
		return failure
	}
	said := c.readErrorBody(response.Body)
	failure.Message, failure.Codes, failure.Explained = said.message, said.codes, said.isJSON
	failure.RequestID = cmp.Or(failure.RequestID, said.requestID)
	switch {
	case status >= 500, status == http.StatusRequestTimeout:
		failure.Kind = Ambiguous
	case failure.ExceedsCredits():
		failure.Kind = Rejected
	case call.isConversion() && status == http.StatusTooManyRequests && failure.hasCode(codeAtCapacity):
		failure.Kind = AtCapacity
	case status == http.StatusTooManyRequests, failure.hasCode(codeRateLimited), failure.hasCode(codeAtCapacity):
		failure.Kind = RateLimited
	case status == http.StatusUnauthorized && !failure.hasCode(codeScopeTooSmall), status == http.StatusForbidden && failure.hasCode(codeKeyInvalid):
		failure.Kind = Unauthorized
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		failure.Kind = Forbidden
	case status == http.StatusNotFound && !call.isConversion():
		failure.Kind = NotFound
	case status >= 400:
		failure.Kind = Rejected
	}
	return failure
}

// ambiguousError is the error of an answer with a cause that is not the service's message, and of a refusal before it is read.
func (c *Client) ambiguousError(response *http.Response, err error) *Error {
	id := cmp.Or(response.Header.Get("X-Request-Id"), response.Header.Get("Request-Id")) // of the service, or of the gateway in front of it
	unclear := c.newError(Ambiguous, response.Request.Method, response.Request.URL.EscapedPath(), err)
	unclear.Status, unclear.RequestID = response.StatusCode, c.config.excerpt(id)
	return unclear
}

// checkProxyConnect keeps what net/http would make a bare text of.
func checkProxyConnect(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return errors.New("the proxy answered " + answer.Status)
}

// redirectError names the host of the new address, and the path if the host is that of the base URL. The rest may
// contain a key or a signature, because the service wrote it.
func (c *Client) redirectError(response *http.Response) error {
	target, err := response.Location()
	if err != nil {
		return errors.New("the redirect names no address")
	}
	named := &url.URL{Scheme: target.Scheme, Host: target.Host}
	requested := response.Request.URL
	if origin(requested) == origin(target) {
		named.Path, named.RawPath = target.Path, target.RawPath
	}
	if response.Request.Method == http.MethodGet && origin(requested) == origin(target) {
		return fmt.Errorf("the provider has followed %d redirects, and does not follow another one to %s", mostRedirects, c.config.excerpt(named.String()))
	}
	return fmt.Errorf("the provider does not follow a redirect to %s: it sends a POST only once, and the API key only to the host of `base_url`",
		c.config.excerpt(named.String()))
}

// transportMessage is the text of an error of net/http, without the method and address, because [Error] has them already.
func (s sanitizer) transportMessage(err error) string {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return s.excerpt(err.Error())
}

// ExceedsCredits reports whether a request was refused because of the account's credits or the key's quota. The
// document knows both, and not how a service refuses what exceeds them (sections 5 and 8): a code says so beside any status, or 402 does
// alone. A code of its own beside 402 says something else: the plan lacks one voice, for example.
func (e *Error) ExceedsCredits() bool {
	return e.QuotaExceeded() || e.Status == http.StatusPaymentRequired && !e.hasSpecificCode()
}

// QuotaExceeded reports whether a code says that the account's credits or the key's quota do not cover a request. So
// they cover no other one.
func (e *Error) QuotaExceeded() bool { return e.hasCode(codeQuotaExceeded) }

// IsLike reports whether another request was refused for the same reason, as far as the status and the first code tell.
// Messages may have an identifier in them.
func (e *Error) IsLike(other *Error) bool {
	firstCode := func(refused *Error) string { return strings.Join(refused.Codes[:min(1, len(refused.Codes))], "") }
	return e.Status == other.Status && firstCode(e) == firstCode(other)
}

// ConversionNotFound reports whether the service has answered 404 to the request for a conversion. It does not find the chapter, although
// its list has it, or something that the conversion needs, such as a voice.
func ConversionNotFound(err error) bool {
	failed, ok := errors.AsType[*Error](err)
	return ok && failed.Status == http.StatusNotFound && failed.Kind == Rejected && !failed.ExceedsCredits()
}

// LacksScope reports whether the service knows the API key, and refuses it for this operation: it says that the key's scope is too small,
// or has accepted the key in this run, also after this error, for other operations only.
func (e *Error) LacksScope() bool {
	ofThis, all := e.key.now()
	switch e.Kind {
	case Forbidden:
		return e.hasCode(codeScopeTooSmall) || ofThis == 0
	case Unauthorized:
		return !e.RefusesKey() && ofThis == 0 && all > 0
	default:
		return false
	}
}

// KeyHasExpired reports whether the service refuses an API key that it had accepted for the same operation, and has not accepted for it
// since. If its code says that the key itself is not valid, it is enough that it had accepted the key at all.
func (e *Error) KeyHasExpired() bool {
	ofThis, _ := e.key.now()
	if e.RefusesKey() {
		return e.key.totalThen > 0
	}
	return e.Kind == Unauthorized && e.key.operationThen > 0 && ofThis == e.key.operationThen
}

// ConcernsOneRequest reports whether the service refuses access to what this request is about, and neither the API key nor the operation:
// it accepts the same operation for something else.
func (e *Error) ConcernsOneRequest() bool {
	isAboutAccess := e.Kind == Unauthorized && !e.RefusesKey() || e.Kind == Forbidden
	return isAboutAccess && !e.LacksScope() && !e.KeyHasExpired() && e.OperationAccepted()
}

// OperationAccepted reports whether the service has accepted the same operation in this run, for whatever project or chapter, also after
// this error.
func (e *Error) OperationAccepted() bool {
	ofThis, _ := e.key.now()
	return ofThis > 0
}

// AnythingAccepted reports whether the service has accepted any request in this run, also after this error. Then its
// operations are where the client looks for them.
func (e *Error) AnythingAccepted() bool {
	_, all := e.key.now()
	return all > 0
}

// RefusesKey reports whether the service says with a code that the API key itself is not valid, such as revoked: also one that it has
// accepted before.
func (e *Error) RefusesKey() bool { return e.Kind == Unauthorized && e.hasCode(codeKeyInvalid) }

// Permanent reports whether it is of no use to ask again: the service does not know the identifier, or refuses the key.
func Permanent(err error) bool {
	return errors.Is(err, NotFound) || errors.Is(err, Unauthorized) || errors.Is(err, Forbidden)
}

// Unreadable reports whether something else came than what was asked for: a page, JSON of another shape, or a redirect, to a sign-in say.
func Unreadable(err error) bool {
	failed, ok := errors.AsType[*Error](err)
	return ok && failed.Kind == Ambiguous && failed.Status >= 200 && failed.Status <= 399
}

// HandshakeFailed reports whether the service's certificate is not trusted, the service does not trust this client, or the port speaks another
// protocol. Another connection would end in the same way.
func HandshakeFailed(err error) bool {
	_, distrusted := errors.AsType[*tls.CertificateVerificationError](err)
	return distrusted || TLSIncompatible(err) || WrongProtocol(err) != ""
}

// TLSIncompatible reports whether the service and this client agree on no TLS connection: the service asks for a client certificate, or
// speaks only old versions. The errors of crypto/tls have no type.
func TLSIncompatible(err error) bool {
	return err != nil && slices.ContainsFunc(tlsIncompatibilities, func(says string) bool { return strings.Contains(err.Error(), says) })
}

var tlsIncompatibilities = []string{
	"tls: certificate required", "tls: bad certificate", "tls: handshake failure", "unsupported protocol version", "tls: protocol version not supported",
}

// WrongProtocol is what the port of the base URL speaks, if that shows that it is not what the URL says: TLS, or plain HTTP; else empty.
func WrongProtocol(err error) string {
	_, isNoRecord := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case isNoRecord, errors.Is(err, http.ErrSchemeMismatch):
		return "plain HTTP"
	case err != nil && strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`): // a TLS alert; net/http has no type for it
		return "TLS"
	default:
		return ""
	}
}

// Refused reports whether the service refuses what was requested, although it may answer other requests. Services do so with a 4xx, or
// with 500; what says that they are down or busy refuses nothing.
func Refused(err error) bool {
	failed, ok := errors.AsType[*Error](err)
	return ok && (failed.Kind == Rejected || failed.Status == http.StatusInternalServerError || Permanent(err))
}

// AnsweredWithError reports whether the service itself has answered 500, in words. Large services refuse requests so. It proves nothing:
// the service may have begun what was requested.
func AnsweredWithError(err error) bool {
	failed, ok := errors.AsType[*Error](err)
	return ok && failed.Explained && failed.Status == http.StatusInternalServerError
}

// IsRedirect reports whether the service sends elsewhere.
func IsRedirect(err error) bool {
	failed, ok := errors.AsType[*Error](err)
	return ok && failed.Status >= 300 && failed.Status <= 399
}

// MayMeanBusy reports whether a conversion may have been refused because the chapter is converting already. The document gives no status
// for that (section 7); services use 409 and 400.
func MayMeanBusy(err error) bool {
	failure, ok := errors.AsType[*Error](err)
	return ok && (failure.Status == http.StatusConflict || failure.Status == http.StatusBadRequest)
}

// RetryAfter is the pause that the service asks for; 0 if it asks for none.
func RetryAfter(err error) time.Duration {
	failure, ok := errors.AsType[*Error](err)
	if ok {
		return failure.RetryAfter
	}
	return 0
}
