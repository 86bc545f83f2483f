// Command failing runs the mock service with a book of a hundred chapters, of which three fail the first time, for the pictures
// of the README.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "failing:", err)
		os.Exit(1)
	}
}

func run() error {
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
	service := mockserver.New()
	service.AddProject(book)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	server := &http.Server{Handler: service, ReadHeaderTimeout: time.Minute}
	return server.Serve(listener)
}
