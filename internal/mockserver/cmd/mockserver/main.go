// Command mockserver runs the mock service with a short audiobook in it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mockserver:", err)
		os.Exit(1)
	}
}

// run serves until the context is done, and then prints a summary.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("mockserver", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8787", "`address` to listen on; port 0 picks a free one")
	pace := flags.Duration("pace", 5*time.Second, "how `long` the conversion of a chapter takes")
	apiPath := flags.String("api-path", "/v1", "the `path` where the operations begin, such as /v1/studio")
	if err := flags.Parse(args); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	audiobook := mockserver.Audiobook(*pace)
	service := mockserver.New()
	service.SetHabits(mockserver.Habits{APIPath: *apiPath})
	service.AddProject(audiobook)
	fmt.Fprintf(stdout, "listening on http://%s\nkey: %s\nproject: %s\n",
		listener.Addr(), mockserver.Secret, audiobook.ID)
	service.Watch(logTo(stdout))

	server := &http.Server{Handler: service}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		stopped <- shutDown(server)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	err = <-stopped
	summarize(stdout, service.Journal())
	return err
}

// shutDown waits a second for running requests, and then closes their connections.
func shutDown(server *http.Server) error {
	grace, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if server.Shutdown(grace) != nil {
		return server.Close()
	}
	return nil
}

// logTo prints one line at the end of every request.
func logTo(stdout io.Writer) func(mockserver.Entry) {
	var mu sync.Mutex
	return func(entry mockserver.Entry) {
		accepted := ""
		if entry.Accepted {
			accepted = " conversion accepted"
		}
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(stdout, "%s %d %s %s%s\n",
			entry.At.Format("15:04:05.000"), entry.Status, entry.Method, entry.Path, accepted)
	}
}

func summarize(stdout io.Writer, journal []mockserver.Entry) {
	requests := map[mockserver.Operation]int{}
	accepted := 0
	for _, entry := range journal {
		requests[entry.Operation]++
		if entry.Accepted {
			accepted++
		}
	}
	fmt.Fprintf(stdout, "%d requests\n", len(journal))
	for _, operation := range []mockserver.Operation{
		mockserver.ListProjects,
		mockserver.GetProject,
		mockserver.ListChapters,
		mockserver.ConvertChapter,
		mockserver.ListChapterSnapshots,
		mockserver.ListProjectSnapshots,
		mockserver.StreamSnapshot,
	} {
		fmt.Fprintf(stdout, "%6d %s\n", requests[operation], operation)
	}
	fmt.Fprintf(stdout, "%d conversions accepted\n", accepted)
}
