package edges_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// wireLess are the changes after which an answer means less, or something else.
func wireLess() (all []wireChange) {
	return slices.Concat(wireCuts(), wireFieldChanges(), wireStatuses(), wireBodies(), wireParts(), wireRanges(), wireFailures(), wireAges(), wirePauses())
}

// wireCuts break an answer off at each place, in each way.
func wireCuts() (all []wireChange) {
	const atItsEnd = "at its end"
	places := []struct {
		name string
		at   func(head, all int) int
	}{
		{"before its first byte", func(int, int) int { return 0 }},
		{"in its first line", func(head, _ int) int { return min(5, head) }},
		{"in its header", func(head, _ int) int { return head / 2 }},
		{"before its body", func(head, _ int) int { return head }},
		{"after a byte of its body", func(head, all int) int { return min(head+1, all) }},
		{"after a quarter of its body", func(head, all int) int { return head + (all-head)/4 }},
		{"after half of its body", func(head, all int) int { return head + (all-head)/2 }},
		{"after most of its body", func(head, all int) int { return all - (all-head)/8 }},
		{"before its last bytes", func(head, all int) int { return max(head, all-3) }},
		{atItsEnd, func(_, all int) int { return all }},
	}
	ends := []struct {
		name    string
		form    wireForm
		secure  bool
		two     bool
		isReset bool
	}{
		{"closed", wireForm{}, false, false, false},
		{"reset", wireForm{}, false, false, true},
		{"chunks, closed", wireForm{framing: wireChunks}, false, false, false},
		{"chunks, reset", wireForm{framing: wireChunks}, false, false, true},
		{"no length, closed", wireForm{framing: wireUnended}, false, false, false},
		{"no length, reset", wireForm{framing: wireUnended}, false, false, true},
		{"TLS without its end", wireForm{}, true, false, false},
		{"no length, TLS without its end", wireForm{framing: wireUnended}, true, false, false},
		{"HTTP/2, its stream is reset", wireForm{}, false, true, true},
		{"HTTP/2 without a length, its stream is reset", wireForm{framing: wireChunks}, false, true, true},
	}
	for _, end := range ends {
		for i, place := range places {
			if end.two && i > 0 && i < 4 { // A header is one frame.
				continue
			}
			isWhole, isUnended := place.name == atItsEnd, end.form.framing == wireUnended
			kind := "cut"
			switch {
			case isWhole && isUnended && !end.isReset:
				kind = "not ended"
			case isWhole && !isUnended && !end.two:
				kind = "cut after its end"
			case isUnended && i >= 3 && !end.isReset: // The header has come.
				kind = "cut, and nothing tells"
			}
			all = append(all, wireChange{
				name: "cut " + place.name + ": " + end.name, kind: kind, secure: end.secure, two: end.two, operations: mockserver.Operations(),
				do: func(a *wireAnswer, _ *http.Request, _ *wireServer) {
					a.wireForm = end.form
					a.cut = &wireCut{place.at, end.isReset}
				},
			})
		}
	}
	for name, form := range sorted(map[string]wireForm{
		"comes after an hour": {delay: time.Hour}, "comes in packets an hour apart": {packet: 100, pause: time.Hour},
		"comes in packets 20 s apart": {packet: 100, pause: 20 * time.Second},
	}) {
		kind := "too late"
		if form.pause < time.Hour && form.pause > 0 {
			kind = "slow"
		}
		all = append(all, wireChange{name: name, kind: kind, operations: mockserver.Operations(),
			do: func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.wireForm = form }})
	}
	for _, by := range []int{1, 1000, -1} {
		name := fmt.Sprintf("Content-Length too large by %d", by)
		kind := "cut"
		if by < 0 {
			name, kind = "Content-Length too small by 1", "cut, and nothing tells"
		}
		all = append(all, wireChange{name: name, kind: kind, operations: mockserver.Operations(),
			do: func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.claims = by }})
	}
	for _, bytes := range []string{"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "\x17\x03\x03\xff\xff", "\x17\x11\xe1\x00\x10", "\x15\x03\x03\x00\x02\x02\x50"} {
		all = append(all, wireChange{name: fmt.Sprintf("%.9q in its place, which is no TLS", bytes), kind: "cut", secure: true, operations: mockserver.Operations(),
			do: func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.noTLS = bytes }})
	}
	all = append(all, wireChange{name: "no length", kind: "not ended", operations: mockserver.Operations(),
		do: func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.framing = wireUnended }},
		wireChange{name: "HTTP/1.0 without a length", kind: "not ended", operations: mockserver.Operations(),
			do: func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.framing, a.version = wireUnended, "1.0" }})
	return all
}

