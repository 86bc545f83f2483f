// Package contract checks the requests of a client and the answers of a server against the OpenAPI description of the
// service. It is for tests.
package contract

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// description is the whole document as OpenAPI 3.0.
//
//go:embed openapi.yaml
var description []byte

// documentedPath is where the operations begin in the document.
const documentedPath = "/v1"

// Check passes requests on to next. It reports every request and every complete answer that differs from openapi.yaml.
// Of an answer with audio it checks the header only. It may call report from several goroutines at the same time, and
// panics if openapi.yaml is not valid.
func Check(next http.Handler, report func(error)) http.Handler {
	return CheckAt(documentedPath, next, report)
}

// CheckAt does the same for a service whose operations begin at another path.
func CheckAt(apiPath string, next http.Handler, report func(error)) http.Handler {
	doc, err := openapi3.NewLoader().LoadFromData(description)
	if err == nil {
		err = doc.Validate(context.Background())
	}
	if err != nil {
		panic(fmt.Sprintf("the OpenAPI description is not valid: %v", err))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		input := newInput(doc, r, apiPath)
		if input.Route == nil {
			report(fmt.Errorf("%s %s: no such operation", r.Method, r.URL.EscapedPath()))
			next.ServeHTTP(w, r)
			return
		}
		operation := input.Route.Operation.OperationID
		if err := openapi3filter.ValidateRequest(r.Context(), input); err != nil {
			report(fmt.Errorf("request of %s: %w", operation, err))
		}
		seen := &answer{ResponseWriter: w}
		next.ServeHTTP(seen, r)
		if err := seen.validate(r.Context(), input); err != nil {
			report(fmt.Errorf("answer to %s: %w", operation, err))
		}
	})
}

// newInput finds the operation of a request. It splits the path before it removes the escapes, so that an identifier
// may contain a slash. The routers of kin-openapi split there, or keep the escape.
func newInput(doc *openapi3.T, r *http.Request, apiPath string) *openapi3filter.RequestValidationInput {
	input := &openapi3filter.RequestValidationInput{
		Request: r,
		Options: &openapi3filter.Options{
			AuthenticationFunc:  openapi3filter.NoopAuthenticationFunc,
			SkipSettingDefaults: true,
		},
	}
	path, found := strings.CutPrefix(r.URL.EscapedPath(), strings.TrimSuffix(apiPath, "/"))
	if !found {
		return input
	}
	elements := strings.Split(documentedPath+path, "/")
	for path, item := range doc.Paths.Map() {
		parameters, ok := match(path, elements)
		operation := item.GetOperation(r.Method)
		if ok && operation != nil {
			input.PathParams = parameters
			input.Route = &routers.Route{
				Spec: doc, Path: path, PathItem: item, Method: r.Method, Operation: operation,
			}
		}
	}
	return input
}

func match(path string, elements []string) (parameters map[string]string, ok bool) {
	names := strings.Split(path, "/")
	if len(names) != len(elements) {
		return nil, false
	}
	parameters = map[string]string{}
	for i, name := range names {
		element, err := url.PathUnescape(elements[i])
		if err != nil {
			return nil, false
		}
		variable, ok := strings.CutPrefix(name, "{")
		if ok && element != "" {
			parameters[strings.TrimSuffix(variable, "}")] = element
		} else if element != name {
			return nil, false
		}
	}
	return parameters, true
}

// answer passes an answer on, and keeps its status and body for the check.
type answer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// Unwrap lets [http.ResponseController] reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if !a.isAudio() {
		a.body.Write(b)
	}
	return a.ResponseWriter.Write(b)
}

func (a *answer) isAudio() bool {
	mediaType, _, err := mime.ParseMediaType(a.Header().Get("Content-Type"))
	return err == nil && strings.HasPrefix(mediaType, "audio/")
}

func (a *answer) validate(ctx context.Context, input *openapi3filter.RequestValidationInput) error {
	if a.status == 0 {
		return nil // the connection was cut
	}
	return openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 a.status,
		Header:                 a.Header(),
		Body:                   io.NopCloser(&a.body),
		Options:                &openapi3filter.Options{ExcludeResponseBody: a.isAudio() && acceptsAudio(input)},
	})
}

func acceptsAudio(input *openapi3filter.RequestValidationInput) bool {
	success := input.Route.Operation.Responses.Status(http.StatusOK)
	return success != nil && success.Value.Content["audio/*"] != nil
}
