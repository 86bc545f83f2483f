// Package audioprojects is a client of the Audio Projects Service Interface
// Specification ("the document"): one method for each operation of its section 4.
// It knows nothing of Terraform.
package audioprojects

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-cleanhttp"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

const (
	// maxAnswer limits a JSON answer held in memory: 16 MiB, some forty thousand chapters.
	maxAnswer = 16 << 20
	// maxValues limits the number of JSON values in an answer, and so the memory that decoding takes: `{},` is
	// three bytes as text and a hundred once decoded. Forty thousand chapters with all their fields have fewer values.
	maxValues = 1 << 20
	// mostWrites is how often net/http may write a request that may be repeated, in one attempt.
	mostWrites = 3
)

// Config says where the service is, and how long and how often to try it.
type Config struct {
	// BaseURL is the address that all paths of the document are relative to, as [ParseBaseURL] returns it.
	BaseURL *url.URL
	// APIPath is where the operations begin under BaseURL, as [CheckAPIPath] allows it; empty means /v1.
	APIPath string
	// APIKey is sent as xi-api-key with every request (section 5). [CheckAPIKey] allows it.
	APIKey string
	// UserAgent is sent as User-Agent with every request.
	UserAgent string
	// RequestTimeout limits one attempt of one request; for audio, the silence between two bytes.
	RequestTimeout time.Duration
	// MaxRetries is the number of further attempts of a request that may safely be repeated.
	MaxRetries int
	// Transport carries the requests; nil means a pooled one that honours the proxy variables.
	Transport *http.Transport
	// Log is called after every attempt; nil means no log.
	Log func(context.Context, Exchange)

	sanitizer // of APIKey; set by [New]
}

// Client sends requests to the service. It is safe for concurrent use.
type Client struct {
	config   Config
	accepted *acceptedOperations
	// repeatable sends requests that change nothing, and repeats them after a failure.
	repeatable *retryablehttp.Client
	// once sends requests that cost credits, and never repeats them: the caller must look at the chapter before it sends another.
	once *retryablehttp.Client
	// streaming sends requests that are answered with audio, however long that takes.
	streaming *retryablehttp.Client
	pace      *pace.Pace
	// keepsRaw: see WithRaw.
	keepsRaw bool
}

// New returns a client.
func New(config Config) *Client {
	config.sanitizer = sanitizer{newKeyMask(config.APIKey)}
	if config.Transport == nil {
		config.Transport = newTransport()
	}

	limit := pace.New()
	shared := attemptTransport{Transport: config.Transport, config: config, pace: limit, writes: mostWrites}
	unshared, streaming := shared, shared
	unshared.Transport, unshared.writes = newUnsharedTransport(config.Transport), 1
	streaming.idleOnly = true
	return &Client{
		config:     config,
		pace:       limit,
		accepted:   &acceptedOperations{byOperation: map[string]int{}},
		repeatable: newRetryClient(shared, config.MaxRetries),
		once:       newRetryClient(unshared, 0),
		streaming:  newRetryClient(streaming, config.MaxRetries),
	}
}

// newUnsharedTransport is for requests that cost. The service may close an idle connection just when a request is sent
// on it, and HTTP/2 may reset a stream. Then nobody knows whether the request was received, and net/http may send it
// again. So each of these requests has a connection of its own, with HTTP/1.1. Protocols keeps net/http from setting up
// HTTP/2 for this transport. The TLS settings are a copy of those in which it has done so for the shared one: with
// their NextProtos, the service would choose HTTP/2, which nobody here would speak.
func newUnsharedTransport(shared *http.Transport) *http.Transport {
	unshared := shared.Clone()
	unshared.DisableKeepAlives = true
	unshared.Protocols = new(http.Protocols)
	unshared.Protocols.SetHTTP1(true)
	if unshared.TLSClientConfig == nil {
		unshared.TLSClientConfig = new(tls.Config)
	}
	unshared.TLSClientConfig.NextProtos = []string{"http/1.1"}
	return unshared
}

func newTransport() *http.Transport {
	transport := cleanhttp.DefaultPooledTransport()
	transport.OnProxyConnectResponse = checkProxyConnect
	return transport
}

// Address is where the service's operations begin: the base URL, and the path under it (section 4). It does not show the API key.
func (c *Client) Address() string {
	return c.config.excerpt(c.config.host() + c.config.basePath() + c.config.apiPath())
}

// call is one request of an operation.
type call struct {
	sender   *retryablehttp.Client
	method   string
	elements []string     // of the path
	body     any          // JSON, as bytes; nil: none
	permit   *pace.Permit // to request a conversion; nil for all other operations
	// handle reads a success. If that breaks off, the request is repeated; another attempt would not change a final error.
	handle func(response *http.Response) (final, broken error)
}

func (c call) isConversion() bool { return c.permit != nil }

