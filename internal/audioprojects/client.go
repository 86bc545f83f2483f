// Package audioprojects is a client of the Audio Projects Service Interface
// Specification ("the document"): one method for each operation of its section 4.
// It knows nothing of Terraform.
package audioprojects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-cleanhttp"
	"github.com/hashicorp/go-retryablehttp"
)

const (
	// maxAnswer bounds a JSON answer held in memory: 32 MiB, some eighty thousand chapters.
	maxAnswer = 32 << 20
	// maxValues bounds the number of JSON values in an answer, and so the memory that decoding takes: `{},` is
	// three bytes as text and a hundred once decoded. Seventy thousand chapters with all their fields have fewer values.
	maxValues = 1 << 20
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
	// RequestTimeout bounds one attempt of one request; for audio, the silence between two bytes.
	RequestTimeout time.Duration
	// MaxRetries is the number of further attempts of a request that may safely be repeated.
	MaxRetries int
	// Transport carries the requests; nil means a pooled one that honours the proxy variables.
	Transport *http.Transport
	// Log is called after every attempt; nil means no log.
	Log func(context.Context, Exchange)

	gate // of APIKey; set by [New]
}

// Client sends requests to the service. It is safe for concurrent use.
type Client struct {
	config Config
	// repeatable sends requests that change nothing, and repeats them after a failure.
	repeatable *retryablehttp.Client
	// once sends requests that cost credits, and never repeats them: the caller must look at the chapter before it sends another.
	once *retryablehttp.Client
	// streaming sends requests that are answered with audio, however long that takes.
	streaming *retryablehttp.Client
}

// New returns a client.
func New(config Config) *Client {
	config.gate = gate{newKeyMask(config.APIKey)}
	if config.Transport == nil {
		config.Transport = newTransport()
	}

	// The service may close an idle connection just when a request is sent on it. Then nobody
	// knows whether the request was received, so each conversion is requested on a new connection.
	unshared := config.Transport.Clone()
	unshared.DisableKeepAlives = true

	pace := &pace{urgent: make(chan struct{}, 1), others: make(chan struct{}, 1)}
	return &Client{
		config:     config,
		repeatable: retrying(attempts{Transport: config.Transport, config: config, pace: pace}, config.MaxRetries),
		once:       retrying(attempts{Transport: unshared, config: config, pace: pace, urgent: true}, 0),
		streaming:  retrying(attempts{Transport: config.Transport, config: config, pace: pace, idleOnly: true}, config.MaxRetries),
	}
}

func newTransport() *http.Transport {
	transport := cleanhttp.DefaultPooledTransport()
	transport.OnProxyConnectResponse = refusedByProxy
	return transport
}

// get asks for the JSON document at the given path elements and decodes it into a T. Any successful status will do for
// an answer that holds one.
func get[T any](ctx context.Context, c *Client, elements ...string) (answer T, err error) {
	response, text, err := c.ask(ctx, call{sender: c.repeatable, method: http.MethodGet, elements: elements})
	if err != nil {
		return answer, err
	}
	switch {
	case len(text) > maxAnswer:
		err = fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
	case atMostValues(text) > maxValues:
		err = fmt.Errorf("the answer holds more than %d million values", maxValues>>20)
	default:
		err = c.config.read(&answer, elements[len(elements)-1], text)
	}
	if err != nil {
		return answer, c.noClearAnswer(response, err)
	}
	return answer, nil
}

// ask sends a request, and reads the answer while the request can still be repeated, because the answer may break off. It reads one byte
// more than an answer may have, by which get knows one that is too long.
func (c *Client) ask(ctx context.Context, call call) (response *http.Response, text []byte, err error) {
	call.handle = func(response *http.Response) (err error) {
		if text, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1)); err != nil {
			err = fmt.Errorf("the answer broke off after %d bytes: %w", len(text), err)
		}
		return err
	}
	if response, err = c.send(ctx, call); err == nil {
		response.Body.Close()
	}
	return response, text, err
}

// call is one request of an operation.
type call struct {
	sender   *retryablehttp.Client
	method   string
	elements []string  // of the path
	body     any       // JSON, as bytes; nil: none
	sendBy   time.Time // not sent later than this; zero: any time
	// handle reads a success. If it fails, the request is repeated.
	handle retryablehttp.ResponseHandlerFunc
}

// send makes one request, with the repetitions its sender allows. The caller closes the body of a
// success. An answer that is not a success is returned as an [*Error], and its body is closed.
func (c *Client) send(ctx context.Context, call call) (*http.Response, error) {
	path, err := escapePath(c.config.APIPath, call.elements)
	if err != nil {
		return nil, c.failed(NotSent, call.method, path, err)
	}
	address := strings.TrimRight(c.config.BaseURL.String(), "/") + path
	request, err := retryablehttp.NewRequestWithContext(withSendState(ctx, call.sendBy), call.method, address, call.body)
	if err != nil {
		return nil, c.failed(NotSent, call.method, path, err)
	}
	request.Header.Set("xi-api-key", c.config.APIKey)
	request.Header.Set("User-Agent", c.config.UserAgent)
	if call.sender == c.streaming {
		request.Header.Set("Content-Type", "application/json")
		// Without compression, so that Content-Length tells whether all of the audio has come.
		request.Header.Set("Accept-Encoding", "identity")
		// Not sent, and tells net/http to send the request again if the connection turns out to have been closed before.
		request.Header["X-Idempotency-Key"] = nil
	}
	request.SetResponseHandler(func(response *http.Response) error {
		if !succeeded(response) {
			return nil
		}
		return call.handle(response)
	})
	response, err := call.sender.Do(request)
	if err != nil {
		return nil, c.failure(request, response, path, err)
	}
	if !succeeded(response) {
		defer response.Body.Close()
		return nil, c.refusal(response)
	}
	return response, nil
}

func succeeded(response *http.Response) bool {
	return response.StatusCode >= 200 && response.StatusCode <= 299
}

// failure is the error of a request without an answer, or with one that call.handle could not read.
func (c *Client) failure(request *retryablehttp.Request, response *http.Response, path string, err error) error {
	if response != nil {
		response.Body.Close()
	}
	var known *Error // of the pace, or of call.handle
	if errors.As(err, &known) {
		known.Method, known.Path, known.Host = request.Method, path, c.config.BaseURL.Host
		return known
	}
	kind := Ambiguous
	if !sendStateOf(request.Context()).connected.Load() {
		kind = NotSent
	}
	failed := c.failed(kind, request.Method, path, err)
	failed.Words = c.config.transportWords(err)
	return failed
}

// failed is the error of a request without an answer.
func (c *Client) failed(kind Kind, method, path string, err error) *Error {
	return &Error{Kind: kind, Method: method, Path: path, Host: c.config.BaseURL.Host, Err: err}
}
