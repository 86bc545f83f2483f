package mockserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// answer is a complete answer that has not been sent yet.
type answer struct {
	status int
	header http.Header
	body   io.Reader
	length int64 // in bytes; -1 when it is not announced
}

func newAnswer(status int, contentType string, body []byte) answer {
	return answer{
		status: status,
		header: http.Header{"Content-Type": {contentType}},
		body:   bytes.NewReader(body),
		length: int64(len(body)),
	}
}

// okAnswer answers with a record. Section 7 gives no status for success; here it is 200.
func okAnswer(record any, habits Habits) answer {
	body := encode(record)
	if habits.OmitsUnset {
		body = encode(withoutNulls(decode(body)))
	}
	return newAnswer(http.StatusOK, "application/json", body)
}

// listAnswer answers with a list, or with its first page. The document describes no pages, so there is no way to another.
func listAnswer[R any](name string, records []R, habits Habits) answer {
	return okAnswer(firstPage(name, records, habits), habits)
}

func firstPage[R any](name string, records []R, habits Habits) map[string]any {
	size := habits.PageSize
	if size == 0 || len(records) <= size {
		return map[string]any{name: records}
	}
	return map[string]any{name: records[:size], "has_more": true}
}

// errorAnswer answers with an error. The detail is a text, a [errorDetail] or a list of [validationError], the three forms that FastAPI
// services use.
func errorAnswer(status int, detail any) answer {
	return newAnswer(status, "application/json", encode(map[string]any{"detail": detail}))
}

// errorDetail is the detail of an error that has a name.
type errorDetail struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

// validationError is one entry of the detail of an error 422.
type validationError struct {
	Location []string `json:"loc"`
	Message  string   `json:"msg"`
	Type     string   `json:"type"`
}

func encode(value any) []byte {
	body, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("mockserver: a record cannot be encoded: %v", err))
	}
	return body
}

func decode(body []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(fmt.Sprintf("mockserver: a record cannot be decoded: %v", err))
	}
	return value
}

func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			if field == nil {
				delete(value, name)
			} else {
				value[name] = withoutNulls(field)
			}
		}
	case []any:
		for i, element := range value {
			value[i] = withoutNulls(element)
		}
	}
	return value
}

// chunkSize is how many bytes of a slow answer are sent between two pauses. It is so small that even the smallest
// record is sent in several chunks.
const chunkSize = 64

// send writes the answer. If the fault says so, it breaks off or writes slowly.
func (a answer) send(ctx context.Context, w http.ResponseWriter, fault Fault) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if a.length >= 0 && a.header.Get("Content-Length") == "" {
		w.Header().Set("Content-Length", strconv.FormatInt(a.length, 10))
	}
	w.WriteHeader(a.status)

	body := a.body
	if fault.Truncate > 0 {
		body = io.LimitReader(body, int64(fault.Truncate))
	}
	if fault.SlowBytes > 0 {
		sendSlowly(ctx, w, body, fault.SlowBytes)
	} else {
		sendAtOnce(w, body)
	}
	if fault.Truncate > 0 {
		flush(w)
		panic(http.ErrAbortHandler)
	}
}

func sendAtOnce(w http.ResponseWriter, body io.Reader) {
	_, err := io.Copy(w, body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
}

func sendSlowly(ctx context.Context, w http.ResponseWriter, body io.Reader, interval time.Duration) {
	for {
		_, err := io.CopyN(w, body, chunkSize)
		if err != nil {
			return
		}
		flush(w)
		if !pause(ctx, interval) {
			panic(http.ErrAbortHandler)
		}
	}
}

// flush sends what was written so far.
func flush(w http.ResponseWriter) {
	if err := http.NewResponseController(w).Flush(); err != nil {
		panic(http.ErrAbortHandler)
	}
}
