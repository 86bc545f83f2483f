package histories

import (
	"io"
	"net/http"
	"strconv"
	"time"
)

func respond(rw http.ResponseWriter, status int, body string) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_, _ = io.WriteString(rw, body) // the client may have gone
}

// answer sends the answer, changed by the fault.
func (a Answer) answer(rw http.ResponseWriter, r *http.Request, status int, body string) {
	switch a.What {
	case "":
		respond(rw, status, body)
	case "slow":
		select {
		case <-time.After(a.For):
			respond(rw, status, body)
		case <-r.Context().Done(): // Ctrl-C while the request is in flight
		}
	case "reset", "eof":
		cut(rw, a.What == "reset")
	case "hang":
		<-r.Context().Done()
	case "status":
		if a.RetryAfter != "" {
			rw.Header().Set("Retry-After", a.RetryAfter)
		}
		respond(rw, a.Status, detail("refused", "The service does not want this."))
	case "truncated":
		rw.Header().Set("Content-Length", strconv.Itoa(len(body)+10))
		rw.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(rw, body[:len(body)/2]) // the client may have gone
		flusher, flushes := rw.(http.Flusher)
		if flushes {
			flusher.Flush()
		}
		cut(rw, false)
	case "html":
		rw.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(rw, "<html><body>We will be back soon.</body></html>") // the client may have gone
	}
}

// cut ends the connection.
func cut(rw http.ResponseWriter, reset bool) {
	hijacker, hijacks := rw.(http.Hijacker)
	if !hijacks {
		panic("the connection cannot be had")
	}
	connection, _, err := hijacker.Hijack()
	if err != nil {
		return
	}
	lingering, lingers := connection.(interface{ SetLinger(int) error })
	if lingers && reset {
		_ = lingering.SetLinger(0) // it never fails
	}
	connection.Close()
}