// wireStatuses are the statuses that services and gateways send.
func wireStatuses() (all []wireChange) {
	for _, status := range []int{
		200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 299, 300, 301, 302, 303, 304, 305, 307, 308,
		400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 415, 417, 418, 421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 499,
		500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 522, 524, 529, 599, 600, 999,
	} {
		kind := fmt.Sprintf("status %dxx", status/100)
		switch status {
		case 200:
			kind = "the same"
		case 204, 205, 206, 304, 408, 429, 401, 403, 404:
			kind = fmt.Sprintf("status %d", status)
		case 600, 999:
			kind = "status of no class"
		}
		all = append(all, wireChange{name: fmt.Sprintf("status %d", status), kind: kind, operations: mockserver.Operations(),
			do: func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.status = status }})
	}
	for to, address := range sorted(map[string]string{
		"to another host": "http://elsewhere", "with another scheme": "ftp://localhost", "to another port": "http://localhost:8443", "of a POST to the same host": "http://localhost",
	}) {
		operations := mockserver.Operations()
		if strings.HasPrefix(to, "of a POST") {
			operations = []mockserver.Operation{mockserver.ConvertChapter, mockserver.StreamSnapshot}
		}
		for _, status := range []int{307, 302, 308} {
			all = append(all, wireChange{name: fmt.Sprintf("redirect %d %s", status, to), kind: "a redirect", operations: operations,
				do: func(a *wireAnswer, r *http.Request, _ *wireServer) {
					if r.URL.RawQuery == "" {
						*a = wireAnswer{status: status, header: http.Header{"Location": {address + r.URL.Path + "?again"}}}
					}
				}})
		}
	}
	return all
}

// wireBodies are other bodies, and other names for them.
func wireBodies() (all []wireChange) {
	add := func(name, kind string, operations []mockserver.Operation, do func(a *wireAnswer)) {
		all = append(all, wireChange{name: name, kind: kind, operations: operations, do: func(a *wireAnswer, _ *http.Request, _ *wireServer) { do(a) }})
	}
	for name, body := range sorted(map[string]string{
		"no body": "", "white space": " \r\n", "null": "null", "true": "true", "a number": "7", "a text": `"chapters"`, "an empty array": "[]", "an empty object": "{}",
		"an array of an array": "[[]]", "HTML": "<!doctype html><html><body>Sign in</body></html>", "XML": `<?xml version="1.0"?><error>no</error>`,
		"plain text": "Service unavailable", "bytes": "\x00\x01\xfe\xff\x80", "an error": `{"detail":{"status":"busy","message":"Try later."}}`,
		"success is false": `{"success":false,"message":"No."}`, "half of an escape": `{"chapters":[{"chapter_id":"\ud83`,
	}) {
		kind := "another body"
		switch name {
		case "no body", "white space":
			kind = "no body"
		case "an empty array", "an empty object", "null", "true", "a number", "a text", "an array of an array", "an error", "success is false":
			kind = "other JSON"
		}
		add("the body is "+name, kind, mockserver.Operations(), func(a *wireAnswer) { a.body = []byte(body) })
		add("the body is "+name+", as HTML", kind, mockserver.Operations(), func(a *wireAnswer) {
			a.body = []byte(body)
			a.header.Set("Content-Type", "text/html")
		})
	}
	for _, behind := range []string{"{}", "x", "\x00", "}", `{"error":"broken"}`, "<html></html>"} {
		add(fmt.Sprintf("%q after the body", behind), "more than a body", mockserver.Operations(), func(a *wireAnswer) { a.body = append(a.body, behind...) })
	}
	for _, name := range []string{"", "text/html", "text/plain", "application/octet-stream", "image/png", "application/problem+json", "nonsense", "multipart/mixed; boundary=x", "audio/wav", "application/json"} {
		add(fmt.Sprintf("the media type %q", name), "another media type", mockserver.Operations(), func(a *wireAnswer) {
			if name == "" {
				a.header.Del("Content-Type")
				return
			}
			a.header.Set("Content-Type", name)
		})
	}
	for _, name := range []string{"gzip", "br", "deflate", "identity", "nonsense"} {
		add("Content-Encoding: "+name+", and it is not", "an encoding that it does not have", mockserver.Operations(), func(a *wireAnswer) { a.header.Set("Content-Encoding", name) })
	}
	add("Content-Encoding: gzip", "an encoding", mockserver.Operations(), func(a *wireAnswer) {
		a.header.Set("Content-Encoding", "gzip")
		a.body = wireGzip(a.body)
	})
	add("Content-Encoding: gzip, cut", "an encoding that it does not have", mockserver.Operations(), func(a *wireAnswer) {
		a.header.Set("Content-Encoding", "gzip")
		a.body = wireGzip(a.body)
		a.body = a.body[:len(a.body)/2]
	})
	return all
}