// get asks for the JSON document at the given path elements, and decodes it. Any successful status will do.
func get[T any](
	ctx context.Context, c *Client, decode func(response *http.Response, text []byte) (T, error), elements ...string,
) (answer T, err error) {
	err = c.send(ctx, call{
		sender: c.repeatable, method: http.MethodGet, elements: elements,
		handle: func(response *http.Response) (final, broken error) {
			return c.readAll(response, func(text []byte) (err error) {
				err = c.config.checkJSON(text)
				if err == nil {
					answer, err = decode(response, text)
				}
				return err
			})
		},
	})
	return answer, err
}

// getList asks for the list at the given path elements, whose last one is its name.
func getList[T any](
	ctx context.Context, c *Client, shape listShape, decode func(subject string, text []byte) (T, error), elements ...string,
) ([]T, error) {
	name := elements[len(elements)-1]
	return get(ctx, c, func(response *http.Response, text []byte) ([]T, error) {
		return decodeList(c, name, shape, response, text, decode)
	}, elements...)
}

// readAll handles an answer whose text is read at once. If read fails, the answer is unclear.
func (c *Client) readAll(response *http.Response, read func(text []byte) error) (final, broken error) {
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the answer broke off after %d bytes: %w", len(text), err)
	case len(text) > maxAnswer:
		err = fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
	case atMostValues(text) > maxValues:
		err = fmt.Errorf("the answer contains more than %d million values", maxValues>>20)
	default:
		err = read(bytes.TrimPrefix(text, byteOrderMark))
	}
	if err != nil {
		return c.ambiguousError(response, err), nil
	}
	return nil, nil
}

// send makes one request, with the repetitions its sender allows. An answer that is not a success is returned as an [*Error].
func (c *Client) send(ctx context.Context, call call) (final error) {
	path, err := escapePath(c.config.basePath(), c.config.apiPath(), call.elements)
	if err != nil {
		return c.newError(NotSent, call.method, path, err)
	}
	ctx, _ = withRequestState(ctx, call.permit)
	request, err := retryablehttp.NewRequestWithContext(ctx, call.method, c.config.host()+path, call.body)
	if err != nil {
		return c.newError(NotSent, call.method, path, err)
	}
	request.Header.Set("xi-api-key", c.config.APIKey)
	request.Header.Set("User-Agent", c.config.UserAgent)
	request.Header.Set("Accept", "application/json")
	if call.method == http.MethodGet { // A cache does not know that xi-api-key is an authorization, and may answer for the service.
		request.Header.Set("Cache-Control", "no-cache")
	}
	if call.sender == c.streaming {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "audio/*, application/octet-stream")
		// Without compression, so that Content-Length reports whether all of the audio has come.
		request.Header.Set("Accept-Encoding", "identity")
		// Not sent, and tells net/http to send the request again if the connection turns out to have been closed before.
		request.Header["X-Idempotency-Key"] = nil
	}
	request.SetResponseHandler(func(response *http.Response) (broken error) {
		if succeeded(response) {
			final, broken = call.handle(response)
			if final == nil && broken == nil { // The page of a gateway says nothing of the key.
				c.accepted.add(call.operation())
			}
		}
		return broken
	})
	response, err := call.sender.Do(request)
	if response != nil {
		defer response.Body.Close()
		setAge(ctx, response)
	}
	switch {
	case err != nil:
		return c.transportError(request, path, err)
	case succeeded(response):
		return final
	}
	return c.responseError(call, response)
}

// Pace is that of all requests of this client.
func (c *Client) Pace() *pace.Pace { return c.pace }

func succeeded(response *http.Response) bool {
	return response.StatusCode >= 200 && response.StatusCode <= 299
}

// transportError is the error of a request without an answer, or with one that call.handle could not read.
func (c *Client) transportError(request *retryablehttp.Request, path string, err error) error {
	var known *Error // of call.handle
	if errors.As(err, &known) {
		known.Method, known.Path, known.Host = request.Method, c.config.excerpt(path), c.config.BaseURL.Host
		return known
	}
	kind, pause := Ambiguous, new(pace.PauseError)
	isPaused := errors.As(err, &pause)
	switch {
	case isPaused:
		kind, err = RateLimited, pause
	case !requestStateOf(request.Context()).connected.Load(), WrongProtocol(err) != "":
		kind = NotSent
	}
	failed := c.newError(kind, request.Method, path, err)
	failed.RetryAfter = pause.Left
	failed.Message = c.config.transportMessage(err)
	return failed
}

// newError is the error of a request without an answer.
func (c *Client) newError(kind Kind, method, path string, err error) *Error {
	failed := &Error{Kind: kind, Method: method, Path: c.config.excerpt(path), Host: c.config.BaseURL.Host, Err: err}
	if c.config.apiPath() != "" && strings.HasSuffix(c.config.basePath(), c.config.apiPath()) {
		failed.RepeatedAPIPath = c.config.apiPath()
	}
	return failed
}
