package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestMockServer_printsAddressAndRequests(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	output, stdout := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"-addr", "127.0.0.1:0", "-pace", "0s", "-greeting", "It is on <port>.\nUse <port>.\n"}, stdout)
		stdout.Close()
	}()
	lines := bufio.NewScanner(output)
	next := func() string {
		lines.Scan()
		return lines.Text()
	}

	greeting := next() + " " + next()
	url, ok := strings.CutPrefix(next(), "listening on ")
	if !ok || !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("first line after the greeting: got %q", lines.Text())
	}
	port := url[strings.LastIndex(url, ":")+1:]
	if greeting != "It is on "+port+". Use "+port+"." {
		t.Errorf("greeting: got %q for port %s", greeting, port)
	}
	got := next() + ", " + next()
	if got != "key: mock-key, project: audiobook" {
		t.Errorf("next lines: got %q", got)
	}

	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		url+"/v1/projects/audiobook/chapters/chapter-3/convert", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("xi-api-key", mockserver.Secret)
	go func() {
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			response.Body.Close()
		}
	}()
	_, logged, _ := strings.Cut(next(), " ")
	want := "200 POST /v1/projects/audiobook/chapters/chapter-3/convert conversion accepted"
	if logged != want {
		t.Errorf("logged %q, want %q", logged, want)
	}

	stop()
	var summary []string
	for lines.Scan() {
		summary = append(summary, strings.TrimSpace(lines.Text()))
	}
	got, want = strings.Join(summary, ", "), "1 requests, 1 ConvertChapter, 1 conversions paid for"
	if got != want {
		t.Errorf("summary:\n got %s\nwant %s", got, want)
	}
	if err := <-done; err != nil {
		t.Errorf("run: %v", err)
	}
}