// wireAges are headers of a cache between.
func wireAges() (all []wireChange) {
	for _, age := range []string{"60", "1", "86400", "99999999999999999999", "-1", "soon", "60, 60"} {
		kind := "an answer of a cache"
		if strings.ContainsAny(age, "-os,") {
			kind = "an age that is none"
		}
		all = append(all, wireChange{name: "Age: " + age, kind: kind, operations: mockserver.Operations(),
			do: func(a *wireAnswer, _ *http.Request, _ *wireServer) { a.header.Set("Age", age) }})
	}
	return all
}

// wirePauses are refusals with the forms of Retry-After.
func wirePauses() (all []wireChange) {
	for name, pause := range sorted(map[string]func() string{
		"7": func() string { return "7" }, "6.5": func() string { return "6.5" }, "7s": func() string { return "7s" }, "1m": func() string { return "1m" }, "7 seconds": func() string { return "7 seconds" },
		"a date":              func() string { return time.Now().Add(7 * time.Second).UTC().Format(http.TimeFormat) },
		"a date of RFC 3339":  func() string { return time.Now().Add(7 * time.Second).UTC().Format(time.RFC3339) },
		"a Unix time":         func() string { return fmt.Sprint(time.Now().Add(7 * time.Second).Unix()) },
		"a date that is past": func() string { return time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat) },
		"0":                   func() string { return "0" }, "-7": func() string { return "-7" }, "soon": func() string { return "soon" }, "nothing": func() string { return "" },
		"a year": func() string { return "31536000" }, "too large": func() string { return "99999999999999999999" }, "NaN": func() string { return "NaN" },
	}) {
		for _, status := range []int{429, 503} {
			kind := "a refusal with a pause"
			switch {
			case name == "a year" || name == "too large":
				kind = "a refusal with a pause that is too long"
			case status == http.StatusServiceUnavailable:
				kind = "status 503 with a pause"
			}
			all = append(all, wireChange{name: fmt.Sprintf("status %d, Retry-After: %s", status, name), kind: kind, operations: mockserver.Operations(),
				do: func(a *wireAnswer, _ *http.Request, _ *wireServer) {
					a.status, a.body = status, []byte(`{"detail":{"status":"too_many_requests","message":"Too many."}}`)
					a.header.Set("Retry-After", pause())
				}})
		}
	}
	all = append(all, wireChange{name: "status 429, Retry-After: a date by a clock that is an hour ahead", kind: "a refusal with a pause", operations: mockserver.Operations(),
		do: func(a *wireAnswer, _ *http.Request, _ *wireServer) {
			ahead := time.Now().Add(time.Hour).UTC()
			a.status, a.body = http.StatusTooManyRequests, nil
			a.header.Set("Date", ahead.Format(http.TimeFormat))
			a.header.Set("Retry-After", ahead.Add(7*time.Second).Format(http.TimeFormat))
		}})
	return all
}

// sorted is a map in the order of its keys.
func sorted[V any](of map[string]V) func(yield func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(of)) {
			if !yield(key, of[key]) {
				return
			}
		}
	}
}
