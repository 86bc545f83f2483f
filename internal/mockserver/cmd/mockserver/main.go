// Command mockserver runs the mock service with a short audiobook in it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
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
	failing := flags.Bool("failing", false, "serve a book of a hundred chapters instead; three of them fail the first time")
	greeting := flags.String("greeting", "", "a `text` to print first; <port> in it becomes the port")
	habits := habitsFrom(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	book := mockserver.Audiobook(*pace)
	if *failing {
		book = hundredNights()
	}
	service := mockserver.New()
	service.SetHabits(*habits)
	service.AddProject(book)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return err
	}
	fmt.Fprint(stdout, strings.ReplaceAll(*greeting, "<port>", port))
	fmt.Fprintf(stdout, "listening on http://%s\nkey: %s\nproject: %s\n",
		listener.Addr(), mockserver.Secret, book.ID)
	service.Watch(logTo(stdout))

	routes := http.NewServeMux()
	routes.Handle("/play", service.Controls())
	routes.Handle("/play/", service.Controls())
	routes.Handle("/", service)
	server := &http.Server{Handler: routes}
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.Background(), time.Second) // for running requests
		defer cancel()
		if server.Shutdown(grace) != nil {
			stopped <- server.Close()
			return
		}
		stopped <- nil
	})
	err = server.Serve(listener)
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	err = <-stopped
	summarize(stdout, service.Journal())
	return err
}

// hundredNights is for the pictures of the README.
func hundredNights() mockserver.Project {
	book := mockserver.Project{ID: "audiobook", Name: "A hundred nights"}
	fails := map[int]string{17: "Voice not found.", 58: "Voice not found.", 93: "The text is in two languages."}
	for night := 1; night <= 100; night++ {
		well := mockserver.Conversion{Queued: time.Second, Takes: time.Duration(5+night%7) * time.Second}
		first := well
		first.Fails = fails[night]
		book.Chapters = append(book.Chapters, mockserver.Chapter{
			ID: fmt.Sprintf("chapter-%d", night), Name: fmt.Sprintf("Night %d", night), Conversions: []mockserver.Conversion{first, well},
		})
	}
	return book
}

// habitsFrom are the habits that flags choose.
func habitsFrom(flags *flag.FlagSet) *mockserver.Habits {
	habits := new(mockserver.Habits)
	flags.Func("like", "behave like a `kind` of service: vendor, a large one; flags after this one change that", func(kind string) error {
		if kind != "vendor" {
			return errors.New("no such kind")
		}
		path := habits.APIPath
		*habits = mockserver.LikeVendor()
		habits.APIPath = path
		return nil
	})
	flags.StringVar(&habits.APIPath, "api-path", "/v1", "the `path` where the operations begin, such as /v1/studio")
	flags.DurationVar(&habits.SnapshotDelay, "snapshot-delay", 0, "how `long` after its conversion a snapshot is made")
	flags.DurationVar(&habits.StaleLists, "stale", 0, "how `long` lists lag behind")
	flags.IntVar(&habits.Replicas, "replicas", 0, "answer lists from a `number` of replicas in turn; one of them lags as -stale says")
	flags.Func("snapshots", "the `habit` of snapshots: oldest-first, newest-first, undated, or never (of the project)", func(habit string) error {
		chosen := map[string]*bool{"oldest-first": new(bool), "newest-first": &habits.NewestFirst, "undated": &habits.UndatedSnapshots, "never": &habits.WholeProjectOnly}[habit]
		if chosen == nil {
			return errors.New("no such habit")
		}
		*chosen = true
		return nil
	})
	flags.Func("progress", "the `form` of conversion_progress: percent, fraction (of 1), or none", func(form string) error {
		styles := map[string]mockserver.ProgressStyle{"percent": mockserver.Whole, "fraction": mockserver.OfOne, "none": mockserver.None}
		style, known := styles[form]
		if !known {
			return errors.New("no such form")
		}
		habits.Progress = style
		return nil
	})
	return habits
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
	requests, accepted := map[mockserver.Operation]int{}, 0
	for _, entry := range journal {
		requests[entry.Operation]++
		if entry.Accepted {
			accepted++
		}
	}
	fmt.Fprintf(stdout, "%d requests\n", len(journal))
	for _, operation := range slices.Sorted(maps.Keys(requests)) {
		fmt.Fprintf(stdout, "%6d %s\n", requests[operation], operation)
	}
	fmt.Fprintf(stdout, "%d conversions paid for\n", accepted)
}
